"""Whether stored evidence is fit to rest an approval on; every difference by its name. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from gate.config.digest import environment_digest
from gate.config.duration import show_duration
from gate.config.model import Environment
from gate.evidence.record import EvidenceFile
from gate.outcomes import VerdictWord
from gate.reasons import Reason
from gate.verdict import Verdict

_SKEW = timedelta(minutes=1)
"""How far the clocks of two runners may be apart."""

_LATE = timedelta(minutes=10)
"""How long after its last look a run writes its evidence at most."""


class NotApproved(Exception):
    """The approval is refused; ``message`` says every difference that was found, ``reason`` the first."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


@dataclass(frozen=True)
class Wanted:
    """What the evidence has to be about: ``settings`` are those in force now, ``commit`` is what would be promoted.

    ``soak`` of None: there is no such time. ``now`` is in UTC.
    """

    environment: str
    commit: str
    settings: Environment
    max_age: timedelta
    soak: timedelta | None
    now: datetime


def is_check(evidence: EvidenceFile) -> bool:
    """Whether this is evidence of a check, which an approval can rest on: not of an approval or a re-check."""
    about_none = evidence.run.repository is not None and evidence.run.reported_commit is None
    return evidence.run.approves is None and not about_none


def is_enough(seen: Sequence[EvidenceFile], wanted: Wanted) -> bool:
    """Whether older verdicts than these, newest first, change nothing any more."""
    if not any(map(is_check, seen)):
        return False
    if wanted.soak is None or len(_unbroken(seen, wanted)) < len(seen):
        return True
    return wanted.now - seen[-1].verdict.at >= wanted.soak


def check_times(evidence: EvidenceFile, now: datetime) -> None:
    """Raise NotApproved where the file's times cannot be true."""
    recorded, looked = evidence.recorded_at, evidence.verdict.at
    if recorded.tzinfo is None or looked.tzinfo is None or not -_SKEW <= recorded - looked <= _LATE:
        raise NotApproved(
            Reason.EVIDENCE_NOT_VERIFIED,
            f"the evidence of run {evidence.run.id} was recorded at {recorded:%Y-%m-%d %H:%M:%S} and looked last at"
            f" {looked:%Y-%m-%d %H:%M:%S}; expected the one right after the other",
        )
    if recorded > now + _SKEW:
        raise NotApproved(
            Reason.EVIDENCE_FROM_THE_FUTURE,
            f"the evidence of run {evidence.run.id} is dated {_time(recorded)}; it is {_time(now)} now",
        )


def check_each_run_once(seen: Sequence[EvidenceFile]) -> None:
    """Raise NotApproved where one run left two files that are not the same."""
    digests: dict[str, str] = {}
    for one in seen:
        other = digests.setdefault(one.run.id, one.digest)
        if other != one.digest:
            raise NotApproved(
                Reason.EVIDENCE_DISAGREES,
                f"there are two evidence files of run {one.run.id} that differ: {other} and {one.digest}",
            )


def check_applications(basis: EvidenceFile, verdict: Verdict) -> None:
    """Raise NotApproved where a pass of now is about other Applications than the evidence."""
    then, present = set(basis.verdict.applications), set(verdict.applications)
    if then != present and verdict.word is VerdictWord.PASSED:
        raise NotApproved(
            Reason.EVIDENCE_OF_OTHER_APPLICATIONS,
            f"the evidence is about {', '.join(sorted(then))}; there are {', '.join(sorted(present))} now",
        )


def differences(basis: EvidenceFile, seen: Sequence[EvidenceFile], wanted: Wanted) -> Iterator[tuple[Reason, str]]:
    """Why an approval cannot rest on ``basis``, the newest check; ``seen`` are verdicts, newest first."""
    verdict, run = basis.verdict, basis.run.id
    if verdict.word is not VerdictWord.PASSED or verdict.nothing_to_gate:
        said = f"{verdict.word.value} ({verdict.reason.value})"
        yield Reason.EVIDENCE_NOT_PASSED, f"the newest check of {verdict.intended}, run {run}, is {said}"
    if not _same_settings(basis, wanted):
        then, present = basis.asked.settings_digest, _digest(basis, wanted.settings)
        yield Reason.EVIDENCE_OF_ANOTHER_CONFIGURATION, f"run {run} judged by settings {then}; in force are {present}"
    age = wanted.now - verdict.at
    if age > wanted.max_age:
        most = show_duration(wanted.max_age)
        yield Reason.EVIDENCE_TOO_OLD, f"the verdict of run {run} is {_rounded(age)} old; expected at most {most}"
    if wanted.soak is not None:
        yield from _soaking(seen, wanted, wanted.soak)


def _soaking(seen: Sequence[EvidenceFile], wanted: Wanted, soak: timedelta) -> Iterator[tuple[Reason, str]]:
    unbroken = _unbroken(seen, wanted)
    since = wanted.now if len(unbroken) == 0 else unbroken[-1].verdict.at
    left = soak - (wanted.now - since)
    if left <= timedelta():
        return
    told = "" if len(unbroken) == len(seen) else f"; {_broken(seen[len(unbroken)], wanted)}"
    began = "it has not passed since" if len(unbroken) == 0 else f"it has passed since {_time(since)}"
    yield (
        Reason.SOAK_NOT_OVER,
        f"{wanted.commit} has to have passed for {show_duration(soak)}: {began}, {_rounded(left)} are left{told}",
    )


def _unbroken(seen: Sequence[EvidenceFile], wanted: Wanted) -> Sequence[EvidenceFile]:
    """The newest verdicts that passed by the settings in force, up to the first that did not."""
    for number, one in enumerate(seen):
        if one.verdict.word is not VerdictWord.PASSED or not _same_settings(one, wanted):
            return seen[:number]
    return seen


def _broken(by: EvidenceFile, wanted: Wanted) -> str:
    verdict = by.verdict
    other = "" if _same_settings(by, wanted) else ", by other settings"
    return f"before, at {_time(verdict.at)}, it was {verdict.word.value} ({verdict.reason.value}{other})"


def _same_settings(evidence: EvidenceFile, wanted: Wanted) -> bool:
    return evidence.asked.settings_digest == _digest(evidence, wanted.settings)


def _digest(evidence: EvidenceFile, settings: Environment) -> str:
    """That of the settings with the evidence's timeout: a workflow may give another, and it loosens nothing."""
    return environment_digest(settings.model_copy(update={"timeout": evidence.environment.timeout}))


def _rounded(value: timedelta) -> str:
    return show_duration(timedelta(seconds=-(-value // timedelta(seconds=1))))


def _time(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"
