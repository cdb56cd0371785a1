"""Comparing wanted with live objects, without a repository or a cluster."""

import copy
from typing import Any

from gate.lab.argocd.annotations import TRACKING, managed_by, resource_key, track
from gate.lab.argocd.comparison import Comparison, Wanted, compare
from gate.lab.argocd.conditions import COMPARED, SYNC, set_conditions
from gate.lab.argocd.differences import as_ignored
from gate.lab.argocd.patches import difference
from gate.lab.cluster.merging import merge_patched
from gate.lab.cluster.store import Object

SHA = "1" * 40
SOURCE = {"repoURL": "git://git.example.test/one.git", "path": "workloads", "targetRevision": SHA}
APP: Object = {
    "metadata": {"name": "orders", "namespace": "argocd"},
    "spec": {"source": SOURCE, "destination": {"server": "https://kubernetes.default.svc", "namespace": "shop"}},
}


def body(kind: str, name: str, version: str = "v1", **metadata: Any) -> Object:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, **metadata}, "spec": {}}


def tracked(found: Object) -> Object:
    made = copy.deepcopy(found)
    made["metadata"].setdefault("namespace", "shop")
    track(made, "orders", "shop")
    return made


def compared(targets: list[Object], live: list[Object], *, differ: bool = False, **wanted: Any) -> Comparison:
    given = Wanted((SOURCE,), (SHA,), targets=tuple(copy.deepcopy(targets)), **wanted)
    return compare(APP, given, {resource_key(one): one for one in live}, lambda _target, _live: differ)


def words(found: Comparison) -> tuple[str, str]:
    return found.sync["status"], found.health


def test_equal_objects_are_synced() -> None:
    service = body("Service", "web")
    found = compared([service], [tracked(service)])
    assert words(found) == ("Synced", "Healthy")
    assert found.resources == [
        {"version": "v1", "kind": "Service", "namespace": "shop", "name": "web", "status": "Synced"}
    ]
    compared_to = {"destination": APP["spec"]["destination"], "source": SOURCE}
    assert found.sync == {"status": "Synced", "revision": SHA, "comparedTo": compared_to}


def test_a_different_object_is_out_of_sync() -> None:
    service = body("Service", "web")
    assert words(compared([service], [tracked(service)], differ=True)) == ("OutOfSync", "Healthy")


def test_a_missing_object_is_out_of_sync_and_missing_only_with_a_health_rule() -> None:
    assert words(compared([body("Service", "web")], [])) == ("OutOfSync", "Missing")
    assert words(compared([body("ConfigMap", "web")], [])) == ("OutOfSync", "Healthy")


def test_an_object_that_git_does_not_have_needs_pruning() -> None:
    found = compared([], [tracked(body("Service", "web"))])
    assert words(found) == ("OutOfSync", "Healthy")
    assert found.resources[0]["requiresPruning"] is True


def test_what_another_application_manages_is_not_looked_at() -> None:
    other = tracked(body("Service", "web"))
    other["metadata"]["annotations"][TRACKING] = "basket:/Service:shop/web"
    assert compared([], [other]).resources == []
    shared = compared([body("Service", "web")], [other])
    assert shared.conditions == [
        ("SharedResourceWarning", "Service/web is part of applications argocd/orders and basket")
    ]


def test_a_copied_tracking_id_manages_nothing() -> None:
    deployment = tracked(body("Deployment", "web", "apps/v1"))
    copied = body("ReplicaSet", "web-1", "apps/v1", annotations=deployment["metadata"]["annotations"], namespace="shop")
    assert managed_by(deployment) == "orders"
    assert managed_by(copied) is None
    assert compared([], [copied]).resources == []


def test_hooks_are_no_part_of_the_comparison() -> None:
    hook = body("Job", "after", "batch/v1", annotations={"argocd.argoproj.io/hook": "PostSync"})
    before = compared([hook], [])
    assert (words(before), before.resources) == (("Synced", "Healthy"), [])
    after = compared([hook], [tracked(hook)])
    assert words(after) == ("Synced", "Healthy")
    assert {"hook", "requiresPruning"} <= after.resources[0].keys()
    assert "status" not in after.resources[0]


def test_what_is_skipped_has_no_word() -> None:
    skipped = body("ConfigMap", "web", annotations={"argocd.argoproj.io/hook": "Skip"})
    found = compared([skipped], [])
    assert words(found) == ("Synced", "Healthy")
    assert "status" not in found.resources[0]


def test_an_error_makes_everything_unknown_but_health() -> None:
    found = compared([], [tracked(body("Service", "web"))], error="no such commit")
    assert words(found) == ("Unknown", "Healthy")
    assert (found.resources[0]["status"], found.resources[0]["requiresPruning"]) == ("Unknown", True)
    assert found.error == "ComparisonError: Failed to load target state: no such commit"


def test_nothing_at_all_is_synced_and_healthy() -> None:
    found = compared([], [])
    assert (words(found), found.resources) == (("Synced", "Healthy"), [])


def test_several_sources_have_revisions_and_an_empty_source() -> None:
    wanted = Wanted((SOURCE, SOURCE), (SHA, SHA), several=True)
    sync = compare(APP, wanted, {}, lambda _target, _live: False).sync
    assert sync["revisions"] == [SHA, SHA]
    assert "revision" not in sync
    assert sync["comparedTo"]["source"] == {"repoURL": ""}


def test_an_object_written_twice_is_warned_of() -> None:
    found = compared([body("Service", "web"), body("Service", "web")], [])
    assert len(found.resources) == 1
    assert found.conditions == [
        ("RepeatedResourceWarning", "Resource /Service/shop/web appeared 2 times among application resources.")
    ]


def test_ignored_fields_are_taken_from_the_live_object() -> None:
    rule = {"group": "apps", "kind": "Deployment", "jsonPointers": ["/spec/replicas", "/spec/a~1b"]}
    app = {**APP, "spec": {**APP["spec"], "ignoreDifferences": [rule]}}
    target = {**body("Deployment", "web", "apps/v1"), "spec": {"replicas": 1, "a/b": 1, "image": "old"}}
    live = {**target, "spec": {"replicas": 5, "image": "new"}}
    assert as_ignored(app, target, live)["spec"] == {"replicas": 5, "image": "old"}
    assert as_ignored(app, body("Service", "web"), live)["spec"] == {}


def test_a_condition_keeps_its_time_until_it_says_something_else() -> None:
    status: Object = {}
    set_conditions(status, [("ComparisonError", "a")], COMPARED, "1")
    set_conditions(status, [("ComparisonError", "a")], COMPARED, "2")
    assert status["conditions"] == [{"type": "ComparisonError", "message": "a", "lastTransitionTime": "1"}]
    set_conditions(status, [("ComparisonError", "b")], COMPARED, "3")
    set_conditions(status, [], SYNC, "4")
    assert status["conditions"] == [{"type": "ComparisonError", "message": "b", "lastTransitionTime": "3"}]
    set_conditions(status, [], COMPARED, "5")
    assert status == {}


def test_a_difference_is_a_merge_patch() -> None:
    before = {"a": {"b": 1, "c": 2}, "d": [1], "e": 1}
    after = {"a": {"b": 1}, "d": [2], "f": {"g": 1}}
    patch = difference(before, after)
    assert patch == {"a": {"c": None}, "d": [2], "e": None, "f": {"g": 1}}
    assert merge_patched(before, patch) == after
    assert difference(after, after) == {}
