"""Merging pull requests: what stands in the way, and the three ways of doing it."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from gate.lab.github import rules
from gate.lab.github.exchange import ApiError
from gate.lab.github.git import Git, GitError
from gate.lab.github.history import read_commit
from gate.lab.github.identity import Identity
from gate.lab.github.objects import commit_tree
from gate.lab.github.pulls import close_merged, refresh
from gate.lab.github.state import Pull, Repository


class MergeRefused(ApiError):
    """405: this pull request cannot be merged now."""

    def __init__(self, message: str) -> None:
        super().__init__(HTTPStatus.METHOD_NOT_ALLOWED, message)


def is_behind(repository: Repository, pull: Pull) -> bool:
    """Whether the base has commits that the head has not, where that matters.

    Rule: with the strict policy the required checks of a head that is behind
    count as expected, however green. Source: RakuenSoftware/aimee#2460.
    """
    strict = rules.is_strict(repository.rules.get(pull.base, []))
    return strict and not repository.git.is_ancestor(pull.base_sha, pull.head_sha)


def obstacle(repository: Repository, pull: Pull, by: Identity, *, queued: bool = False) -> str:
    """What the rules say against merging into the base; empty where nothing.

    A merge queue brings the head up to date itself, and is the one way in where it is required.
    """
    binding = rules.rules_for(repository, pull.base, by)
    contexts = [check["context"] for check in rules.required_checks(binding)]
    missing = rules.missing_checks(repository, binding, pull.head_sha)
    if not queued and rules.is_strict(binding) and is_behind(repository, pull):
        missing = contexts
    said = rules.expected(missing, len(contexts))
    if not said and not queued and any(rule["type"] == "merge_queue" for rule in binding):
        return f"{rules.VIOLATIONS}\n\nChanges must be made through the merge queue\n\n"
    return said


def refuse_unmergeable(pull: Pull) -> None:
    """A closed, draft or conflicting pull request merges nowhere."""
    if pull.state != "open" or pull.draft or pull.merge_commit_sha is None:
        raise MergeRefused("Pull Request is not mergeable")


def merge_pull(repository: Repository, pull: Pull, by: Identity, *, method: str = "merge", sha: str = "") -> Pull:
    """Merge by `merge`, `squash` or `rebase`.

    Rule: a head that is not `sha` is 409. Source:
    https://docs.github.com/en/rest/pulls/pulls#merge-a-pull-request
    """
    refresh(repository, pull)
    if sha and sha != pull.head_sha:
        raise ApiError(HTTPStatus.CONFLICT, "Head branch was modified. Review and try the merge again.")
    said = obstacle(repository, pull, by)
    if said:
        raise MergeRefused(said)
    refuse_unmergeable(pull)
    result = merged_commit(repository.git, pull, by, method, onto=pull.base_sha)
    repository.git.set_ref(f"refs/heads/{pull.base}", result, pull.base_sha)
    if method != "rebase":  # GitHub signs what it commits itself; rebased commits it does not
        repository.verified.add(result)
    return close_merged(pull, result, by)


def merged_commit(git: Git, pull: Pull, by: Identity, method: str, *, onto: str) -> str:
    """The new tip of the base; raises `MergeRefused` for what does not fit on `onto`."""
    if method == "rebase":
        return _rebased(git, pull, by, onto)
    tree = merged_tree(git, onto, pull.head_sha)
    if tree is None:
        raise MergeRefused("Pull Request is not mergeable")
    if method == "squash":
        return commit_tree(git, tree, [onto], f"{pull.title} (#{pull.number})", by)
    subject = f"Merge pull request #{pull.number} from {pull.owner}/{pull.head}\n\n{pull.title}"
    return commit_tree(git, tree, [onto, pull.head_sha], subject, by)


def merged_tree(git: Git, one: str, other: str) -> str | None:
    """The tree of two commits merged, None where they conflict."""
    try:
        return git.text("merge-tree", "--write-tree", one, other).split("\n")[0]
    except GitError:
        return None


def _picked_tree(git: Git, sha: str, parent: str, onto: str, by: Identity) -> str | None:
    """The tree of what a commit changes, applied to another; None where they conflict."""
    tree = git.text("rev-parse", f"{onto}^{{tree}}")
    return merged_tree(git, commit_tree(git, tree, [parent], "", by), sha)


def _rebased(git: Git, pull: Pull, by: Identity, onto: str) -> str:
    """Each commit again on the base: authors stay, ids never do.

    Source: https://docs.github.com/en/pull-requests (about merge methods, rebase and merge)
    """
    tip = onto
    for sha in reversed(git.between(onto, pull.head_sha)):
        found = read_commit(git, sha)
        tree = None if len(found.parents) != 1 else _picked_tree(git, sha, found.parents[0], tip, by)
        if tree is None:
            raise MergeRefused("This branch can't be rebased")
        author: dict[str, Any] = {
            "name": found.author.name, "email": found.author.email, "date": found.author.date,
        }  # fmt: skip
        committer = {"name": by.login, "email": f"{by.id}+{by.login}@users.noreply.github.com"}
        tip = commit_tree(git, tree, [tip], found.message, by, author=author, committer=committer)
    return tip


def update_branch(repository: Repository, pull: Pull, by: Identity, expected_head: str = "") -> Pull:
    """Merge the base into the head, so that it is up to date.

    Rule: another head than expected, and a conflict, are 422. Source:
    https://docs.github.com/en/rest/pulls/pulls#update-a-pull-request-branch
    """
    refresh(repository, pull)
    if expected_head and expected_head != pull.head_sha:
        raise ApiError(HTTPStatus.UNPROCESSABLE_ENTITY, "expected_head_sha didn't match current head ref.")
    git = repository.git
    tree = merged_tree(git, pull.head_sha, pull.base_sha)
    if tree is None:
        raise ApiError(HTTPStatus.UNPROCESSABLE_ENTITY, "merge conflict between base and head")
    if git.is_ancestor(pull.base_sha, pull.head_sha):
        message = "There are no new commits on the base branch."
        raise ApiError(HTTPStatus.UNPROCESSABLE_ENTITY, message)
    message = f"Merge branch '{pull.base}' into {pull.head}"
    made = commit_tree(git, tree, [pull.head_sha, pull.base_sha], message, by)
    git.set_ref(f"refs/heads/{pull.head}", made, pull.head_sha)
    repository.verified.add(made)
    return refresh(repository, pull)
