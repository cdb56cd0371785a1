"""Commits, comparisons, and the pull requests of a commit."""

from __future__ import annotations

from typing import Any

from gate.lab.github import shapes_git
from gate.lab.github.api.statuses import resolve
from gate.lab.github.exchange import Reply, not_found
from gate.lab.github.history import read_changes, read_commit, read_commits
from gate.lab.github.paging import page_of, paginated
from gate.lab.github.pulls import pulls_of_commit
from gate.lab.github.routing import REPOSITORY, Call, Router

router = Router()
# https://docs.github.com/en/rest/commits/commits: 300 files a page; compare: 250 commits.
FILES_LIMIT = 300
COMPARED_LIMIT = 250


@router.add("GET", f"{REPOSITORY}/commits", ("contents", "read"))
def listing(call: Call) -> Reply:
    """History from `sha` (default branch when absent), of `path` if given."""
    query = call.request.query
    sha = call.repository.git.commit(query.get("sha") or call.repository.git.default_branch())
    if sha is None:
        raise not_found()
    options = [f"--{name}={query[name]}" for name in ("since", "until", "author") if query.get(name)]
    paths = [query["path"]] if query.get("path") else []
    found = read_commits(call.repository.git, *options, sha, "--", *paths)
    page, headers = page_of(call.request, found)
    return Reply(body=[shapes_git.commit(call, commit) for commit in page], headers=headers)


@router.add("GET", f"{REPOSITORY}/commits/{{commit_sha}}/pulls", ("pull-requests", "read"))
def pulls(call: Call) -> Reply:
    """The pull requests of a commit.

    Rule: the index lags behind a push or merge and answers an empty list
    meanwhile. Sources: apache/texera#4620, release-drafter/release-drafter#322;
    which pull requests count: github/docs#36646.
    """
    sha, repository = resolve(call, call.parameters["commit_sha"]), call.repository
    repository.pulls_asked[sha] += 1
    if repository.pulls_asked[sha] <= call.world.index_lag:
        return Reply(body=[])
    found = pulls_of_commit(repository, sha)
    return paginated(call.request, [shapes_git.pull_simple(call, pull) for pull in found])


@router.add("GET", f"{REPOSITORY}/commits/{{ref}}", ("contents", "read"))
def get(call: Call) -> Reply:
    """One commit with what it changed against its first parent."""
    git = call.repository.git
    commit = read_commit(git, resolve(call, call.parameters["ref"]))
    if call.request.header("accept").endswith(".sha"):
        return Reply(body=commit.sha.encode(), media_type="application/vnd.github.sha; charset=utf-8")
    changes = read_changes(git, commit.parents[0] if commit.parents else None, commit.sha)
    page, headers = page_of(call.request, changes, FILES_LIMIT)
    counts = {name: sum(getattr(c, name) for c in changes) for name in ("additions", "deletions")}
    body = shapes_git.commit(call, commit)
    body["stats"] = {**counts, "total": sum(counts.values())}
    body["files"] = [shapes_git.changed_file(call, change, commit.sha) for change in page]
    return Reply(body=body, headers=headers)


@router.add("GET", f"{REPOSITORY}/compare/{{basehead}}", ("contents", "read"))
def compare(call: Call) -> Reply:
    """Two commits side by side, by their merge base.

    Rule: unknown names and unrelated histories are 404. Source:
    https://docs.github.com/en/rest/commits/commits#compare-two-commits
    """
    git = call.repository.git
    names = [name.rpartition(":")[2] for name in call.parameters["basehead"].split("...")]
    shas = [git.commit(name) for name in names]
    if len(shas) != 2 or shas[0] is None or shas[1] is None:
        raise not_found()
    base, head = shas[0], shas[1]
    merge_base = git.merge_base(base, head)
    if merge_base is None:
        raise not_found(f"No common ancestor between {names[0]} and {names[1]}.")
    commits = read_commits(git, "--reverse", "--topo-order", f"{base}..{head}")
    page, headers = page_of(call.request, commits, COMPARED_LIMIT)
    body = _comparison(call, base, head, merge_base)
    body["total_commits"] = body["ahead_by"]
    body["commits"] = [shapes_git.commit(call, commit) for commit in page]
    if call.request.query.get("page", "1") == "1":
        changes = read_changes(git, merge_base, head)[:FILES_LIMIT]
        body["files"] = [shapes_git.changed_file(call, change, head) for change in changes]
    return Reply(body=body, headers=headers)


def _comparison(call: Call, base: str, head: str, merge_base: str) -> dict[str, Any]:
    """Everything but the commits and files."""
    git = call.repository.git
    ahead, behind = git.count(base, head), git.count(head, base)
    words = {(True, False): "ahead", (False, True): "behind", (False, False): "identical"}
    web = f"{call.web}/compare/{base}...{head}"
    return {
        "url": f"{call.url}/compare/{base}...{head}",
        "html_url": web,
        "permalink_url": web,
        "diff_url": f"{web}.diff",
        "patch_url": f"{web}.patch",
        "base_commit": shapes_git.commit(call, read_commit(git, base)),
        "merge_base_commit": shapes_git.commit(call, read_commit(git, merge_base)),
        "status": words.get((ahead > 0, behind > 0), "diverged"),
        "ahead_by": ahead,
        "behind_by": behind,
    }
