"""What is written through the laboratory's API server, beside what the recorded answers show."""

import json
from typing import Any

import pytest

from gate.lab.cluster.server import ClusterServer
from gate.lab.cluster.store import Object
from tests.support.lab_cluster import NAMESPACE, lab_server, send, stand
from tests.support.loopback import asynchronous

PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
MAPS = f"/api/v1/namespaces/{NAMESPACE}/configmaps"
DEPLOYMENTS = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments"
APPLY = {"Content-Type": "application/apply-patch+yaml"}
MERGE = {"Content-Type": "application/merge-patch+json"}


async def _write(
    server: ClusterServer, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
) -> tuple[int, Object]:
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    status, _, answer = await send(server, method, path, data, {"Content-Type": "application/json", **(headers or {})})
    return status, json.loads(answer)


@asynchronous
async def test_a_name_is_made_where_only_its_beginning_is_given() -> None:
    async with lab_server() as server:
        names = set()
        for _ in range(3):
            status, made = await _write(server, "POST", MAPS, {"metadata": {"generateName": "some-"}})
            assert (status, made["metadata"]["name"][:5], len(made["metadata"]["name"])) == (201, "some-", 10)
            names.add(made["metadata"]["name"])
        assert len(names) == 3
        assert (await _write(server, "POST", MAPS, {"metadata": {}}))[0] == 422


@asynchronous
async def test_what_is_only_tried_is_not_written() -> None:
    async with lab_server() as server:
        stand(server.store)
        version = server.store.version
        for method, path, body, headers in (
            ("POST", MAPS, {"metadata": {"name": "a"}}, {}),
            ("PATCH", f"{DEPLOYMENTS}/web", {"spec": {"replicas": 5}}, MERGE),
            ("PATCH", f"{DEPLOYMENTS}/web/status", {"status": {"replicas": 5}}, MERGE),
            ("DELETE", f"{PODS}/web-0", None, {}),
            ("DELETE", f"{DEPLOYMENTS}/web", {"dryRun": ["All"]}, {}),
        ):
            query = "" if body == {"dryRun": ["All"]} else "?dryRun=All"
            status, _ = await _write(server, method, path + query, body, headers)
            assert (status in (200, 201), server.store.version) == (True, version)


@asynchronous
async def test_apply_takes_yaml_and_wants_to_know_who_applies() -> None:
    async with lab_server() as server:
        manifest = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  colour: red # a comment\n"
        status, refused = await _write(server, "PATCH", f"{MAPS}/a", manifest, APPLY)
        assert (status, "fieldManager: Required value" in refused["message"]) == (422, True)
        status, made = await _write(server, "PATCH", f"{MAPS}/a?fieldManager=me", manifest, APPLY)
        assert (status, made["data"]) == (201, {"colour": "red"})
        assert (await _write(server, "PATCH", f"{MAPS}/a?fieldManager=me", b"a: [", APPLY))[0] == 400
        assert (await _write(server, "PATCH", f"{MAPS}/a?fieldManager=me", b"- a", APPLY))[0] == 400


@asynchronous
async def test_a_replacement_is_of_the_newest_version_or_refused() -> None:
    async with lab_server() as server:
        _, made = await _write(server, "POST", MAPS, {"metadata": {"name": "a"}, "data": {"colour": "red"}})
        changed = {**made, "data": {"colour": "blue"}}
        assert (await _write(server, "PUT", f"{MAPS}/a", changed))[0] == 200
        status, refused = await _write(server, "PUT", f"{MAPS}/a", {**made, "data": {"colour": "green"}})
        assert (status, refused["reason"]) == (409, "Conflict")
        assert server.store.get("ConfigMap", NAMESPACE, "a")["data"] == {"colour": "blue"}
        assert (await _write(server, "PUT", f"{MAPS}/b", {**made, "metadata": {"name": "b"}}))[0] == 404


@asynchronous
async def test_a_pod_on_a_node_stays_for_its_grace_and_goes_at_once_without_one() -> None:
    async with lab_server() as server:
        stand(server.store, pods=2)
        for name in ("web-0", "web-1"):
            server.store.change("Pod", NAMESPACE, name, lambda pod: pod["spec"].update(nodeName="node1"))
        status, marked = await _write(server, "DELETE", f"{PODS}/web-0?gracePeriodSeconds=7")
        assert (status, marked["metadata"]["deletionGracePeriodSeconds"]) == (200, 7)
        assert server.store.find("Pod", NAMESPACE, "web-0") is not None
        assert (await _write(server, "DELETE", f"{PODS}/web-1", {"gracePeriodSeconds": 0}))[0] == 200
        assert server.store.find("Pod", NAMESPACE, "web-1") is None


@pytest.mark.parametrize(("policy", "owned"), [("Orphan", False), ("Background", True), ("Foreground", True)])
@asynchronous
async def test_dependents_are_left_to_the_garbage_collector_unless_they_are_to_stay(policy: str, owned: bool) -> None:
    async with lab_server() as server:
        stand(server.store)
        uid = server.store.get("Deployment", NAMESPACE, "web")["metadata"]["uid"]
        reference = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": uid, "controller": True}
        server.store.change("Pod", NAMESPACE, "web-0", lambda pod: pod["metadata"].update(ownerReferences=[reference]))
        assert (await _write(server, "DELETE", f"{DEPLOYMENTS}/web?propagationPolicy={policy}"))[0] == 200
        assert bool(server.store.get("Pod", NAMESPACE, "web-0")["metadata"]["ownerReferences"]) is owned


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("PUT", MAPS, 405),
        ("DELETE", MAPS, 405),
        ("POST", "/api/v1/configmaps", 405),
        ("POST", f"{MAPS}/a", 405),
        ("PATCH", f"{MAPS}/a/status", 404),
        ("PATCH", f"{DEPLOYMENTS}/web/scale", 404),
        ("GET", "/api/v1/configmaps/a", 404),
        ("GET", f"{MAPS}/a/b/c", 404),
        ("POST", "/version", 404),
        ("GET", "/", 404),
        ("GET", "//", 404),
        ("GET", "/api/v1/namespaces/%2e%2e/configmaps/a", 404),
    ],
)
@asynchronous
async def test_what_is_not_offered_is_refused_and_nothing_is_written(method: str, path: str, expected: int) -> None:
    async with lab_server() as server:
        version = server.store.version
        status, _, _ = await send(server, method, path, b"{}", MERGE)
        assert (status, server.store.version) == (expected, version)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", f"{DEPLOYMENTS}/web", b'{"metadata": null}'),
        ("PATCH", f"{DEPLOYMENTS}/web", b'{"spec": 7}'),
        ("PATCH", f"{DEPLOYMENTS}/web", b"[]"),
        ("PUT", f"{DEPLOYMENTS}/web", b'{"metadata": 7}'),
        ("POST", DEPLOYMENTS, b'{"metadata": {"name": 7}}'),
        ("POST", DEPLOYMENTS, b'{"metadata": {"name": "a"}, "spec": []}'),
        ("DELETE", f"{PODS}/web-0?gracePeriodSeconds=soon", b""),
        ("GET", f"{PODS}?watch=1&timeoutSeconds=soon", b""),
        ("GET", f"{PODS}?limit=many", b""),
    ],
)
@asynchronous
async def test_what_has_another_form_is_refused_and_nothing_is_written(method: str, path: str, body: bytes) -> None:
    async with lab_server() as server:
        stand(server.store)
        version = server.store.version
        status, _, answer = await send(server, method, path, body, MERGE)
        assert (status, json.loads(answer)["reason"], server.store.version) == (400, "BadRequest", version)
