"""What a layer found, and how its findings become one answer.

A layer asks its questions in order and collects findings; the gravest final one wins, and
otherwise the first. Evidence that a question needs and that is not there ends that question
with ``held`` (missing is never zero and never success).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeVar

from gate.observed import DENIED, Absent, Observed, Present, Unreadable
from gate.outcomes import Layer, Outcome, severity
from gate.reasons import Reason
from gate.verdict import Evidence, LayerResult

T = TypeVar("T")

TWICE = "twice|"
"""How the keys of findings begin that have to be seen in two sound bundles: void ones do not count."""


@dataclass(frozen=True)
class Finding:
    """One thing that a layer has to say.

    ``bad``: evidence of a fault of this very commit. ``grace``: a key under which the first
    sight of it is remembered; the finding becomes a final failure when it has been seen in
    every moment for ``degraded-grace``. ``twice`` does the same after ``settle`` (two bundles).
    """

    outcome: Outcome
    reason: Reason
    message: str
    final: bool = False
    bad: bool = False
    grace: str | None = None
    twice: str | None = None
    twice_outcome: Outcome = Outcome.FAILED


class Missing(Exception):
    """Evidence that a question needs is absent or unreadable; carries the finding."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


@dataclass(frozen=True)
class Answer:
    """One layer's answer for one Application (or for all requests), before merging."""

    finding: Finding
    evidence: tuple[Evidence, ...] = ()
    watched: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True)
class Clock:
    """The moment's time, the thresholds, and when each remembered key was first seen.

    ``previous`` is the time of the moment before, None at the first one.
    """

    now: datetime
    first_seen: dict[str, datetime]
    grace: timedelta
    settle: timedelta
    previous: datetime | None = None

    def lasted(self, key: str) -> timedelta:
        """For how long this key has been seen without a break; zero at first sight."""
        return self.now - self.first_seen.get(key, self.now)


def held(reason: Reason, message: str, *, final: bool = False) -> Finding:
    """A held finding."""
    return Finding(Outcome.HELD, reason, message, final=final)


def pending(reason: Reason, message: str, *, bad: bool = False, grace: str | None = None) -> Finding:
    """A pending finding."""
    return Finding(Outcome.PENDING, reason, message, bad=bad, grace=grace)


def failed(reason: Reason, message: str) -> Finding:
    """A final failure."""
    return Finding(Outcome.FAILED, reason, message, final=True, bad=True)


def unreadable(seen: Unreadable) -> Finding:
    """The finding for evidence that could not be read."""
    where = f"{seen.what} {seen.field}".strip()
    if seen.status in DENIED:
        return held(Reason.ACCESS_DENIED, f"{where} could not be read: {seen.status}, {seen.error}")
    return held(Reason.EVIDENCE_UNREADABLE, f"{where} could not be read: {seen.error}")


def need(value: T | None, what: str, name: str) -> T:
    """The value of a required field; raises Missing when it is absent, null or empty."""
    if value is None or (isinstance(value, str | tuple | list | dict) and len(value) == 0):
        state = "is not there" if value is None else "is empty"
        raise Missing(held(Reason.EVIDENCE_MISSING, f"{what}: {name} {state}"))
    return value


def seen(observed: Observed[T], absent: Reason = Reason.EVIDENCE_MISSING) -> T:
    """The value that was seen; raises Missing with ``absent`` or with why it is unreadable."""
    if isinstance(observed, Present):
        return observed.value
    if isinstance(observed, Absent):
        raise Missing(held(absent, f"{observed.what} {observed.field}".strip() + " was asked for and is not there"))
    raise Missing(unreadable(observed))


def ask(questions: Iterable[Callable[[], Iterator[Finding] | Finding | None]]) -> list[Finding]:
    """Ask the questions in order; a question that lacks evidence gives its held finding."""
    found: list[Finding] = []
    for question in questions:
        try:
            answer = question()
            if isinstance(answer, Finding):
                found.append(answer)
            elif answer is not None:
                for finding in answer:  # one by one: what came before missing evidence is kept
                    found.append(finding)  # noqa: PERF402
        except Missing as missing:
            found.append(missing.finding)
    return found


def _ripen(finding: Finding, clock: Clock) -> Finding:
    """A finding whose patience has run out becomes final."""
    if finding.grace is not None and clock.lasted(finding.grace) >= clock.grace:
        return replace(finding, outcome=Outcome.FAILED, final=True, bad=True)
    if finding.twice is not None and clock.lasted(TWICE + finding.twice) >= clock.settle:
        return replace(finding, outcome=finding.twice_outcome, final=True)
    return finding


def _rank(finding: Finding) -> tuple[int, int]:
    if finding.final:
        return (0, severity(finding.outcome))
    return (1, 0)


_EXPLAINS = (
    Reason.PROBE_FAILING,
    Reason.CONTAINER_FAILING,
    Reason.IMAGE_PULL_FAILING,
    Reason.OLD_PODS_SERVING,
    Reason.NO_READY_ENDPOINTS,
)
"""Reasons that explain another one: named beside it whenever they were found."""


def _beside(chosen: Finding, ripe: list[Finding]) -> list[str]:
    """Up to three messages that belong beside the chosen one: the explaining ones first."""
    others = [one for one in ripe if one.message != chosen.message and one.reason is not chosen.reason]
    others.sort(key=lambda one: one.reason not in _EXPLAINS)
    return list(dict.fromkeys(one.message for one in others))[:3]


def choose(found: list[Finding], passed: Finding, clock: Clock, evidence: Iterable[Evidence] = ()) -> Answer:
    """The gravest final finding, else the first one; ``passed`` when nothing was found.

    The message of the chosen finding also names up to three others.
    """
    keys = [one.grace for one in found] + [None if one.twice is None else TWICE + one.twice for one in found]
    watched = frozenset(key for key in keys if key is not None)
    if not found:
        return Answer(passed, tuple(evidence), watched)
    ripe = [_ripen(one, clock) for one in found]
    chosen = min(ripe, key=_rank)
    message = "; also: ".join([chosen.message, *_beside(chosen, ripe)])
    bad = any(one.bad for one in ripe)
    return Answer(replace(chosen, message=message, bad=bad), tuple(evidence), watched)


def result(layer: Layer, answer: Answer) -> LayerResult:
    """An answer as the layer's result (``since`` is filled in by the one who remembers)."""
    one = answer.finding
    return LayerResult(
        layer=layer,
        outcome=one.outcome,
        reason=one.reason,
        message=one.message,
        final=one.final,
        bad=one.bad,
        evidence=answer.evidence,
    )
