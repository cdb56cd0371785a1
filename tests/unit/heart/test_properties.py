"""What holds for any evidence: nothing raises, nothing odd passes, and order does not matter."""

import copy
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.decide import decide
from gate.errors import UsageError
from gate.evidence.recording import parse_recording
from gate.facts.bundle import read_facts
from gate.judge import judge_moments
from gate.memory import Memory
from gate.outcomes import Outcome, VerdictWord, merge, severity
from tests.support import raw_workload as kube
from tests.support.bundles import OLD, PASSING, Json, changed, judge, recording
from tests.support.sampling import examples

SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | st.text(max_size=5)
JSON = st.recursive(
    SCALARS, lambda one: st.lists(one, max_size=3) | st.dictionaries(st.text(max_size=8), one, max_size=3)
)
PLACES = ("application", "application-again", "objects", "responses")
QUICK = settings(max_examples=examples(80), deadline=None, derandomize=True)
PASS = recording(hook=True)


def word(raw: Json) -> VerdictWord:
    """The verdict's word; could-not-run for what cannot be judged."""
    try:
        return judge(raw).word
    except (UsageError, ValueError):
        return VerdictWord.COULD_NOT_RUN


@QUICK
@given(place=st.sampled_from(PLACES), value=JSON)
def test_any_json_in_place_of_evidence_never_passes(place: str, value: Any) -> None:
    assert word(changed(PASS, lambda moment: moment.update({place: value}))) is not VerdictWord.PASSED


@QUICK
@given(number=st.integers(0, len(PASS["polls"][0]["objects"]) - 1), value=JSON)
def test_any_json_in_place_of_an_object_never_passes(number: int, value: Any) -> None:
    old = PASS["polls"][0]["objects"][number]
    if old["kind"] == "ReplicaSet" and old["spec"]["replicas"] == 0:
        return  # the release before may be gone

    def replace(moment: Json) -> None:
        moment["objects"][number] = value

    assert word(changed(PASS, replace)) is not VerdictWord.PASSED


@QUICK
@given(value=JSON.filter(lambda one: one not in (None, {}, [])), data=st.data())
def test_any_json_in_place_of_a_part_of_the_application_never_raises(value: Any, data: st.DataObject) -> None:
    parts = ("metadata", "spec", "status", "operation")
    part = data.draw(st.sampled_from(parts))

    def replace(moment: Json) -> None:
        for read in ("application", "application-again"):
            moment[read][part] = value

    assert word(changed(PASS, replace)) is not VerdictWord.PASSED


@QUICK
@given(raw=JSON)
def test_any_document_is_judged_or_refused(raw: Any) -> None:
    assert word(raw) is not VerdictWord.PASSED


READS = (
    "Application",
    "Application argocd/shop",
    "Deployment",
    "Deployment shop/",
    "Deployment shop/web",
    "ReplicaSet shop/",
    "Pod",
    "Pod shop/",
    "Service shop/web",
    "EndpointSlice shop/",
    "request version",
    "commit",
)


@pytest.mark.parametrize("status", [None, 401, 403, 404, 500, 503])
@pytest.mark.parametrize("what", READS)
def test_a_read_that_failed_is_never_a_pass(what: str, status: int | None) -> None:
    read = {"what": what, "error": "it failed", "status": status}
    for polls in ([1], [0, 1]):
        made = changed(PASS, lambda moment: moment.update({"unreadable": [read]}), polls=polls)
        verdict = judge(made)
        assert verdict.word is VerdictWord.HELD
        assert not verdict.final
        assert "it failed" in verdict.message


def test_a_refused_list_of_events_keeps_nothing_from_passing() -> None:
    read = {"what": "Event shop/", "error": "forbidden", "status": 403}
    assert judge(changed(PASS, lambda moment: moment.update({"unreadable": [read]}))).word is VerdictWord.PASSED


@pytest.mark.parametrize("empty", ["objects", "responses", "applications"])
def test_an_empty_list_is_never_a_pass(empty: str) -> None:
    def emptied(moment: Json) -> None:
        if empty == "applications":
            del moment["application"]
        moment[empty] = []

    assert judge(changed(PASS, emptied)).word is VerdictWord.HELD


