"""How pull requests live: their refs, mergeability, and who belongs to which commit."""

from __future__ import annotations

from gate.lab.github.exchange import invalid
from gate.lab.github.git import Git, GitError
from gate.lab.github.identity import Identity
from gate.lab.github.objects import commit_tree
from gate.lab.github.state import Pull, Repository, now


def open_pull(repository: Repository, pull_id: int, user: Identity, fields: dict[str, str], *, draft: bool) -> Pull:
    """Open a pull request for `fields`: title, body, head (`branch` or `owner:branch`), base.

    Rules: no commits between the branches, or one already open for the same
    pair, is 422. Sources: tgymnich/fork-sync#112, vsoch/pull-request-action#86.
    """
    check_text(fields)
    owner, _, head = fields["head"].rpartition(":")
    owner, base, git = owner or repository.owner, fields["base"], repository.git
    head_sha, base_sha = git.ref(f"refs/heads/{head}"), git.ref(f"refs/heads/{base}")
    if head_sha is None or base_sha is None:
        raise invalid("PullRequest", "invalid", field="head" if head_sha is None else "base")
    if git.is_ancestor(head_sha[0], base_sha[0]):
        message = f"No commits between {base} and {fields['head']}"
        raise invalid("PullRequest", "custom", message=message)
    for other in [refresh(repository, pull) for pull in repository.pulls.values()]:
        if (other.state, other.owner, other.head, other.base) == ("open", owner, head, base):
            message = f"A pull request already exists for {owner}:{head}."
            raise invalid("PullRequest", "custom", message=message)
    number, at = max(repository.pulls, default=0) + 1, now()
    pull = Pull(
        pull_id, number, fields["title"], fields.get("body"), head, base, owner,
        head_sha[0], base_sha[0], user, at, at, draft,
    )  # fmt: skip
    repository.pulls[number] = pull
    return refresh(repository, pull)


def check_text(fields: dict[str, str]) -> None:
    """Rule: 256 characters of title, 65536 of body, 422 beyond.

    Sources: googleapis/repo-automation-bots#1895 (title), renovatebot/renovate#2032 (body).
    """
    for name, limit in (("title", 256), ("body", 65536)):
        if len(fields.get(name) or "") > limit:
            message = f"{name} is too long (maximum is {limit} characters)"
            raise invalid("Issue", "custom", field=name, message=message)


def refresh(repository: Repository, pull: Pull) -> Pull:
    """Bring an open pull request up to date with its branches.

    Rule: head and test-merge commits stand in refs/pull/N/head and /merge; a
    head that reached the base by a push counts as merged. Source:
    https://docs.github.com/en/pull-requests (about pull request merges, indirect merges)
    """
    git = repository.git
    head, base = git.ref(f"refs/heads/{pull.head}"), git.ref(f"refs/heads/{pull.base}")
    if pull.state != "open" or base is None:
        return pull
    head_sha = head[0] if head else pull.head_sha
    stale = (head_sha, base[0]) != (pull.head_sha, pull.base_sha) or not pull.merge_commit_sha
    if not stale:
        return pull
    if git.is_ancestor(head_sha, base[0]):
        pull.head_sha = head_sha
        return close_merged(pull, base[0], pull.user)
    pull.head_sha, pull.base_sha = head_sha, base[0]
    git.run("update-ref", f"refs/pull/{pull.number}/head", head_sha)
    merged = test_merge(git, pull)
    pull.merge_commit_sha = merged
    if merged is not None:
        git.run("update-ref", f"refs/pull/{pull.number}/merge", merged)
    return pull


def test_merge(git: Git, pull: Pull) -> str | None:
    """The merge commit of base and head, None when they conflict."""
    try:
        tree = git.text("merge-tree", "--write-tree", pull.base_sha, pull.head_sha).split("\n")[0]
    except GitError:
        return None
    message = f"Merge {pull.head_sha} into {pull.base_sha}"
    return commit_tree(git, tree, [pull.base_sha, pull.head_sha], message, pull.user)


def close_merged(pull: Pull, commit: str, by: Identity) -> Pull:
    """Note that it was merged as this commit."""
    pull.state, pull.merge_commit_sha, pull.merged_by = "closed", commit, by
    pull.merged_at = pull.closed_at = pull.updated_at = now()
    return pull


def head_gone(repository: Repository, branch: str) -> None:
    """Close the open pull requests of a branch that was deleted."""
    for pull in repository.pulls.values():
        if (pull.state, pull.owner, pull.head) == ("open", repository.owner, branch):
            pull.state, pull.closed_at = "closed", now()


def pulls_of_commit(repository: Repository, sha: str) -> list[Pull]:
    """The pull requests that brought a commit in, or would.

    Rule: on the default branch only merged ones count, elsewhere open ones
    too. Source: https://docs.github.com/en/rest/commits/commits
    (list pull requests associated with a commit)
    """
    git = repository.git
    on_default = git.is_ancestor(sha, f"refs/heads/{git.default_branch()}")
    found = []
    for pull in repository.pulls.values():
        refresh(repository, pull)
        merged = pull.merged_at is not None
        belongs = sha in git.between(pull.base_sha, pull.head_sha)
        if merged and sha == pull.merge_commit_sha:
            belongs = True
        if belongs and (merged or not on_default):
            found.append(pull)
    return found
