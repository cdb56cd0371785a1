"""A wrong answer is final once two sound bundles about the same rollout have seen it, and not before."""

import copy
from collections.abc import Callable

import pytest

from tests.support.bundles import NEW, NEWER, OLD, Json, answers, at, changed, find, recording
from tests.support.several import Outcome, outcome

WRONG: Outcome = ("failed", "WrongRelease", "request", True)
ONCE: Outcome = ("pending", "WrongRelease", "request", False)


def answering(*moments: tuple[float, str]) -> Json:
    """Moments at these seconds, with answers of these releases."""
    raw = recording(times=[seconds for seconds, _ in moments])
    for moment, (seconds, commit) in zip(raw["polls"], moments, strict=True):
        moment["responses"] = answers(commit, seconds=seconds)
    return raw


def _operation_moved(moment: Json) -> None:
    moment["application-again"]["status"]["operationState"]["startedAt"] = at(1)


def _revision_moved(moment: Json) -> None:
    moment["application-again"]["status"]["sync"]["revision"] = NEWER


def _uid_moved(moment: Json) -> None:
    moment["application-again"]["metadata"]["uid"] = "another"


def _pin_moved(moment: Json) -> None:
    moment["application-again"]["spec"]["source"]["targetRevision"] = NEWER


def _generation_moved(moment: Json) -> None:
    again = copy.deepcopy(find(moment, "Deployment"))
    again["metadata"]["generation"] += 1
    moment["objects-again"] = [again]


def _counters_moved(moment: Json) -> None:
    again = copy.deepcopy(find(moment, "Deployment"))
    again["status"]["replicas"] += 1
    moment["objects-again"] = [again]


VOID = [_operation_moved, _revision_moved, _uid_moved, _pin_moved, _generation_moved, _counters_moved]


def test_a_wrong_answer_in_two_sound_bundles_is_final() -> None:
    assert outcome(answering((20, OLD), (25, OLD))) == WRONG
    closed = changed(
        answering((20, OLD), (25, OLD)), lambda moment: moment.update({"objects-again": [find(moment, "Deployment")]})
    )
    assert outcome(closed) == WRONG


@pytest.mark.parametrize("void", VOID)
def test_a_wrong_answer_in_a_void_bundle_does_not_count(void: Callable[[Json], None]) -> None:
    twice = answering((20, OLD), (25, OLD))
    assert outcome(changed(twice, void, polls=[0])) == ONCE
    voided = outcome(changed(twice, void, polls=[1]))
    assert (voided[0], voided[2:]) == ("pending", ("sync", False))
    assert outcome(changed(twice, void))[0] == "pending"


@pytest.mark.parametrize("void", VOID)
def test_a_void_bundle_in_between_begins_the_count_anew(void: Callable[[Json], None]) -> None:
    moments = ((20, OLD), (22, OLD), (25, OLD), (30, OLD))
    assert outcome(answering(*moments[:3])) == WRONG
    assert outcome(changed(answering(*moments[:3]), void, polls=[1])) == ONCE
    assert outcome(changed(answering(*moments), void, polls=[1])) == WRONG


def test_wrong_answers_need_settle_between_them_and_no_right_one() -> None:
    assert outcome(answering((20, OLD), (24, OLD))) == ONCE
    assert outcome(answering((20, OLD), (23, NEW), (26, OLD))) == ONCE
    assert outcome(answering((20, OLD), (23, OLD), (26, OLD))) == WRONG


def _next_generation(moment: Json) -> None:
    deployment = find(moment, "Deployment")
    deployment["metadata"]["generation"] += 1
    deployment["status"]["observedGeneration"] += 1


def _recreated(moment: Json) -> None:
    find(moment, "Deployment")["metadata"]["uid"] = "another"
    for one in moment["objects"]:
        if one["kind"] == "ReplicaSet":
            one["metadata"]["ownerReferences"][0]["uid"] = "another"


@pytest.mark.parametrize("rollout", [_next_generation, _recreated])
def test_wrong_answers_of_two_rollouts_do_not_count_together(rollout: Callable[[Json], None]) -> None:
    assert outcome(changed(answering((20, OLD), (25, OLD)), rollout, polls=[1])) == ONCE
    assert outcome(changed(answering((20, OLD), (25, OLD)), rollout)) == WRONG
    assert outcome(changed(answering((20, OLD), (25, OLD), (30, OLD)), rollout, polls=[1, 2])) == WRONG
