"""What stored evidence an approval may rest on: each difference by its name, and the nearest thing that is none."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gate.config.approval import Approval
from gate.config.duration import parse_duration
from gate.evidence.approval import (
    NotApproved,
    Wanted,
    check_each_run_once,
    check_times,
    differences,
    is_check,
    is_enough,
)
from gate.evidence.record import EvidenceFile, with_digest
from gate.outcomes import VerdictWord
from gate.reasons import Reason
from tests.support import situations
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
    soaks = None if soak is None else parse_duration(soak)
    return Wanted(verdict.environment, verdict.intended, present, parse_duration(max_age), soaks, now)


def reasons(asked: Wanted, *seen: EvidenceFile) -> list[Reason]:
    """The differences, where these verdicts are known, newest first."""
    basis = next(filter(is_check, seen))
    return [reason for reason, _ in differences(basis, seen, asked)]


def told(asked: Wanted, *seen: EvidenceFile) -> str:
    return "; ".join(message for _, message in differences(seen[0], seen, asked))


def test_what_passed_a_moment_ago_by_the_same_settings_will_do() -> None:
    assert reasons(wanted(1), at(0)) == []


@pytest.mark.parametrize("word", [VerdictWord.CANCELLED, VerdictWord.COULD_NOT_RUN, VerdictWord.INTERNAL_ERROR])
def test_a_run_that_came_to_no_verdict_has_not_passed(word: VerdictWord) -> None:
    assert reasons(wanted(1), ended(0, word), at(-5)) == [Reason.EVIDENCE_NOT_PASSED]


def test_the_newest_check_counts_whatever_an_older_one_said() -> None:
    assert reasons(wanted(2), at(1, FAILED), at(0)) == [Reason.EVIDENCE_NOT_PASSED]
    assert reasons(wanted(2), at(1), at(0, FAILED)) == []
    assert "ProgressDeadlineExceeded" in told(wanted(2), at(1, FAILED))


@pytest.mark.parametrize(
    ("age", "found"), [(60, []), (60.01, [Reason.EVIDENCE_TOO_OLD]), (600, [Reason.EVIDENCE_TOO_OLD])]
)
def test_the_age_is_that_of_the_last_look(age: float, found: list[Reason]) -> None:
    assert reasons(wanted(age, max_age="1h"), at(0)) == found


def test_other_settings_are_another_configuration() -> None:
    other = PASSED.environment.policy.model_copy(update={"settle": timedelta(seconds=9)})
    assert reasons(wanted(1, policy=other), at(0)) == [Reason.EVIDENCE_OF_ANOTHER_CONFIGURATION]
    assert reasons(wanted(1, promotes_to="elsewhere"), at(0)) == [Reason.EVIDENCE_OF_ANOTHER_CONFIGURATION]
    assert reasons(wanted(1, approval=Approval(max_age=MINUTE)), at(0)) == [Reason.EVIDENCE_OF_ANOTHER_CONFIGURATION]
    assert reasons(wanted(1, timeout=timedelta(hours=3)), at(0)) == [], "a workflow may give another timeout"


def test_every_difference_is_named_and_the_first_one_counts() -> None:
    found = reasons(wanted(90, max_age="1h", soak="2h", promotes_to="elsewhere"), at(0, FAILED))
    assert found == [
        Reason.EVIDENCE_NOT_PASSED,
        Reason.EVIDENCE_OF_ANOTHER_CONFIGURATION,
        Reason.EVIDENCE_TOO_OLD,
        Reason.SOAK_NOT_OVER,
    ]


SOAKS: list[tuple[str, float, tuple[EvidenceFile, ...], bool]] = [
    ("not yet", 29, (at(0),), False),
    ("just over", 30, (at(0),), True),
    ("counted from the first", 30, (at(20), at(10), at(0)), True),
    ("broken, and begun anew", 40, (at(20), at(10, FAILED), at(0)), False),
    ("over since it was begun anew", 50, (at(20), at(10, FAILED), at(0)), True),
    ("broken by the newest", 90, (at(80, FAILED), at(0)), False),
    ("broken by an approval", 60, (at(50, FAILED, approves=PASSED.digest), at(0)), False),
    ("not broken by an approval that passed", 60, (at(50, approves=PASSED.digest), at(0)), True),
    ("broken by a re-check", 60, (at(50, FAILED, reported_commit=None), at(0)), False),
    ("broken by a cancelled run", 60, (at(50), ended(40, VerdictWord.CANCELLED), at(0)), False),
]


@pytest.mark.parametrize(("minutes", "seen", "over"), [one[1:] for one in SOAKS], ids=[one[0] for one in SOAKS])
def test_the_soak_time_is_without_a_break(minutes: float, seen: tuple[EvidenceFile, ...], over: bool) -> None:
    found = reasons(wanted(minutes, soak="30m"), *seen)
    assert (Reason.SOAK_NOT_OVER not in found) is over


def test_a_soak_time_says_what_is_left_and_what_broke_it() -> None:
    said = told(wanted(40, soak="30m"), at(20), at(10, FAILED), at(0))
    assert "has passed since 2026-05-04 12:20:00 UTC, 10m are left" in said
    assert "before, at 2026-05-04 12:10:00 UTC, it was failed (ProgressDeadlineExceeded)" in said


def test_a_pass_by_other_settings_does_not_count_towards_the_soak_time() -> None:
    loose = PASSED.asked.model_copy(update={"settings_digest": f"sha256:{'0' * 64}"})
    older = with_digest(at(0).model_copy(update={"asked": loose}))
    assert reasons(wanted(31, soak="30m"), at(10), older) == [Reason.SOAK_NOT_OVER]
    assert "by other settings" in told(wanted(31, soak="30m"), at(10), older)


def read(asked: Wanted, seen: tuple[EvidenceFile, ...]) -> int:
    """How many of them are read before no older one matters."""
    return next((number for number in range(len(seen)) if is_enough(seen[:number], asked)), len(seen))


def test_no_more_is_read_than_the_answer_depends_on() -> None:
    every = tuple(at(minutes) for minutes in range(50, -1, -10))
    assert read(wanted(60), every) == 1
    assert read(wanted(60, soak="25m"), every) == 3  # 50, 40 and 30
    assert read(wanted(60, soak="2h"), every) == 6
    assert read(wanted(60, soak="2h"), (at(50), at(40, FAILED), *every)) == 2
    assert read(wanted(60), (at(55, approves=PASSED.digest), at(54, reported_commit=None), *every)) == 3


@pytest.mark.parametrize(
    ("recorded", "now", "reason"),
    [
        (0, 1, None),
        (9, 10, None),
        (0, -0.9, None),
        (0, -2, Reason.EVIDENCE_FROM_THE_FUTURE),
        (11, 20, Reason.EVIDENCE_NOT_VERIFIED),
        (-2, 20, Reason.EVIDENCE_NOT_VERIFIED),
    ],
)
def test_times_that_cannot_be_true(recorded: float, now: float, reason: Reason | None) -> None:
    one = at(0).model_copy(update={"recorded_at": at(recorded).recorded_at})
    moment = wanted(now).now
    if reason is None:
        check_times(one, moment)
        return
    with pytest.raises(NotApproved) as refused:
        check_times(one, moment)
    assert refused.value.reason is reason


def test_a_time_without_a_zone_is_none() -> None:
    naive = at(0).model_copy(update={"recorded_at": datetime(2026, 5, 4, 12)})  # noqa: DTZ001  # that is the point
    with pytest.raises(NotApproved, match="expected the one right after the other"):
        check_times(naive, wanted(1).now)


def test_one_run_leaves_one_file() -> None:
    check_each_run_once([at(1, run="7-1"), at(1, run="7-1"), at(2, run="8-1")])
    with pytest.raises(NotApproved, match="two evidence files of run 7-1") as refused:
        check_each_run_once([at(1, run="7-1"), at(2, run="8-1"), at(1, FAILED, run="7-1")])
    assert refused.value.reason is Reason.EVIDENCE_DISAGREES
