"""The merge queue of a branch: groups of commits that are tried before they become the branch.

Source: https://docs.github.com/en/pull-requests (merging a pull request with a merge queue) and
https://docs.github.com/en/repositories (managing a merge queue).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gate.lab.github import rules
from gate.lab.github.identity import Identity
from gate.lab.github.merging import MergeRefused, merged_commit, obstacle, refuse_unmergeable
from gate.lab.github.pulls import close_merged, refresh
from gate.lab.github.state import Pull, QueueEntry, Repository

METHODS = {"MERGE": "merge", "SQUASH": "squash", "REBASE": "rebase"}


@dataclass(frozen=True)
class Left:
    """An entry that is in the queue no more, and why (the word of the event `merge_group`, destroyed)."""

    entry: QueueEntry
    reason: Literal["merged", "invalidated", "dequeued"]


def rule(timeout_minutes: int = 60, method: str = "MERGE") -> dict[str, object]:
    """A merge queue as a rule: an answer is due within 1 to 360 minutes."""
    return {
        "type": "merge_queue",
        "parameters": {
            "check_response_timeout_minutes": timeout_minutes,
            "grouping_strategy": "ALLGREEN",
            "max_entries_to_build": 5,
            "max_entries_to_merge": 5,
            "merge_method": method,
            "min_entries_to_merge": 1,
            "min_entries_to_merge_wait_minutes": 5,
        },
    }


def enqueue(repository: Repository, pull: Pull, by: Identity) -> QueueEntry:
    """Put a pull request at the end of the queue and build its group.

    Rule: every requirement of the branch has to be met first, except that the
    head need not be up to date. The group stands on
    refs/heads/gh-readonly-queue/<base>/pr-<N>-<sha it is built on>
    (examples of octokit/webhooks).
    """
    refresh(repository, pull)
    if not any(one["type"] == "merge_queue" for one in repository.rules.get(pull.base, [])):
        raise MergeRefused("Merge queue is not enabled")
    if any(entry.number == pull.number for entry in repository.queue):
        raise MergeRefused("Pull request is already queued to merge")
    said = obstacle(repository, pull, by, queued=True)
    if said:
        raise MergeRefused(said)
    refuse_unmergeable(pull)
    return _build(repository, pull, by)


def settle(repository: Repository, base: str) -> list[Left]:
    """Merge the entries at the front that are green, drop those that are red, rebuild what stood behind them."""
    left: list[Left] = []
    while entry := next((one for one in repository.queue if one.base == base), None):
        binding = repository.rules.get(base, [])
        states = {status.context.lower(): status.state for status in repository.latest_statuses(entry.head_sha)}
        if not rules.missing_checks(repository, binding, entry.head_sha):
            left.append(_merge(repository, entry))
        elif any(states.get(one["context"].lower()) in ("failure", "error") for one in rules.required_checks(binding)):
            left += remove(repository, entry.number)
        else:
            break
    return left


def remove(repository: Repository, number: int) -> list[Left]:
    """Take an entry out, as a failed or late answer does; those behind it are built anew without it."""
    place = next((index for index, entry in enumerate(repository.queue) if entry.number == number), None)
    if place is None:
        return []
    gone, *behind = repository.queue[place:]
    del repository.queue[place:]
    repository.git.delete_ref(gone.head_ref)
    left = [Left(gone, "dequeued")]
    for entry in behind:
        if entry.base != gone.base:
            repository.queue.append(entry)
            continue
        repository.git.delete_ref(entry.head_ref)
        left.append(Left(entry, "invalidated"))
        _build(repository, repository.pulls[entry.number], entry.by)
    return left


def _build(repository: Repository, pull: Pull, by: Identity) -> QueueEntry:
    """The group of a pull request: on the group before it, else on the branch."""
    before = [entry.head_sha for entry in repository.queue if entry.base == pull.base]
    onto = before[-1] if before else pull.base_sha
    [parameters] = [one["parameters"] for one in repository.rules[pull.base] if one["type"] == "merge_queue"]
    head = merged_commit(repository.git, pull, by, METHODS[parameters["merge_method"]], onto=onto)
    repository.verified.add(head)
    ref = f"refs/heads/gh-readonly-queue/{pull.base}/pr-{pull.number}-{onto}"
    repository.git.run("update-ref", ref, head)
    entry = QueueEntry(pull.number, by, pull.base, onto, head, ref)
    repository.queue.append(entry)
    return entry


def _merge(repository: Repository, entry: QueueEntry) -> Left:
    """The branch becomes the group's commit itself."""
    repository.queue.remove(entry)
    repository.git.set_ref(f"refs/heads/{entry.base}", entry.head_sha, entry.base_sha)
    repository.git.delete_ref(entry.head_ref)
    close_merged(repository.pulls[entry.number], entry.head_sha, entry.by)
    return Left(entry, "merged")
