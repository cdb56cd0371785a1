"""What each kind of event says of the commit, branches and pull request it is about. Pure.

For pull requests the commit is the head: ``GITHUB_SHA`` names the test merge there, on which GitHub
counts no status. An event that is not known says nothing.
"""

import re
from collections.abc import Mapping
from typing import TypeVar

from gate.config.payload import Payload, PullRequestPart
from gate.config.problems import printable
from gate.errors import UsageError
from gate.observed import Frozen

T = TypeVar("T")

FULL_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NO_COMMIT = re.compile(r"0+")
_QUEUE_HEAD = re.compile(r"gh-readonly-queue/.+/pr-([1-9][0-9]{0,8})-(?:[0-9a-f]{40}|[0-9a-f]{64})")
_AT_THE_DEFAULT_TIP = frozenset({"repository_dispatch", "schedule"})


class About(Frozen):
    """What an event says of itself.

    ``commit`` is a full id, None where the event names none. ``head`` and ``base`` are branches.
    ``of_pull_request`` says that the commit may come from a pull request, ``on_default`` that it is one of
    the default branch: of any other it is not known who has looked at it.
    """

    commit: str | None = None
    base: str | None = None
    head: str | None = None
    number: int | None = None
    is_fork: bool = False
    of_pull_request: bool = False
    on_default: bool = False


def about_event(event: str, payload: Payload, environment: Mapping[str, str]) -> About:
    """What this event says; raises UsageError where it lacks what such an event has."""
    if event == "push":
        return _push(payload)
    if event.startswith("pull_request"):
        return _pull_request(event, _required(payload.pull_request, event, "pull_request"))
    if event == "merge_group":
        return _merge_group(payload)
    if event == "workflow_run":
        return _workflow_run(payload)
    if event in ("deployment", "deployment_status"):
        deployment = _required(payload.deployment, event, "deployment")
        return About(commit=full_id(deployment.sha, event, "deployment.sha"))
    if event == "workflow_dispatch" or event in _AT_THE_DEFAULT_TIP:
        tip = full_id(environment.get("GITHUB_SHA", ""), event, "GITHUB_SHA")
        head = _branch(environment.get("GITHUB_REF", ""))
        return About(commit=tip, head=head, on_default=event in _AT_THE_DEFAULT_TIP or is_default(payload, head))
    return About()


def full_id(text: str, event: str, field: str) -> str:
    """A full commit id as it was; raises UsageError that names the field."""
    if FULL_ID.fullmatch(text) is None:
        raise bad_event(f"{field} of the event {printable(event)} is {printable(text)!r}, which is no full commit id.")
    return text


def bad_event(happened: str) -> UsageError:
    """The error for an event that is not as GitHub sends it."""
    return UsageError(
        happened,
        means="the gate does not run as an action, or something replaced the runner's variables or event file.",
        change="run it as a step of a workflow; elsewhere use gate check --no-publish.",
    )


def is_default(payload: Payload, branch: str | None) -> bool:
    """Whether this branch of the event's repository is its default branch; False where that is not known."""
    return branch is not None and payload.repository is not None and branch == payload.repository.default_branch


def _required(value: T | None, event: str, field: str) -> T:
    if value is None:
        raise bad_event(f"The payload of the event {printable(event)} has no {field}.")
    return value


def _branch(ref: str) -> str | None:
    """The branch behind a full ref; None for tags and everything else."""
    return ref.removeprefix("refs/heads/") if ref.startswith("refs/heads/") else None


def _push(payload: Payload) -> About:
    after, ref = _required(payload.after, "push", "after"), _required(payload.ref, "push", "ref")
    if payload.deleted or _NO_COMMIT.fullmatch(after) is not None:
        raise UsageError(
            "The push deleted a branch or tag, so there is no commit to judge.",
            change="leave deletions out, with if: ${{ !github.event.deleted }} on the job.",
        )
    # An annotated tag is an object of its own; the commit behind it stands beside.
    if ref.startswith("refs/tags/") and payload.head_commit is not None:
        after = payload.head_commit.id
    branch = _branch(ref)
    commit = full_id(after, "push", "after")
    return About(commit=commit, base=branch, head=branch, on_default=is_default(payload, branch))


def _pull_request(event: str, pull: PullRequestPart) -> About:
    ours, theirs = _required(pull.base.repo, event, "pull_request.base.repo"), pull.head.repo
    return About(
        commit=full_id(pull.head.sha, event, "pull_request.head.sha"),
        base=pull.base.ref,
        head=pull.head.ref,
        number=pull.number,
        # Not by its flag "fork", which says whether a repository is one; that of a deleted fork is null.
        is_fork=theirs is None or theirs.id != ours.id,
        of_pull_request=True,
    )


def _merge_group(payload: Payload) -> About:
    group = _required(payload.merge_group, "merge_group", "merge_group")
    head = _branch(group.head_ref)
    found = None if head is None else _QUEUE_HEAD.fullmatch(head)
    return About(
        commit=full_id(group.head_sha, "merge_group", "merge_group.head_sha"),
        base=_required(_branch(group.base_ref), "merge_group", "branch in merge_group.base_ref"),
        head=head,
        number=None if found is None else int(found[1]),
        of_pull_request=True,
    )


def _workflow_run(payload: Payload) -> About:
    run = _required(payload.workflow_run, "workflow_run", "workflow_run")
    ours = _required(payload.repository, "workflow_run", "repository")
    # Pull requests of forks are not listed, those of other repositories may be.
    pulls = [pull for pull in run.pull_requests if pull.base.repo is not None and pull.base.repo.id == ours.id]
    only = pulls[0] if len(pulls) == 1 else None
    is_fork = run.head_repository is None or run.head_repository.id != ours.id
    return About(
        commit=full_id(run.head_sha, "workflow_run", "workflow_run.head_sha"),
        base=None if only is None else only.base.ref,
        head=run.head_branch,
        number=None if only is None else only.number,
        is_fork=is_fork,
        of_pull_request=is_fork or run.event != "push",
        # Not even with the default branch's name: that may be a tag's.
    )
