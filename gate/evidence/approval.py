"""Whether stored evidence is fit to rest an approval on; every difference by its name. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from gate.config.duration import show_duration
from gate.evidence.record import EvidenceFile
from gate.evidence.soak import SKEW, Wanted, applications_of, digest_in_force, named, same_settings, unbroken
from gate.facts.moment import Raw
from gate.outcomes import VerdictWord
from gate.reasons import Reason
from gate.render.words import full_time
from gate.verdict import Verdict

_LATE = timedelta(minutes=10)
"""How long after its last look a run writes its evidence at most."""


class NotApproved(Exception):
    """The approval is refused; ``message`` says every difference that was found, ``reason`` the first."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


def find_check(seen: Iterable[EvidenceFile], wanted: Wanted) -> EvidenceFile | None:
    """The newest check of the commit among verdicts of the environment, newest first."""
    return next((one for one in seen if one.verdict.intended == wanted.commit and is_check(one)), None)


def is_check(evidence: EvidenceFile) -> bool:
    """Whether this is evidence of a check, which an approval can rest on: not of an approval or a re-check."""
    about_none = evidence.run.repository is not None and evidence.run.reported_commit is None
    return evidence.run.approves is None and not about_none


def is_enough(seen: Sequence[EvidenceFile], wanted: Wanted) -> bool:
    """Whether older verdicts than these, newest first, change nothing any more."""
    if find_check(seen, wanted) is None:
        return False
    if wanted.soak is None:
        return True
    passes, broken = unbroken(seen, wanted)
    return broken != "" or wanted.now - passes[-1].verdict.at >= wanted.soak


def check_times(evidence: EvidenceFile, now: datetime) -> None:
    """Raise NotApproved where the file's times cannot be true."""
    recorded, looked = evidence.recorded_at, evidence.verdict.at
    if not -SKEW <= recorded - looked <= _LATE:
        raise NotApproved(
            Reason.EVIDENCE_NOT_VERIFIED,
            f"the evidence of run {evidence.run.id} was recorded at {full_time(recorded)} and looked last at"
            f" {full_time(looked)}; expected the one right after the other",
        )
    if recorded > now + SKEW:
        raise NotApproved(
            Reason.EVIDENCE_FROM_THE_FUTURE,
            f"the evidence of run {evidence.run.id} is dated {full_time(recorded)}; it is {full_time(now)} now",
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


def check_applications(basis: EvidenceFile, verdict: Verdict, applications: Iterable[Raw]) -> None:
    """Raise NotApproved where a pass of now, about these Applications, is about others than the evidence."""
    then, present = applications_of(basis), dict(map(named, applications))
    if then == present or verdict.word is not VerdictWord.PASSED:
        return
    said = f"the evidence is about {_listed(then)}; there are {_listed(present)} now"
    if then.keys() == present.keys():
        made_anew = _listed(name for name, uid in then.items() if present[name] != uid)
        said = f"{made_anew} is not the Application of that name that the evidence is about: it has another uid"
    raise NotApproved(Reason.EVIDENCE_OF_OTHER_APPLICATIONS, said)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def differences(
    basis: EvidenceFile, seen: Sequence[EvidenceFile], wanted: Wanted, lost: datetime | None = None
) -> Iterator[tuple[Reason, str]]:
    """Why an approval cannot rest on ``basis``, the newest check; ``seen`` are verdicts, newest first.

    ``lost`` as for ``unbroken``.
    """
    verdict, run = basis.verdict, basis.run.id
    if verdict.word is not VerdictWord.PASSED or verdict.nothing_to_gate:
        said = f"{verdict.word.value} ({verdict.reason.value})"
        yield Reason.EVIDENCE_NOT_PASSED, f"the newest check of {verdict.intended}, run {run}, is {said}"
    if not same_settings(basis, wanted):
        then, present = basis.asked.settings_digest, digest_in_force(basis, wanted.settings)
        yield Reason.EVIDENCE_OF_ANOTHER_CONFIGURATION, f"run {run} judged by settings {then}; in force are {present}"
    age = wanted.now - verdict.at
    if age > wanted.max_age:
        most = show_duration(wanted.max_age)
        yield Reason.EVIDENCE_TOO_OLD, f"the verdict of run {run} is {_rounded(age)} old; expected at most {most}"
    if wanted.soak is not None:
        yield from _soaking(seen, wanted, wanted.soak, lost)


def _soaking(
    seen: Sequence[EvidenceFile], wanted: Wanted, soak: timedelta, lost: datetime | None
) -> Iterator[tuple[Reason, str]]:
    passes, broken = unbroken(seen, wanted, lost)
    since = passes[-1].verdict.at if passes else wanted.now
    left = soak - (wanted.now - since)
    if left <= timedelta():
        return
    told = "" if broken == "" else f"; {broken}"
    began = f"it has passed since {full_time(since)}" if passes else "it has not passed since"
    yield (
        Reason.SOAK_NOT_OVER,
        f"{wanted.commit} has to have passed for {show_duration(soak)}: {began}, {_rounded(left)} are left{told}",
    )


def _rounded(value: timedelta) -> str:
    return show_duration(timedelta(seconds=-(-value // timedelta(seconds=1))))
