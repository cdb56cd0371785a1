"""The stored evidence that an approval rests on: found, verified, and held against what it has to be about."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from gate.adapters.failures import ReadFailed
from gate.errors import AccessError, UsageError
from gate.evidence.approval import NotApproved, check_each_run_once, check_times, differences, find_check, is_enough
from gate.evidence.entries import Entry, EvidenceStore, newest_first, read_verified
from gate.evidence.soak import SKEW, Wanted
from gate.reasons import Reason
from gate.render.words import full_time

if TYPE_CHECKING:  # PyGithub is slow to import, and a clone does without
    from gate.adapters.github.reading import GitHubRepository
    from gate.evidence.record import EvidenceFile

T = TypeVar("T")


async def find_basis(store: EvidenceStore, wanted: Wanted, repository: GitHubRepository | None) -> EvidenceFile:
    """The newest check of this environment and commit, fit to rest an approval on.

    ``repository`` is asked what became of its run; None outside of a workflow, where that stays open.
    Raises NotApproved, and AccessError where store or GitHub cannot be read.
    """
    seen = await _read(store, await _list(store, wanted), wanted)
    check_each_run_once(seen)
    basis = find_check(seen, wanted)
    if basis is None:
        raise NotApproved(
            Reason.STORED_EVIDENCE_MISSING,
            f"{store.what} holds approvals and re-checks of {wanted.environment} at {wanted.commit} only, and no check",
        )
    said = Published() if repository is None else await _published(basis, repository, wanted)
    found = list(differences(basis, seen, wanted, said.lost))
    if not any(reason is Reason.EVIDENCE_NOT_PASSED for reason, _ in found):
        found += said.against
    if found:
        raise NotApproved(found[0][0], "; also: ".join(message for _, message in found))
    return basis


async def _list(store: EvidenceStore, wanted: Wanted) -> tuple[Entry, ...]:
    """The entries of the commit, newest first. Raises NotApproved where there are none."""
    try:
        entries = await store.list(wanted.environment, commit=wanted.commit)
        others = () if entries else await store.list(wanted.environment, most=1)
    except AccessError:
        raise
    except UsageError as error:
        raise NotApproved(Reason.STORED_EVIDENCE_MISSING, error.happened.rstrip(".")) from error
    other = next((one for one in (*entries, *others) if one.environment != wanted.environment), None)
    if other is not None:
        raise NotApproved(
            Reason.EVIDENCE_OF_ANOTHER_ENVIRONMENT,
            f"{store.what} is about {other.environment or 'no environment'}; expected {wanted.environment}",
        )
    other = next((one for one in (*others, *entries) if one.commit != wanted.commit), None)
    if other is not None:
        raise NotApproved(
            Reason.EVIDENCE_OF_ANOTHER_COMMIT,
            f"{store.what} tells of {wanted.environment} at {other.commit or 'no commit'}; expected {wanted.commit}",
        )
    if not entries:
        raise NotApproved(
            Reason.STORED_EVIDENCE_MISSING, f"{store.what} holds no evidence of {wanted.environment} at {wanted.commit}"
        )
    if wanted.soak is None:
        return entries
    around = await store.list(wanted.environment)
    return newest_first(dict.fromkeys((*entries, *around)))


async def _read(store: EvidenceStore, entries: tuple[Entry, ...], wanted: Wanted) -> list[EvidenceFile]:
    """Verdicts that hold, newest first, as far back as they count; and whatever else there is of the same runs.

    What the store cannot tell anything of might be the newest one, and comes first. A verdict is recorded later
    than it was given, so that one which was recorded before another may be the newer of the two.
    """
    seen: list[EvidenceFile] = []
    for entry in sorted(entries, key=lambda one: one.word is not None):
        if _changes_nothing(entry, seen) and is_enough(seen, wanted):
            continue
        seen.append(await _verified(store, entry, wanted))
        seen.sort(key=lambda one: one.verdict.at, reverse=True)
    return seen


def _changes_nothing(entry: Entry, seen: list[EvidenceFile]) -> bool:
    """Whether the entry is older than all that was seen, and of none of the same runs."""
    if any(entry.run == one.run.id for one in seen):
        return False
    return entry.recorded_at is None or all(entry.recorded_at + SKEW < one.verdict.at for one in seen)


async def _verified(store: EvidenceStore, entry: Entry, wanted: Wanted) -> EvidenceFile:
    try:
        evidence = await read_verified(store, entry)
    except AccessError:
        raise
    except UsageError as error:
        raise NotApproved(Reason.EVIDENCE_NOT_VERIFIED, f"{entry.path}: {error.happened.rstrip('.')}") from error
    check_times(evidence, wanted.now)
    return evidence


@dataclass(frozen=True)
class Published:
    """What GitHub has of the run behind the evidence: what speaks ``against`` an approval by it.

    ``lost`` is when it last heard of a verdict on the same commit that is none of a pass.
    """

    against: tuple[tuple[Reason, str], ...] = ()
    lost: datetime | None = None


async def _published(basis: EvidenceFile, repository: GitHubRepository, wanted: Wanted) -> Published:
    """What the statuses on the run's commit say. Raises AccessError."""
    run = basis.run
    if run.repository is None or run.url is None or run.reported_commit is None:
        return _not_published(f"run {run.id} was not one of a workflow")
    if run.repository.lower() != repository.name.lower():
        return _not_published(f"run {run.id} was one of {run.repository}, not of {repository.name}")
    from gate.adapters.github.approving import read_said

    commit, context = run.reported_commit, f"gate/{basis.verdict.environment}"
    said = await asked(read_said(repository, commit, context))
    # A page that is not https stands in no status.
    if ("success", run.url if run.url.startswith("https://") else None) not in (
        (one.state, one.run_url) for one in said
    ):
        return _not_published(f"{commit} has no success of {context} by run {run.id} ({run.url})")
    if commit == wanted.head:  # this approval and those before it speak there too
        return Published()
    ended = [one for one in said if one.state != "pending"]
    lost = max((one.at for one in ended if one.state != "success"), default=None)
    newest = ended[0]
    if newest.state == "success":
        return Published(lost=lost)
    by = "a run without a page" if newest.run_url is None else newest.run_url
    message = f"GitHub has a newer {newest.state} of {context} on {commit}, of {full_time(newest.at)} by {by}"
    return Published(((Reason.EVIDENCE_NOT_PASSED, f"{message}, and no evidence of it is stored"),), lost)


def _not_published(message: str) -> Published:
    return Published(((Reason.EVIDENCE_NOT_PUBLISHED, message),))


async def asked(question: Awaitable[T]) -> T:
    """GitHub's answer. Raises AccessError where there is none."""
    from gate.adapters.github.answer import Refused

    try:
        return await question
    except Refused as refused:
        raise AccessError(
            f"GitHub did not tell of {refused.what}: HTTP {refused.status}.",
            means="the token may not read it.",
            change="grant the job statuses: write and pull-requests: write.",
        ) from refused
    except ReadFailed as failure:
        raise AccessError(
            f"GitHub did not tell of {failure.what}: {failure.error}.", change="run it again."
        ) from failure
