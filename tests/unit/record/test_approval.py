"""What stored evidence an approval may rest on: each difference by its name, and the nearest thing that is none."""

from datetime import timedelta

import pytest

from gate.config.approval import Approval
from gate.evidence.approval import (
    NotApproved,
    check_applications,
    check_each_run_once,
    check_times,
    differences,
    is_check,
    is_enough,
)
from gate.evidence.record import EvidenceFile
from gate.evidence.soak import Wanted, applications_of
from gate.outcomes import VerdictWord
from gate.reasons import Reason
from tests.support.dated import FAILED, MINUTE, PASSED, at, ended, of_another_uid, wanted


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


def test_one_run_leaves_one_file() -> None:
    check_each_run_once([at(1, run="7-1"), at(1, run="7-1"), at(2, run="8-1")])
    with pytest.raises(NotApproved, match="two evidence files of run 7-1") as refused:
        check_each_run_once([at(1, run="7-1"), at(2, run="8-1"), at(1, FAILED, run="7-1")])
    assert refused.value.reason is Reason.EVIDENCE_DISAGREES


def test_a_pass_of_now_is_about_the_same_applications() -> None:
    [number] = PASSED.polls[-1].applications
    same, another = PASSED.objects[number], of_another_uid(PASSED).objects[number]
    assert applications_of(PASSED) == {"argocd/shop": same["metadata"]["uid"]}
    check_applications(PASSED, PASSED.verdict, [same])
    check_applications(PASSED, FAILED.verdict, [another])  # held by what it says itself
    for present, said in (([another], "argocd/shop is not the Application"), ([], "there are none now")):
        with pytest.raises(NotApproved, match=said) as refused:
            check_applications(PASSED, PASSED.verdict, present)
        assert refused.value.reason is Reason.EVIDENCE_OF_OTHER_APPLICATIONS
