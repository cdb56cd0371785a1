"""How a body is applied, patched and merged into what is there."""

import copy
from typing import Any

import pytest

from gate.lab.cluster.apply import NamespaceEnds, apply, create, merge_patch, strategic_patch
from gate.lab.cluster.store import AlreadyExists, Conflict, NotFound, Object, Store
from gate.lab.manifests import web_release

PLACE = "orders"


def _store() -> Store:
    store = Store()
    create(store, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": PLACE}})
    return store


def _deployment(**spec: Any) -> Object:
    body = web_release("web", "1.0.0", namespace=PLACE, strategy="RollingUpdate")[1]
    body["spec"].update(spec)
    return body


def _with_environment(*names: str) -> Object:
    body = copy.deepcopy(_deployment())
    _container(body)["env"] = [{"name": name, "value": "1"} for name in names]
    return body


def _container(body: Object) -> Object:
    one: Object = body["spec"]["template"]["spec"]["containers"][0]
    return one


def _names(body: Object) -> list[str]:
    return [one["name"] for one in _container(body)["env"]]


def test_the_words_are_created_unchanged_configured() -> None:
    store = _store()
    assert apply(store, _deployment()).result == "created"
    version = store.version
    assert apply(store, _deployment()).result == "unchanged"
    assert store.version == version
    assert apply(store, _deployment(replicas=2)).result == "configured"
    assert store.get("Deployment", PLACE, "web")["metadata"]["generation"] == 2


def test_what_is_only_tried_is_told_and_not_written() -> None:
    store = _store()
    version = store.version
    assert apply(store, _deployment(), dry_run=True).result == "created"
    assert store.version == version
    live = apply(store, _deployment()).body
    tried = apply(store, _deployment(replicas=2), dry_run=True)
    assert (tried.result, tried.body["spec"]["replicas"], tried.body["metadata"]["generation"]) == ("configured", 2, 2)
    assert store.get("Deployment", PLACE, "web") == live
    assert apply(store, _deployment()).result == "unchanged"


def test_what_is_no_longer_applied_goes_and_what_others_wrote_stays() -> None:
    store = _store()
    apply(store, {**_deployment(), "metadata": {**_deployment()["metadata"], "annotations": {"a": "1", "b": "1"}}})
    merge_patch(store, "Deployment", PLACE, "web", {"metadata": {"annotations": {"by": "hand"}}})
    body = apply(store, {**_deployment(), "metadata": {**_deployment()["metadata"], "annotations": {"a": "2"}}}).body
    assert body["metadata"]["annotations"] == {"a": "2", "by": "hand"}
    assert apply(store, _deployment()).body["metadata"]["annotations"] == {"by": "hand"}


def test_a_number_of_replicas_that_is_no_longer_applied_is_the_default_again() -> None:
    store = _store()
    apply(store, _deployment(replicas=3))
    body = _deployment()
    del body["spec"]["replicas"]
    assert apply(store, body).body["spec"]["replicas"] == 1


def test_lists_are_merged_by_their_keys() -> None:
    store = _store()
    apply(store, _with_environment("A", "B"))
    by_hand = copy.deepcopy(store.get("Deployment", PLACE, "web"))
    _container(by_hand)["env"].append({"name": "HAND", "value": "1"})
    merge_patch(store, "Deployment", PLACE, "web", {"spec": by_hand["spec"]})
    assert _names(apply(store, _with_environment("C", "B")).body) == ["C", "B", "HAND"]
    strategic_patch(
        store, "Deployment", PLACE, "web", _patch({"name": "B", "$patch": "delete"}, {"name": "D", "value": "2"})
    )
    assert _names(store.get("Deployment", PLACE, "web")) == ["D", "C", "HAND"]


def _patch(*environment: Object) -> Object:
    return {"spec": {"template": {"spec": {"containers": [{"name": "web", "env": list(environment)}]}}}}


def test_what_another_manager_applied_stays_until_it_lets_go() -> None:
    store = _store()
    apply(store, _with_environment("A"), manager="one")
    apply(store, _with_environment("A", "B"), manager="two")
    assert _names(apply(store, _with_environment("A", "B"), manager="one").body) == ["A", "B"]
    assert _names(apply(store, _with_environment("A"), manager="two").body) == ["A", "B"]
    assert _names(apply(store, _with_environment("A"), manager="one").body) == ["A"]


def test_lists_of_custom_resources_are_replaced_as_a_whole() -> None:
    store = _store()
    body = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "a", "namespace": PLACE},
        "spec": {"sources": [{"name": "x", "path": "1"}, {"name": "y"}]},
    }
    apply(store, body)
    changed = apply(store, {**body, "spec": {"sources": [{"name": "y", "path": "2"}]}}).body
    assert changed["spec"] == {"sources": [{"name": "y", "path": "2"}]}
    assert changed["metadata"]["generation"] == 2


def test_another_strategy_leaves_nothing_of_the_old_one() -> None:
    store = _store()
    apply(store, _deployment())
    assert apply(store, _deployment(strategy={"type": "Recreate"})).body["spec"]["strategy"] == {"type": "Recreate"}


def test_the_status_is_written_through_its_subresource_only() -> None:
    store = _store()
    apply(store, _deployment())
    place = ("Deployment", PLACE, "web")
    merge_patch(store, *place, {"status": {"replicas": 1}, "spec": {"replicas": 7}}, subresource="status")
    live = store.get(*place)
    assert (live["status"], live["spec"]["replicas"], live["metadata"]["generation"]) == ({"replicas": 1}, 1, 1)
    merge_patch(store, *place, {"status": {"replicas": 9}, "metadata": {"labels": {"a": "b"}}})
    assert store.get(*place)["status"] == {"replicas": 1}
    assert apply(store, {**_deployment(), "status": {"replicas": 9}}).body["status"] == {"replicas": 1}


def test_null_removes_and_an_old_version_conflicts() -> None:
    store = _store()
    live = apply(store, _deployment()).body
    place = ("Deployment", PLACE, "web")
    assert "labels" not in merge_patch(store, *place, {"metadata": {"labels": None}})["metadata"]
    for write in (
        lambda: merge_patch(store, *place, {"metadata": {"resourceVersion": live["metadata"]["resourceVersion"]}}),
        lambda: apply(store, live),
    ):
        with pytest.raises(Conflict, match=r"deployments\.apps \"web\": the object has been modified"):
            write()


def test_where_there_is_no_place_nothing_is_made() -> None:
    store = _store()
    elsewhere = {**_deployment(), "metadata": {"name": "web", "namespace": "elsewhere"}}
    with pytest.raises(NotFound, match='namespaces "elsewhere" not found'):
        apply(store, elsewhere)
    create(store, _deployment())
    with pytest.raises(AlreadyExists, match=r'deployments\.apps "web" already exists'):
        create(store, _deployment())
    store.delete("Namespace", "", PLACE)
    late = {**_deployment(), "metadata": {"name": "late", "namespace": PLACE}}
    with pytest.raises(NamespaceEnds, match=f"unable to create new content in namespace {PLACE}"):
        apply(store, late)
    with pytest.raises(NotFound, match=r'deployments\.apps "other" not found'):
        merge_patch(store, "Deployment", PLACE, "other", {})
