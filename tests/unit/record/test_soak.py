"""The soak time: what counts towards it, and everything that begins it anew."""

from datetime import timedelta, timezone

import pytest

from gate.evidence.approval import differences, find_check, is_enough
from gate.evidence.record import EvidenceFile, with_digest
from gate.evidence.soak import Wanted
from gate.outcomes import VerdictWord
from gate.reasons import Reason
from tests.support import situations
from tests.support.dated import FAILED, PASSED, at, elsewhere, ended, of_another_uid, wanted
from tests.support.kept import evidence

ZONE = timezone(timedelta(hours=14))
NOT_PINNED = evidence(situations.not_pinned())


def told(asked: Wanted, *seen: EvidenceFile, lost: float | None = None) -> str:
    """What is said of a soak time that is not over; "" for one that is. ``lost`` is in minutes after noon."""
    basis = find_check(seen, asked)
    assert basis is not None
    when = None if lost is None else at(lost).verdict.at
    found = differences(basis, seen, asked, when)
    return "".join(message for reason, message in found if reason is Reason.SOAK_NOT_OVER)


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
    ("broken where another commit passed", 60, (at(50), elsewhere(40), at(0)), False),
    ("broken where another commit failed", 60, (at(50), elsewhere(40, FAILED), at(0)), False),
    ("broken by another commit at last", 60, (elsewhere(50), at(0)), False),
    ("over since another commit", 80, (at(50), elsewhere(40), at(0)), True),
    ("not broken by a look at what was not pinned", 60, (at(50), elsewhere(40, NOT_PINNED), at(0)), True),
    ("broken by an Application made anew", 60, (at(50), of_another_uid(at(0))), False),
    ("over since it was made anew", 80, (at(50), of_another_uid(at(0))), True),
]


@pytest.mark.parametrize(("minutes", "seen", "over"), [one[1:] for one in SOAKS], ids=[one[0] for one in SOAKS])
def test_the_soak_time_is_without_a_break(minutes: float, seen: tuple[EvidenceFile, ...], over: bool) -> None:
    assert (told(wanted(minutes, soak="30m"), *seen) == "") is over


def test_a_soak_time_says_what_is_left_and_what_broke_it() -> None:
    said = told(wanted(40, soak="30m"), at(20), at(10, FAILED), at(0))
    assert "has passed since 2026-05-04 12:20:00 UTC, 10m are left" in said
    assert "before, at 2026-05-04 12:10:00 UTC, it was failed (ProgressDeadlineExceeded)" in said


def test_a_pass_by_other_settings_does_not_count_towards_the_soak_time() -> None:
    loose = PASSED.asked.model_copy(update={"settings_digest": f"sha256:{'0' * 64}"})
    older = with_digest(at(0).model_copy(update={"asked": loose}))
    assert "by other settings" in told(wanted(31, soak="30m"), at(10), older)


def test_what_broke_it_is_named() -> None:
    asked = wanted(60, soak="30m")
    assert "12:40:00 UTC, it was pinned to another commit" in told(asked, at(50), elsewhere(40), at(0))
    assert "it was passed (AllLayersAgree, of other Applications)" in told(asked, at(50), of_another_uid(at(0)))


@pytest.mark.parametrize(("lost", "over"), [(None, True), (-5, True), (9, False), (31, False), (59, False)])
def test_a_verdict_that_only_github_knows_of_begins_it_anew(lost: float | None, over: bool) -> None:
    """Passed at noon and at half past; its evidence was not stored."""
    said = told(wanted(60, soak="40m"), at(30), at(0), lost=lost)
    assert (said == "") is over
    assert ("GitHub was told of a verdict that is not passed" in said) is not over


def test_a_time_in_another_zone_is_said_in_utc() -> None:
    """Such a file is refused before; a message must not lie all the same."""
    one = at(0)
    moved = one.verdict.model_copy(update={"at": one.verdict.at.astimezone(ZONE)})
    assert "since 2026-05-04 12:00:00 UTC" in told(wanted(1, soak="30m"), one.model_copy(update={"verdict": moved}))


def test_reading_goes_on_until_the_soak_time_is_known() -> None:
    asked = wanted(60, soak="30m")
    assert not is_enough([elsewhere(50)], asked), "the check itself is older"
    assert not is_enough([at(50)], asked)
    assert is_enough([at(50), elsewhere(40)], asked)
    assert is_enough([at(50), at(20)], asked)
    assert not is_enough([at(50), elsewhere(40, NOT_PINNED)], asked)
