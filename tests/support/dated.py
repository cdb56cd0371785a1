"""Verdicts of one environment by minutes after noon, and what an approval asks of them."""

from datetime import UTC, datetime, timedelta
from typing import Any

from gate.config.duration import parse_age
from gate.evidence.record import EvidenceFile, with_digest
from gate.evidence.soak import Wanted
from gate.outcomes import VerdictWord
from tests.support import situations
from tests.support.bundles import OLD
from tests.support.kept import evidence

PASSED, FAILED = evidence(), evidence(situations.broken())
MINUTE = timedelta(minutes=1)


def at(minutes: float, one: EvidenceFile = PASSED, *, run: str | None = None, **facts: Any) -> EvidenceFile:
    """The verdict as it is given so many minutes after noon by a run of its own."""
    when = datetime(2026, 5, 4, 12, tzinfo=UTC) + minutes * MINUTE
    told = one.run.model_copy(update={"id": run or f"{minutes:g}-1", **facts})
    verdict = one.verdict.model_copy(update={"at": when})
    return with_digest(one.model_copy(update={"run": told, "verdict": verdict, "recorded_at": when}))


def ended(minutes: float, word: VerdictWord) -> EvidenceFile:
    """A run that came to no verdict."""
    one = at(minutes)
    return with_digest(one.model_copy(update={"verdict": one.verdict.model_copy(update={"word": word})}))


def wanted(minutes: float, *, soak: str | None = None, max_age: str = "24h", **settings: Any) -> Wanted:
    """What an approval asks for, so many minutes after noon."""
    present = PASSED.environment.model_copy(update=settings)
    verdict = PASSED.verdict
    now = datetime(2026, 5, 4, 12, tzinfo=UTC) + minutes * MINUTE
    soaks = None if soak is None else parse_age(soak)
    return Wanted(verdict.environment, verdict.intended, present, parse_age(max_age), soaks, now)


def elsewhere(minutes: float, one: EvidenceFile = PASSED) -> EvidenceFile:
    """A verdict on another commit; that one was pinned, unless its own intent layer did not pass."""
    made = at(minutes, one)
    return with_digest(made.model_copy(update={"verdict": made.verdict.model_copy(update={"intended": OLD})}))


def of_another_uid(one: EvidenceFile) -> EvidenceFile:
    """The same about an Application that was made anew."""
    objects = list(one.objects)
    for number in one.polls[-1].applications:
        objects[number] = {**objects[number], "metadata": {**objects[number]["metadata"], "uid": "made-anew"}}
    return with_digest(one.model_copy(update={"objects": tuple(objects)}))
