"""The stored evidence that an approval rests on: found, verified, and held against what it has to be about."""

from __future__ import annotations

from collections.abc import Awaitable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from gate.adapters.failures import ReadFailed, one_line
from gate.errors import AccessError, UsageError
from gate.evidence.approval import (
    NotApproved,
    Wanted,
    check_each_run_once,
    check_times,
    differences,
    is_check,
    is_enough,
)
from gate.evidence.entries import MOST, Entry, EvidenceStore, read_verified
from gate.evidence.folder import FolderStore
from gate.reasons import Reason

if TYPE_CHECKING:  # PyGithub is slow to import, and a clone does without
    from gate.adapters.github.reading import GitHubRepository
    from gate.evidence.record import EvidenceFile

T = TypeVar("T")


class FileStore(FolderStore):
    """One evidence file as a store: it holds that one, whatever is asked for."""

    def __init__(self, file: Path) -> None:
        super().__init__(file.parent)
        self._file = file
        self.what = one_line(str(file), 200)

    async def list(self, environment: str, *, commit: str | None = None, most: int = MOST) -> tuple[Entry, ...]:
        """The file; one that cannot be understood as what was asked for, so that reading it says why."""
        found = self._entry(self._file)
        if found is None or found.word is None:
            place, run = self._file.name, self._file.stem
            found = Entry(
                environment=environment,
                commit=commit or "",
                run=run,
                recorded_at=None,
                word=None,
                reason="",
                path=place,
            )
        return (found,)[:most]


def stored_at(path: Path) -> EvidenceStore:
    """The store at a path: one evidence file, or a folder of them."""
    return FileStore(path) if path.is_file() else FolderStore(path)


async def find_basis(store: EvidenceStore, wanted: Wanted, repository: GitHubRepository | None) -> EvidenceFile:
    """The newest check of this environment and commit, fit to rest an approval on.

    ``repository`` is asked whether its run has published; None outside of a workflow, where that stays open.
    Raises NotApproved, and AccessError where store or GitHub cannot be read.
    """
    seen = await _read(store, await _list(store, wanted), wanted)
    check_each_run_once(seen)
    basis = next(filter(is_check, seen), None)
    if basis is None:
        raise NotApproved(
            Reason.STORED_EVIDENCE_MISSING,
            f"{store.what} holds approvals and re-checks of {wanted.environment} at {wanted.commit} only, and no check",
        )
    found = list(differences(basis, seen, wanted))
    if not any(reason is Reason.EVIDENCE_NOT_PASSED for reason, _ in found) and repository is not None:
        found += await _unpublished(basis, repository)
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
    return entries


async def _read(store: EvidenceStore, entries: tuple[Entry, ...], wanted: Wanted) -> list[EvidenceFile]:
    """Verdicts that hold, newest first, as far back as they count; and whatever else there is of the same runs.

    What the store cannot tell anything of might be the newest one, and comes first.
    """
    seen: list[EvidenceFile] = []
    for entry in sorted(entries, key=lambda one: one.word is not None):
        if not is_enough(seen, wanted) or any(entry.run == one.run.id for one in seen):
            seen.append(await _verified(store, entry, wanted))
    return seen


async def _verified(store: EvidenceStore, entry: Entry, wanted: Wanted) -> EvidenceFile:
    try:
        evidence = await read_verified(store, entry)
    except AccessError:
        raise
    except UsageError as error:
        raise NotApproved(Reason.EVIDENCE_NOT_VERIFIED, f"{entry.path}: {error.happened.rstrip('.')}") from error
    check_times(evidence, wanted.now)
    return evidence


async def _unpublished(basis: EvidenceFile, repository: GitHubRepository) -> list[tuple[Reason, str]]:
    """The difference where GitHub knows of no success that this run published; else nothing. Raises AccessError."""
    run = basis.run
    if run.repository is None or run.url is None or run.reported_commit is None:
        return [(Reason.EVIDENCE_NOT_PUBLISHED, f"run {run.id} was not one of a workflow")]
    if run.repository.lower() != repository.name.lower():
        return [(Reason.EVIDENCE_NOT_PUBLISHED, f"run {run.id} was one of {run.repository}, not of {repository.name}")]
    from gate.adapters.github.approving import said_success

    context = f"gate/{basis.verdict.environment}"
    if await asked(said_success(repository, run.reported_commit, context, run.url)):
        return []
    message = f"{run.reported_commit} has no success of {context} by run {run.id} ({run.url})"
    return [(Reason.EVIDENCE_NOT_PUBLISHED, message)]


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
