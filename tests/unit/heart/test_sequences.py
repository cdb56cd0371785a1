"""What time does: settle, grace, deadline, refused access; nothing that passed once is remembered as a pass."""

from collections.abc import Callable, Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.evidence.recording import parse_recording
from gate.judge import Judge
from gate.outcomes import VerdictWord
from gate.reasons import Reason
from gate.verdict import Verdict
from tests.support import raw_workload as kube
from tests.support.bundles import APART, NEW, NEWER, OLD, Json, at, both, changed, find, judge, recording
from tests.support.sampling import examples

Change = Callable[[Json], None]


def verdicts(raw: Json) -> list[Verdict]:
    """The verdict of each moment, whether an earlier one was final or not."""
    parsed = parse_recording(raw)
    one = Judge(parsed.asked, parsed.git)
    return [one.consider(moment) for moment in parsed.moments]


def words(raw: Json) -> str:
    """The words of all moments, by their first two letters."""
    return " ".join(verdict.word.value[:2] for verdict in verdicts(raw))


def out_of_sync(moment: Json) -> None:
    for app in both(moment):
        app["status"]["sync"]["status"] = "OutOfSync"


def degraded(moment: Json) -> None:
    for app in both(moment):
        app["status"]["health"]["status"] = "Degraded"


def bad_at(raw: Json, polls: Iterable[int]) -> Json:
    return changed(raw, out_of_sync, polls=polls)


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ((20,), "pe"),
        ((20, 24.999), "pe pe"),
        ((20, 25), "pe pa"),
        ((20, 22, 24, 25), "pe pe pe pa"),
        ((20, 20), "pe he"),  # the answers of the second moment are those of the first
        ((20, 21, 600), "pe pe pa"),
    ],
)
def test_two_bundles_settle_apart(times: tuple[float, ...], expected: str) -> None:
    assert words(recording(times=times)) == expected


def test_a_bundle_between_that_does_not_pass_starts_the_run_anew() -> None:
    raw = recording(times=(20, 22, 26, 30, 31))
    assert words(raw) == "pe pe pa pa pa"
    assert words(bad_at(raw, [1])) == "pe pe pe pe pa"


@settings(max_examples=examples(60), deadline=None, derandomize=True)
@given(
    steps=st.lists(st.tuples(st.integers(1, 4), st.booleans()), min_size=1, max_size=7),
)
def test_a_pass_is_an_unbroken_run_that_lasts_settle(steps: list[tuple[int, bool]]) -> None:
    """Against a second way to compute it: for every sequence of good and bad moments."""
    times, now = [], 20
    for step, _ in steps:
        now += step
        times.append(now)
    raw = recording(times=times)
    raw = bad_at(raw, [number for number, (_, good) in enumerate(steps) if not good])
    begun: int | None = None
    expected = []
    for time, (_, good) in zip(times, steps, strict=True):
        begun = (time if begun is None else begun) if good else None
        expected.append(begun is not None and time - begun >= 5)
    assert [verdict.word is VerdictWord.PASSED for verdict in verdicts(raw)] == expected


def _uid(moment: Json) -> None:
    for app in both(moment):
        app["metadata"]["uid"] = "another"


def _restarted_operation(moment: Json) -> None:
    for app in both(moment):
        app["status"]["operationState"]["startedAt"] = at(5.5)


def _generation(moment: Json) -> None:
    deployment = find(moment, "Deployment")
    deployment["metadata"]["generation"] = deployment["status"]["observedGeneration"] = 3


def _policy(moment: Json) -> None:
    for app in both(moment):
        app["spec"]["syncPolicy"]["automated"]["prune"] = False


@pytest.mark.parametrize("change", [_uid, _restarted_operation, _generation, _policy])
def test_bundles_that_pass_and_disagree_start_the_run_anew(change: Change) -> None:
    raw = recording(times=(20, 25, 30))
    assert words(raw) == "pe pa pa"
    assert words(changed(raw, change, polls=[1, 2])) == "pe pe pa"
    assert words(changed(raw, change, polls=[1])) == "pe pe pe"


def test_a_replaced_pod_of_the_same_replica_set_is_no_disagreement() -> None:
    def replaced(moment: Json) -> None:
        pod = kube.pod(NEW, 3)
        moment["objects"] = [one for one in moment["objects"] if one["kind"] not in ("Pod", "EndpointSlice")]
        moment["objects"] += [pod, kube.endpoint_slice([kube.endpoint(pod)])]

    assert words(changed(recording(), replaced, polls=[1])) == "pe pa"


def test_moments_out_of_order_are_refused_and_repeated_ones_do_not_pass() -> None:
    with pytest.raises(ValueError, match="out of order"):
        judge(recording(times=(25, 20)))
    raw = recording()
    raw["polls"] = [raw["polls"][0]] * 5
    assert judge(raw).word is not VerdictWord.PASSED
    copied = recording()
    copied["polls"][1] = {**copied["polls"][0], "now": copied["polls"][1]["now"]}
    assert judge(copied).reason is Reason.STALE_ANSWER