@pytest.mark.parametrize("kind", ["Deployment", "Pod", "Service", "EndpointSlice", "ReplicaSet"])
def test_no_object_of_a_kind_is_never_a_pass(kind: str) -> None:
    def without(moment: Json) -> None:
        moment["objects"] = [one for one in moment["objects"] if one["kind"] != kind]

    assert judge(changed(PASS, without)).word is not VerdictWord.PASSED


def _shuffled(value: Any, choose: random.Random) -> Any:
    if isinstance(value, dict):
        keys = list(value)
        choose.shuffle(keys)
        return {key: _shuffled(value[key], choose) for key in keys}
    return value


LISTS = ("conditions", "endpoints", "containerStatuses", "podIPs", "resources", "ports", "ownerReferences")


def _reordered(value: Any, choose: random.Random, name: str = "") -> Any:
    """Keys in another order, and the entries of lists whose order says nothing."""
    if isinstance(value, dict):
        return {key: _reordered(item, choose, key) for key, item in _shuffled(value, choose).items()}
    if isinstance(value, list):
        items = [_reordered(item, choose) for item in value]
        if name in LISTS:
            choose.shuffle(items)
        return items
    return value


@settings(max_examples=examples(40), deadline=None, derandomize=True)
@given(name=st.sampled_from(sorted(PASSING)), choose=st.randoms(use_true_random=False))
def test_the_order_of_what_was_read_does_not_matter(name: str, choose: random.Random) -> None:
    def reorder(moment: Json) -> None:
        moment["objects"] = [_reordered(one, choose) for one in moment["objects"]]
        choose.shuffle(moment["objects"])
        choose.shuffle(moment["responses"])
        for read in ("application", "application-again"):
            moment[read] = _reordered(moment[read], choose)

    assert judge(changed(recording(**PASSING[name]), reorder)).word is VerdictWord.PASSED


@settings(max_examples=examples(40), deadline=None, derandomize=True)
@given(choose=st.randoms(use_true_random=False))
def test_the_order_of_slices_does_not_hide_an_old_pod(choose: random.Random) -> None:
    def old_pod(moment: Json) -> None:
        pod = kube.pod(OLD)
        moment["objects"] += [pod, kube.endpoint_slice([kube.endpoint(pod)], name="web-second")]
        choose.shuffle(moment["objects"])

    verdict = judge(changed(PASS, old_pod))
    assert (verdict.word, verdict.reason.value) == (VerdictWord.PENDING, "OldPodsServing")


@pytest.mark.parametrize("name", PASSING)
def test_the_same_evidence_gives_the_same_verdict(name: str) -> None:
    raw = recording(**PASSING[name])
    assert judge(raw) == judge(copy.deepcopy(raw))
    parsed = parse_recording(raw)
    facts = read_facts(parsed.asked, parsed.moments[0], parsed.git)
    assert decide(facts, parsed.asked, Memory()) == decide(facts, parsed.asked, Memory())


@QUICK
@given(outcomes=st.lists(st.sampled_from(list(Outcome)), max_size=6))
def test_outcomes_merge_worst_first_in_any_order(outcomes: list[Outcome]) -> None:
    merged = merge(outcomes)
    assert merged is merge(reversed(outcomes))
    if not outcomes:
        assert merged is Outcome.HELD
    else:
        assert severity(merged) == min(severity(one) for one in outcomes)
        assert (merged is Outcome.PASSED) == (set(outcomes) == {Outcome.PASSED})


def test_the_order_of_the_words() -> None:
    worst_first = [Outcome.FAILED, Outcome.HELD, Outcome.SUPERSEDED, Outcome.PENDING, Outcome.PASSED]
    assert sorted(Outcome, key=severity) == worst_first


def test_a_diagnosis_without_configuration_never_passes() -> None:
    raw = copy.deepcopy(PASS)
    del raw["config"], raw["environment"]
    verdict = judge(raw)
    assert verdict.word is VerdictWord.HELD
    assert verdict.reason.value == "NoRequest"


def test_no_moment_is_no_verdict() -> None:
    parsed = parse_recording(PASS)
    with pytest.raises(ValueError, match="no moment"):
        judge_moments(parsed.asked, parsed.git, ())
