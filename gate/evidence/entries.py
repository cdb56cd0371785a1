"""Stored evidence: what a store lists, and one file of it read and verified."""

from collections.abc import Iterable
from datetime import datetime
from typing import Protocol

from gate.errors import UsageError
from gate.evidence.documents import load_documents
from gate.evidence.record import Digest, EvidenceFile, EvidenceRefused, is_evidence, parse_evidence, refused
from gate.evidence.redecide import check_verdict
from gate.observed import Frozen
from gate.outcomes import VerdictWord

MOST = 1000
"""Verdicts that a store lists at most, newest first."""


class Entry(Frozen):
    """One stored verdict as its store lists it, which proves nothing: the file itself has to be read.

    ``commit`` is the intended commit, "" where the run ended before it was known. ``path`` is the file's place
    in the store. None, and a ``reason`` of "", stand for what the store cannot tell. ``digest`` is what the
    file's had to be when it was stored, where the store keeps that beside the file.
    """

    environment: str
    commit: str
    run: str
    recorded_at: datetime | None
    word: VerdictWord | None
    reason: str
    path: str
    digest: Digest | None = None


def newest_first(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Entries by when they were recorded, however they were stored; those that tell nothing of it come last."""
    every = tuple(entries)
    dated = ((one.recorded_at, one) for one in every if one.recorded_at is not None)
    newest = sorted(dated, key=lambda pair: pair[0], reverse=True)
    return (*(one for _, one in newest), *(one for one in every if one.recorded_at is None))


class EvidenceStore(Protocol):
    """Where evidence is kept."""

    @property
    def what(self) -> str:
        """How messages call it."""
        ...

    async def list(self, environment: str, *, commit: str | None = None, most: int = MOST) -> tuple[Entry, ...]:
        """Verdicts of an environment, newest first, at most ``most``; of one intended commit where it is given.

        Raises UsageError where there is no such store, AccessError where it cannot be read.
        """
        ...

    async def read(self, entry: Entry) -> str:
        """The text of one file, exactly as it is stored. Raises AccessError where it cannot be read."""
        ...


def parse_text(text: str, where: str) -> EvidenceFile:
    """The one evidence file of a text. Raises UsageError where there is none, EvidenceRefused for a damaged one."""
    documents = load_documents(text, where)
    if len(documents) != 1 or not is_evidence(documents[0]):
        raise UsageError(f"{where} is no evidence file.", change="give a file that `gate check` wrote below evidence/")
    return parse_evidence(documents[0])


def verify_text(text: str, where: str) -> EvidenceFile:
    """The one evidence file of a text, which is whole, and whose verdict follows. Raises as ``parse_text``."""
    evidence = parse_text(text, where)
    check_verdict(evidence)
    return evidence


async def read_verified(store: EvidenceStore, entry: Entry) -> EvidenceFile:
    """The evidence file of an entry, which is whole, whose verdict follows, and which is what it was stored as.

    Raises EvidenceRefused where it is not, UsageError where it is no evidence file, AccessError.
    """
    evidence = verify_text(await store.read(entry), f"{entry.path} of {store.what}")
    verdict = evidence.verdict
    if (verdict.environment, verdict.intended) != (entry.environment, entry.commit):
        raise refused(
            f"{entry.path} of {store.what} is the evidence of another verdict: {verdict.environment} at "
            f"{verdict.intended or 'no commit'}"
        )
    if entry.digest is not None and evidence.digest != entry.digest:
        raise EvidenceRefused(
            f"{entry.path} of {store.what} is not the file that was stored: its digest is {evidence.digest}, and was "
            f"{entry.digest}.",
            means="somebody changed it on the branch and made its digest anew.",
            change="take the file from the commit that stored it, or from the artifact of its run.",
        )
    return evidence
