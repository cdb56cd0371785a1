"""Deciding again from what an evidence file has recorded: its verdict has to follow. Pure."""

from typing import Any

from pydantic import ValidationError

from gate.config.digest import environment_digest
from gate.evidence.moments import moment_of
from gate.evidence.record import EvidenceFile, canonical, refused
from gate.evidence.recorder import merged
from gate.facts.bundle import Asked
from gate.judge import Judge
from gate.outcomes import VerdictWord
from gate.verdict import Verdict

ENDED = (VerdictWord.COULD_NOT_RUN, VerdictWord.CANCELLED, VerdictWord.INTERNAL_ERROR)
"""Verdicts that no evidence gives: the run ended otherwise, and says so."""

_SAID_BY_THE_RUN = ("word", "reason", "message", "final", "failed_layer", "at")


def asked_of(evidence: EvidenceFile) -> Asked:
    """What was asked. Raises EvidenceRefused where the settings are none, or not those of the digest."""
    try:
        settings = evidence.environment
    except ValidationError as error:
        raise refused("The evidence file's settings cannot be read") from error
    digest = evidence.asked.settings_digest
    if not evidence.asked.hidden and environment_digest(settings) != digest:
        raise refused("The evidence file's settings are not those of its settings-digest")
    verdict = evidence.verdict
    return Asked(verdict.intended, verdict.environment, settings, evidence.asked.deadline_at)


def redecide(evidence: EvidenceFile) -> Verdict:
    """The verdict that follows from the recorded looks.

    Raises EvidenceRefused where they cannot be judged, or go on behind a final verdict.
    """
    asked = asked_of(evidence)
    objects = dict(enumerate(evidence.objects))
    judge, verdict = Judge(asked), None
    for number, poll in enumerate(evidence.polls):
        if verdict is not None and verdict.final:
            raise refused(f"The evidence file's verdict is final at polls[{number - 1}], and more follow")
        if number == 1 and evidence.cut is not None:
            judge = Judge(asked, merged(judge.git, evidence.cut.git), evidence.cut.memory)
        judge.git = merged(judge.git, poll.git)
        try:
            verdict = judge.consider(moment_of(poll, objects))
        except (KeyError, ValueError, OverflowError) as error:
            raise refused(f"The evidence file's polls[{number}] cannot be judged") from error
    if verdict is None:
        raise refused("The evidence file holds nothing to judge")
    return verdict


def _as_ended(verdict: Verdict, ended: Verdict) -> Verdict:
    return verdict.model_copy(update={name: getattr(ended, name) for name in _SAID_BY_THE_RUN})


def follow(evidence: EvidenceFile) -> Verdict | None:
    """The verdict that the file has to hold; None where nothing was judged before the run ended."""
    if len(evidence.polls) == 0 and evidence.verdict.word in ENDED and len(evidence.verdict.layers) == 0:
        return None
    verdict = redecide(evidence)
    return _as_ended(verdict, evidence.verdict) if evidence.verdict.word in ENDED else verdict


def _difference(ours: Any, theirs: Any, where: str = "verdict") -> str | None:
    """Where two pieces of plain data differ first; None when they do not."""
    if isinstance(ours, dict) and isinstance(theirs, dict) and set(ours) == set(theirs):
        found = (_difference(ours[key], theirs[key], f"{where}.{key}") for key in ours)
        return next((one for one in found if one is not None), None)
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        both = enumerate(zip(ours, theirs, strict=True))
        found = (_difference(one, other, f"{where}[{number}]") for number, (one, other) in both)
        return next((one for one in found if one is not None), None)
    return None if canonical({"": ours}) == canonical({"": theirs}) else where


def check_verdict(evidence: EvidenceFile) -> bool:
    """Whether there was something to decide again. Raises EvidenceRefused where the file's verdict does not follow."""
    asked_of(evidence)
    verdict = follow(evidence)
    if verdict is None:
        return False
    ours, theirs = (one.model_dump(mode="json", by_alias=True) for one in (verdict, evidence.verdict))
    where = _difference(ours, theirs)
    if where is not None:
        raise refused(f"The evidence file's {where} does not follow from its recorded facts")
    return True
