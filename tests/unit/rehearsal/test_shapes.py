"""Evidence as clusters have it and no configuration tells: what is altered is still what the gate looks at."""

import copy
import json
from pathlib import Path

import pytest

from gate.app.rehearsing import read_saved
from gate.errors import UsageError
from gate.rehearsal.rehearse import rehearse
from gate.rehearsal.results import Rehearsal
from tests.support import kept
from tests.support.bundles import Json, both, changed, find, recording
from tests.support.namespaces import OTHER, deployed_twice
from tests.support.raw_application import NAMESPACE
from tests.support.rehearsing import altering_only

ANSWERS = ("previous-release-answers", "another-release-answers", "one-answer-of-previous-release")
VERSION = "{label:app.kubernetes.io/version}"


def rehearsed(folder: Path, raw: Json) -> Rehearsal:
    """The rehearsal of this recording or evidence, from a file."""
    file = folder / "saved.json"
    file.write_text(json.dumps(raw), encoding="utf-8")
    passing = read_saved(file, None, None)
    return rehearse(passing, "recorded", passing.asked.settings)


def _proxy_first(moment: Json) -> None:
    """A service mesh has put its container before ours, in the spec and, by the alphabet, in the status."""
    for pod in (one for one in moment["objects"] if one["kind"] == "Pod"):
        pod["spec"]["containers"].insert(0, {"name": "a-proxy", "image": "mesh.example/proxy:1"})
        statuses = pod["status"]["containerStatuses"]
        digest = f"mesh.example/proxy@sha256:{'a' * 64}"
        statuses.insert(0, {**copy.deepcopy(statuses[0]), "name": "a-proxy", "imageID": digest})


def _two_families(moment: Json) -> None:
    """The Service has a slice for IPv6 before that for IPv4, and one that is empty."""
    made = find(moment, "EndpointSlice")
    six, empty = copy.deepcopy(made), copy.deepcopy(made)
    six |= {"addressType": "IPv6", "metadata": {**six["metadata"], "name": "web-6", "uid": "six"}}
    empty |= {"endpoints": None, "ports": None, "metadata": {**empty["metadata"], "name": "web-0", "uid": "empty"}}
    for number, endpoint in enumerate(six["endpoints"]):
        endpoint["addresses"] = [f"fd00::{number}"]
    for number, pod in enumerate(one for one in moment["objects"] if one["kind"] == "Pod"):
        pod["status"]["podIPs"].append({"ip": f"fd00::{number}"})
    moment["objects"][:0] = [empty, six]


def _hook_first(moment: Json) -> None:
    for app in both(moment):
        app["status"]["operationState"]["syncResult"]["resources"].sort(key=lambda one: one.get("hookType") is None)


def _odd(moment: Json) -> None:
    """All of it at once, and the same once more in another namespace."""
    _hook_first(moment)
    _two_families(moment)
    _proxy_first(moment)
    deployed_twice(moment)


@pytest.mark.exhaustive
def test_what_was_injected_and_what_comes_first_is_not_altered_in_place_of_what_counts(tmp_path: Path) -> None:
    raw = recording(hook=True, replicas=2)
    raw["config"]["environments"]["staging"]["workloads"] = [
        {"kind": "Deployment", "name": "web", "namespace": OTHER, "replicas": 2}
    ]
    made = rehearsed(tmp_path, changed(raw, _odd))
    assert made.passed_unaltered, made.unaltered
    assert [(one.name, one.subject) for one in made.passing] == []
    assert made.not_tried == ()
    assert made.refuses
    assert {f"Deployment {NAMESPACE}/web", f"Deployment {OTHER}/web"} <= {one.subject for one in made.alterations}


def _expecting(regex: str, body: str) -> Json:
    raw = recording()
    raw["config"]["environments"]["staging"]["requests"][0]["expect"] = {"regex": regex}
    return changed(raw, lambda moment: [one.update(body=body) for one in moment["responses"]])


SEEN_ONLY = _expecting(rf"^(?=.*\bup\b)release {VERSION}", "release 2.0.0 is up")
"""Nothing that is made up for a look-ahead holds what it asks for."""