def test_grace_is_counted_from_the_first_sight_and_forgotten_when_it_is_gone() -> None:
    raw = recording(times=(20, 60, 70, 100, 129, 131))
    assert words(changed(raw, degraded)) == "pe pe pe fa fa fa"
    broken = changed(raw, degraded, polls=[0, 1, 3, 4, 5])
    assert words(broken) == "pe pe pe pe pe pe"
    assert [one.reason for one in verdicts(broken)][2] is Reason.SETTLING


def test_one_moment_out_of_date_does_not_end_the_grace_of_what_stays() -> None:
    raw = changed(recording(times=(20, 85)), degraded)
    assert judge(raw).word is VerdictWord.FAILED


def test_refused_access_is_final_after_three_moments_in_a_row() -> None:
    raw = recording(times=(20, 21, 22, 23, 24))
    refused = {"unreadable": [{"what": "Pod shop/", "error": "forbidden", "status": 403}]}
    in_a_row = changed(raw, lambda moment: moment.update(refused))
    assert [one.final for one in verdicts(in_a_row)] == [False, False, True, True, True]
    broken = changed(raw, lambda moment: moment.update(refused), polls=[0, 1, 3, 4])
    assert not any(one.final for one in verdicts(broken))


def _deadline_exceeded(seconds: float) -> Change:
    def change(moment: Json) -> None:
        status = find(moment, "Deployment")["status"]
        status |= {"updatedReplicas": 0, "unavailableReplicas": 1}
        status["conditions"][1] = kube.condition(
            "Progressing", "False", "ProgressDeadlineExceeded", "timed out", seconds=seconds
        )

    return change


@pytest.mark.parametrize(("seconds", "expected"), [(-60, "pending"), (5, "pending"), (6, "failed"), (18, "failed")])
def test_a_failure_counts_only_if_it_is_newer_than_the_operation(seconds: float, expected: str) -> None:
    raw = changed(recording(), _deadline_exceeded(seconds))
    assert judge(raw).word.value == expected


def _running(moment: Json) -> None:
    for app in both(moment):
        app["status"]["operationState"]["phase"] = "Running"
        del app["status"]["operationState"]["finishedAt"]
        app["status"]["sync"]["status"] = "OutOfSync"


def test_what_a_running_operation_applied_may_fail_and_may_not_pass() -> None:
    running = changed(recording(), _running)
    assert judge(running).reason is Reason.OPERATION_RUNNING
    failing = judge(changed(running, _deadline_exceeded(18)))
    assert (failing.word, failing.reason) == (VerdictWord.FAILED, Reason.PROGRESS_DEADLINE_EXCEEDED)
    older = judge(changed(running, _deadline_exceeded(-18)))
    assert older.word is VerdictWord.PENDING


def test_a_running_operation_at_another_commit_lets_nothing_fail() -> None:
    def elsewhere(moment: Json) -> None:
        _running(moment)
        for app in both(moment):
            state = app["status"]["operationState"]
            state["syncResult"]["revision"] = state["operation"]["sync"]["revision"] = OLD

    raw = changed(changed(recording(), elsewhere), _deadline_exceeded(18))
    assert judge(raw).word is VerdictWord.PENDING


@pytest.mark.parametrize(
    ("pin", "reason"),
    [
        (NEWER, Reason.NEWER_COMMIT_PINNED),
        (APART, Reason.NOT_PINNED),
        (OLD, Reason.NOT_PINNED),
        ("9" * 40, Reason.NOT_PINNED),
        (NEWER[:39], Reason.PIN_NOT_A_COMMIT),
        (NEWER.replace("3", "A"), Reason.PIN_NOT_A_COMMIT),
        (f"{NEWER}\n", Reason.PIN_NOT_A_COMMIT),
        ("main", Reason.PIN_NOT_A_COMMIT),
    ],
)
def test_superseded_only_by_proven_ancestry(pin: str, reason: Reason) -> None:
    verdict = judge(recording(app={"pin": pin}))
    assert verdict.reason is reason
    assert (verdict.word is VerdictWord.SUPERSEDED) == (reason is Reason.NEWER_COMMIT_PINNED)
    assert verdict.newer == (NEWER if verdict.word is VerdictWord.SUPERSEDED else None)


def test_the_deadline_ends_a_run_with_what_is_known() -> None:
    raw = recording(times=(20,))
    raw["polls"][0]["deadline"] = True
    verdict = judge(raw)
    assert (verdict.word, verdict.reason, verdict.final, verdict.timed_out) == (
        VerdictWord.HELD,
        Reason.SETTLING,
        True,
        True,
    )
    settled = recording()
    settled["polls"][1]["deadline"] = True
    assert judge(settled).word is VerdictWord.PASSED
