"""Pull requests."""

from __future__ import annotations

from gate.lab.github import merging, pulls, shapes_git
from gate.lab.github.exchange import ApiError, Reply, invalid
from gate.lab.github.history import FileChange, read_changes
from gate.lab.github.identity import GITHUB_ACTIONS
from gate.lab.github.paging import page_of
from gate.lab.github.routing import REPOSITORY, Call, Router
from gate.lab.github.state import Pull, now

router = Router()
LIST = f"{REPOSITORY}/pulls"
ONE = f"{LIST}/{{pull_number}}"
READ, WRITE = ("pull-requests", "read"), ("pull-requests", "write")


def changes_of(call: Call, pull: Pull) -> list[FileChange]:
    """What the pull request changes, from its merge base."""
    git = call.repository.git
    return read_changes(git, git.merge_base(pull.base_sha, pull.head_sha), pull.head_sha)


def full(call: Call, pull: Pull) -> dict[str, object]:
    """The pull request as it is now."""
    pulls.refresh(call.repository, pull)
    return shapes_git.pull_full(call, pull, changes_of(call, pull))


@router.add("GET", LIST, READ)
def listing(call: Call) -> Reply:
    """Pull requests by state, head (`owner:branch`) and base, newest first."""
    query = call.request.query
    found = [pulls.refresh(call.repository, pull) for pull in call.repository.pulls.values()]
    state, head, base = query.get("state", "open"), query.get("head"), query.get("base")
    found = [
        pull
        for pull in found
        if state in {"all", pull.state}
        # A head is written `owner:branch`, anything else does not filter:
        # https://docs.github.com/en/rest/pulls/pulls#list-pull-requests
        and (not head or ":" not in head or head == f"{pull.owner}:{pull.head}")
        and (not base or base == pull.base)
    ]
    key = "updated_at" if query.get("sort") == "updated" else "created_at"
    ascending = query.get("direction") == "asc"
    found.sort(key=lambda pull: (getattr(pull, key), pull.number), reverse=not ascending)
    page, headers = page_of(call.request, found)
    return Reply(body=[shapes_git.pull_simple(call, pull) for pull in page], headers=headers)


@router.add("POST", LIST, WRITE)
def create(call: Call) -> Reply:
    """Open a pull request.

    Rule: the App behind GITHUB_TOKEN may only where the repository's settings
    allow it, else 403. Source: danielroe/uppt#11.
    """
    if call.identity.app_id == GITHUB_ACTIONS.app_id and not call.world.actions_may_open_pulls:
        raise ApiError(403, "GitHub Actions is not permitted to create or approve pull requests.")
    call.expect(title=str, head=str, base=str, body=str, draft=bool)
    call.required("PullRequest", "title", "head", "base")
    body = call.body
    fields = {name: body[name] for name in ("title", "head", "base", "body") if body.get(name)}
    draft = bool(body.get("draft"))
    number = next(call.world.ids)
    pull = pulls.open_pull(call.repository, number, call.identity, fields, draft=draft)
    shape = full(call, pull)
    return Reply(201, shape, {"Location": f"{call.url}/pulls/{pull.number}"})


@router.add("GET", ONE, READ)
def get(call: Call) -> Reply:
    """One pull request."""
    return Reply(body=full(call, call.pull("pull_number")))


@router.add("PATCH", ONE, WRITE)
def edit(call: Call) -> Reply:
    """Change title, body, base or state.

    Rule: a merged one cannot be opened again. Source:
    https://docs.github.com/en/rest/pulls/pulls#update-a-pull-request
    """
    call.expect(title=str, body=str, base=str, state=str)
    pull, body, git = call.pull("pull_number"), call.body, call.repository.git
    if body.get("state", "open") not in {"open", "closed"} or (body.get("state") == "open" and pull.merged_at):
        raise invalid("PullRequest", "custom", field="state", message="state cannot be changed.")
    if body.get("base") and git.ref(f"refs/heads/{body['base']}") is None:
        raise invalid("PullRequest", "invalid", field="base")
    pulls.check_text(body)
    for name in ("title", "body", "base", "state"):
        if body.get(name) is not None:
            setattr(pull, name, body[name])
    pull.updated_at = now()
    if not pull.merged_at:
        pull.closed_at = pull.updated_at if pull.state == "closed" else None
    return Reply(body=full(call, pull))


@router.add("GET", f"{ONE}/files", READ)
def files(call: Call) -> Reply:
    """What it changes."""
    pull = pulls.refresh(call.repository, call.pull("pull_number"))
    page, headers = page_of(call.request, changes_of(call, pull))
    body = [shapes_git.changed_file(call, change, pull.head_sha) for change in page]
    return Reply(body=body, headers=headers)


@router.add("PUT", f"{ONE}/merge", ("contents", "write"))
def merge(call: Call) -> Reply:
    """Merge it, unless a required status or a conflict stands in the way."""
    body = call.body if call.request.body is not None else {}
    if body:
        call.expect(merge_method=str, sha=str, commit_title=str, commit_message=str)
    method, sha = body.get("merge_method", "merge"), body.get("sha", "")
    if method not in {"merge", "squash", "rebase"}:
        raise ApiError(422, "Invalid merge method")
    pull = merging.merge_pull(call.repository, call.pull("pull_number"), call.identity, method=method, sha=sha)
    message = "Pull Request successfully merged"
    return Reply(body={"sha": pull.merge_commit_sha, "merged": True, "message": message})


@router.add("PUT", f"{ONE}/update-branch", WRITE)
def update_branch(call: Call) -> Reply:
    """Merge the base into the head; GitHub does it a moment after it answers, this stand-in before."""
    body = call.body if call.request.body is not None else {}
    pull = call.pull("pull_number")
    merging.update_branch(call.repository, pull, call.identity, body.get("expected_head_sha", ""))
    url = f"{call.web}/pull/{pull.number}"
    return Reply(202, {"message": "Updating pull request branch.", "url": url})