def test_an_answer_that_cannot_be_made_up_is_the_one_that_was_seen_with_another_release_in_it(tmp_path: Path) -> None:
    with altering_only(*ANSWERS):
        made = rehearsed(tmp_path, SEEN_ONLY)
    assert made.refuses
    assert {one.name for one in made.alterations} == set(ANSWERS)
    assert {one.failed_layer for one in made.alterations} == {"request"}


def test_a_hole_shows_with_it_too(tmp_path: Path) -> None:
    with altering_only(*ANSWERS):
        made = rehearsed(tmp_path, _expecting(rf"^(?=.*\bup\b)(release {VERSION}|release [0-9.]+)", "release 2.0.0 up"))
    assert not made.refuses
    assert {one.name for one in made.passing} >= {"previous-release-answers", "another-release-answers"}


def _selecting(label: str, expect: str, **labels: str) -> Json:
    """The recording of a workload whose selector asks for one label more, and whose answer is the one expected."""

    def change(moment: Json) -> None:
        for one in (one for key in ("objects", "objects-again") for one in moment.get(key) or ()):
            spec = one["spec"] if one["kind"] in ("Deployment", "ReplicaSet") else {}
            for template in (spec["template"], one) if spec else (one,):
                template["metadata"].setdefault("labels", {}).update(labels)
            if one["kind"] == "Deployment":
                spec["selector"]["matchLabels"][label] = labels[label]

    raw = recording()
    raw["config"]["environments"]["staging"]["requests"][0]["expect"] = {"body": expect}
    made = changed(raw, change)
    return changed(made, lambda moment: [one.update(body="red") for one in moment["responses"]])


@pytest.mark.parametrize("as_evidence", [False, True])
def test_a_label_in_the_selector_cannot_name_a_release(tmp_path: Path, *, as_evidence: bool) -> None:
    raw = _selecting("color", "{label:color}", color="red")
    with altering_only(*ANSWERS):
        made = rehearsed(tmp_path, kept.written(kept.evidence(raw)) if as_evidence else raw)
    assert made.passed_unaltered, made.unaltered
    assert {one.name for one in made.passing} == set(ANSWERS)
    assert made.not_tried == ()
    (advice,) = made.advice
    assert "{label:color}: in the selector of the workload" in advice
    assert not made.refuses


def _in_another_color(moment: Json) -> None:
    (older,) = [one for one in moment["objects"] if one["kind"] == "ReplicaSet" and one["spec"]["replicas"] == 0]
    older["spec"]["template"]["metadata"]["labels"]["color"] = "blue"


@pytest.mark.parametrize("known", [False, True])
def test_a_label_beside_the_selector_may_and_does_where_an_earlier_release_had_another(
    tmp_path: Path, *, known: bool
) -> None:
    raw = _selecting("other", "{label:color}", color="red", other="x")
    with altering_only(*ANSWERS):
        made = rehearsed(tmp_path, changed(raw, _in_another_color) if known else raw)
    assert made.refuses, (made.unaltered, made.advice)
    assert made.advice == ()
    said = [warning.partition(": no earlier release")[0] for warning in made.warnings]
    assert said == ([] if known else ["request version rests on {label:color}"])


def test_where_no_answer_was_kept_it_could_not_be_tried(tmp_path: Path) -> None:
    """Evidence keeps what was seen of a body and not the body."""
    with altering_only(*ANSWERS, "old-pods-serving"):
        made = rehearsed(tmp_path, kept.written(kept.evidence(SEEN_ONLY)))
    assert made.passed_unaltered
    assert {one.name for one in made.not_tried} == set(ANSWERS)
    assert all("--live" in one.change for one in made.not_tried)
    assert not made.refuses


@pytest.mark.exhaustive
def test_many_moments_are_judged_once(tmp_path: Path) -> None:
    """The last that pass are found among them; it would take minutes were each tried as the first."""
    raw = recording(times=range(20, 120))
    raw = changed(raw, lambda moment: moment.update(responses=[]), polls=range(90, 100))
    with altering_only("no-responses", "single-bundle"):
        made = rehearsed(tmp_path, raw)
    assert made.refuses, made.unaltered


def test_moments_out_of_order_are_refused(tmp_path: Path) -> None:
    raw = recording()
    raw["polls"].reverse()
    with pytest.raises(UsageError, match="out of order"):
        rehearsed(tmp_path, raw)
