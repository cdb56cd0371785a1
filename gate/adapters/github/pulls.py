"""Which pull request a commit belongs to: asked of the input, the event, the message, the index."""

import re
from collections.abc import Sequence
from typing import Any

from gate.adapters.failures import ReadFailed
from gate.adapters.github.answer import Refused
from gate.adapters.github.models import JsonPull, PullRequest, PullRequestFound, parse_json, pull_request
from gate.adapters.github.reading import GitHubRepository

# GitHub's index of commits is behind by tens of seconds after a merge and answers an empty list.
INDEX_WAITS: tuple[float, ...] = (0, 2, 4, 8, 16)

_SQUASHED = re.compile(r"\(#(\d{1,9})\)\s*$")
_MERGED = re.compile(r"Merge pull request #(\d{1,9}) from ")


async def find_pull_request(
    repository: GitHubRepository,
    *,
    commit: str,
    given: int | None = None,
    from_event: int | None = None,
    message: str = "",
    base: str | None = None,
    waits: Sequence[float] = INDEX_WAITS,
    deadline: float | None = None,
) -> PullRequestFound:
    """The one pull request that ``commit`` (a full id) belongs to, if there is exactly one.

    A number given as an input wins, then the event's. Then the number in the commit's ``message``,
    if that pull request was merged as this very commit. Then GitHub's index, asked again after each
    of ``waits`` (seconds) while it names none: the pull request merged as this commit, else the open
    one with this head (and branch ``base`` as its target, where given). No failure is raised: it is
    a note, for a verdict does not depend on a comment.
    """
    if given is not None:
        return PullRequestFound(number=given, how="input")
    if from_event is not None:
        return PullRequestFound(number=from_event, how="event")
    try:
        named = await _named_in_message(repository, commit, message, deadline)
        if named is not None:
            return PullRequestFound(number=named, how="message")
        return await _indexed(repository, commit, base, waits, deadline)
    except Refused as refused:
        hint = "the token is wrong or has expired" if refused.status == 401 else "the token needs pull-requests: read"
        return _none(f"GitHub refused to name it (HTTP {refused.status}); {hint}")
    except ReadFailed as failure:
        return _none(f"GitHub could not be asked: {failure.error}")


async def read_pull(repository: GitHubRepository, number: int, deadline: float | None = None) -> PullRequest:
    """A pull request as it is now. Raises Refused and ReadFailed."""
    what = f"pull request #{number} of {repository.name}"
    answer = await repository.client.send("GET", f"{repository.path}/pulls/{number}", what=what, deadline=deadline)
    return pull_request(parse_json(JsonPull, answer.body, what))


async def read_newer_head(repository: GitHubRepository, number: int, commit: str) -> str | None:
    """The head of a pull request whose head was ``commit``; None where it still is, or that cannot be read."""
    try:
        head = (await read_pull(repository, number)).head
    except (Refused, ReadFailed):
        return None
    return None if head == commit else head


async def list_open_pulls(repository: GitHubRepository, base: str) -> list[PullRequest]:
    """The open pull requests into a branch (its plain name). Raises Refused and ReadFailed."""
    what = f"open pull requests into {base} of {repository.name}"
    items = await repository.client.pages(
        f"{repository.path}/pulls", what=what, query={"state": "open", "base": base, "direction": "asc"}
    )
    pulls = {pull.number: pull for pull in (pull_request(parse_json(JsonPull, item, what)) for item in items)}
    return [pulls[number] for number in sorted(pulls)]


def number_in(message: str) -> int | None:
    """The number GitHub writes into the first line of a merge or squash commit."""
    first, _, _ = message.partition("\n")
    found = _MERGED.match(first) or _SQUASHED.search(first)
    return None if found is None else int(found[1])


async def _named_in_message(
    repository: GitHubRepository, commit: str, message: str, deadline: float | None
) -> int | None:
    number = number_in(message)
    if number is None:
        return None
    try:
        pull = await read_pull(repository, number, deadline)
    except Refused as refused:
        if refused.status == 404:
            return None  # anybody can write a number into a message
        raise
    return number if merged_as(pull, commit) else None


async def _indexed(
    repository: GitHubRepository, commit: str, base: str | None, waits: Sequence[float], deadline: float | None
) -> PullRequestFound:
    patience = repository.client.patience
    for wait in waits:
        if deadline is not None and patience.clock() + wait >= deadline:
            break
        if wait > 0:
            await patience.sleep(wait)
        pulls = await _ask_index(repository, commit, deadline)
        if pulls:
            return choose(pulls, commit=commit, repository=repository.name, base=base)
    return _none("GitHub names none for this commit")


async def _ask_index(repository: GitHubRepository, commit: str, deadline: float | None) -> list[PullRequest]:
    what = f"pull requests of commit {commit} of {repository.name}"
    try:
        items: list[Any] = await repository.client.pages(
            f"{repository.path}/commits/{commit}/pulls", what=what, deadline=deadline
        )
    except Refused as refused:
        if refused.status in (404, 422):
            return []  # so it answers, too, for a commit it has not taken in yet
        raise
    return [pull_request(parse_json(JsonPull, item, what)) for item in items]


def choose(pulls: Sequence[PullRequest], *, commit: str, repository: str, base: str | None) -> PullRequestFound:
    """The pull request merged as this commit, else the open one with this head; never one of two."""
    merged = [pull for pull in pulls if merged_as(pull, commit)]
    heads = [
        pull
        for pull in pulls
        if pull.state == "open"
        and pull.head == commit
        and (pull.head_repository or "").lower() == repository.lower()
        and base in (None, pull.base_branch)
    ]
    fitting = merged or heads
    if len(fitting) == 1:
        return PullRequestFound(number=fitting[0].number, how="index")
    if not fitting:
        return _none("none of the pull requests with this commit was merged as it or ends with it")
    numbers = ", ".join(f"#{pull.number}" for pull in sorted(fitting, key=lambda pull: pull.number))
    return _none(f"{numbers} fit equally well")


def merged_as(pull: PullRequest, commit: str) -> bool:
    """Whether merging this pull request made this commit the tip of its base."""
    return pull.merged_at is not None and pull.merge_commit == commit


def _none(why: str) -> PullRequestFound:
    return PullRequestFound(number=None, how="nowhere", note=f"No pull request to comment on: {why}.")
