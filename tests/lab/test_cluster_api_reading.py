"""The gate's own Kubernetes client reads the laboratory's API server: objects, lists, what is refused."""

import json
from typing import Any

import pytest

from gate.adapters.failures import Cause, ReadFailed
from gate.adapters.kubernetes import listing
from gate.adapters.kubernetes.kinds import KINDS as READ_BY_THE_GATE
from gate.adapters.kubernetes.transport import Limits
from gate.lab.cluster.apply import create
from gate.lab.cluster.kinds import KINDS
from gate.lab.cluster.store import Object
from tests.support.lab_cluster import NAMESPACE, gate_reads, lab_server, send, stand
from tests.support.loopback import asynchronous


def test_every_kind_that_the_gate_reads_is_served_where_it_asks_for_it() -> None:
    for name, kind in READ_BY_THE_GATE.items():
        assert (KINDS[name].api_version, KINDS[name].plural) == kind


@asynchronous
async def test_objects_and_lists_are_read_as_they_are() -> None:
    async with lab_server() as server, gate_reads(server) as api:
        pods = stand(server.store, pods=2)
        assert await api.get("Deployment", NAMESPACE, "web") == server.store.get("Deployment", NAMESPACE, "web")
        assert list(await api.list_objects("Pod", NAMESPACE)) == pods
        assert list(await api.list_objects("Pod", NAMESPACE, "app=web,app.kubernetes.io/version!=2")) == pods
        assert await api.list_objects("Pod", NAMESPACE, "app=other") == ()
        assert await api.list_objects("Pod", "elsewhere") == ()
        assert await api.list_objects("Job", NAMESPACE) == ()


@asynchronous
async def test_an_absent_object_is_none_and_a_kind_that_is_not_served_is_a_failure() -> None:
    async with lab_server() as server, gate_reads(server) as api:
        assert await api.get("Deployment", NAMESPACE, "web") is None
        with pytest.MonkeyPatch.context() as patch:
            patch.delitem(KINDS, "Application")
            with pytest.raises(ReadFailed) as caught:
                await api.get("Application", "argocd", "web")
        assert caught.value.cause is Cause.NOT_SERVED


def _event(name: str, kind: str, type_: str = "Warning") -> Object:
    about = {"kind": kind, "name": "web", "namespace": NAMESPACE}
    metadata = {"name": name, "namespace": NAMESPACE}
    return {"apiVersion": "v1", "kind": "Event", "metadata": metadata, "involvedObject": about, "type": type_}


@asynchronous
async def test_events_are_chosen_by_their_fields() -> None:
    async with lab_server() as server, gate_reads(server) as api:
        for one in (_event("a", "Pod"), _event("b", "Pod", "Normal"), _event("c", "Deployment")):
            create(server.store, one)

        async def names(selector: str) -> list[str]:
            return [one["metadata"]["name"] for one in await api.list_objects("Event", NAMESPACE, "", selector)]

        assert await names("type=Warning") == ["a", "c"]
        assert await names("type!=Warning") == ["b"]
        assert await names("involvedObject.kind=Pod,type=Warning") == ["a"]
        assert await names("metadata.name=c") == ["c"]
        with pytest.raises(ReadFailed, match=r"field label not supported: involvedObject\.color"):
            await names("involvedObject.color=red")


@asynchronous
async def test_a_list_is_read_over_its_pages_as_it_was_at_the_first() -> None:
    async with lab_server() as server, gate_reads(server) as api:
        stand(server.store, pods=5)
        expected = server.store.objects("Pod", NAMESPACE)
        first = await _page(server, "")
        server.store.remove("Pod", NAMESPACE, "web-3")
        second = await _page(server, first["metadata"]["continue"])
        third = await _page(server, second["metadata"]["continue"])
        names = [one["metadata"]["name"] for one in (*first["items"], *second["items"], *third["items"])]
        assert names == [one["metadata"]["name"] for one in expected]
        assert [first["metadata"]["remainingItemCount"], second["metadata"]["remainingItemCount"]] == [3, 1]
        assert "continue" not in third["metadata"]
        assert len({one["metadata"]["resourceVersion"] for one in (first, second, third)}) == 1
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(listing, "PAGE", 2)
            assert len(await api.list_objects("Pod", NAMESPACE)) == 4


@asynchronous
async def test_a_list_that_expires_between_two_pages_is_begun_again() -> None:
    async with lab_server() as server, gate_reads(server) as api:
        stand(server.store, pods=3)
        token = (await _page(server, ""))["metadata"]["continue"]
        server.store.forget_changes()
        server.store.change("Pod", NAMESPACE, "web-0", lambda pod: pod["metadata"].update(labels={}))
        server.store.forget_changes()
        status, _, body = await send(server, "GET", f"/api/v1/namespaces/{NAMESPACE}/pods?limit=2&continue={token}")
        assert (status, b'"reason":"Expired"' in body) == (410, True)
        assert len(await api.list_objects("Pod", NAMESPACE)) == 3


async def _page(server: Any, token: str) -> Any:
    path = f"/api/v1/namespaces/{NAMESPACE}/pods?limit=2&continue={token}"
    return json.loads((await send(server, "GET", path))[2])


@asynchronous
async def test_the_reader_is_refused_what_it_may_not_read_and_nobody_reads_without_a_token() -> None:
    async with lab_server() as server:
        for token in ("", "other", server.accounts.admin.token[:-1]):
            status, _, body = await send(server, "GET", f"/api/v1/namespaces/{NAMESPACE}/pods", token=token)
            assert (status, b"Unauthorized" in body) == (401, True)
        reader = server.accounts.reader.token
        assert (await send(server, "GET", f"/api/v1/namespaces/{NAMESPACE}/pods", token=reader))[0] == 200
        assert (await send(server, "GET", f"/api/v1/namespaces/{NAMESPACE}/secrets", token=reader))[0] == 403


@asynchronous
async def test_a_token_may_stand_in_the_path_for_kubectl_but_a_wrong_one_not() -> None:
    async with lab_server() as server:
        path = f"/api/v1/namespaces/{NAMESPACE}/configmaps"
        accounts = server.accounts
        assert (await send(server, "GET", f"/as/{accounts.admin.token}{path}", token=""))[0] == 200
        assert (await send(server, "GET", f"/as/{accounts.reader.token}{path}", token=""))[0] == 403
        assert (await send(server, "GET", f"/as/other{path}"))[0] == 401


@asynchronous
async def test_a_body_that_is_too_long_is_refused_by_the_gate_and_the_server_goes_on() -> None:
    async with lab_server() as server:
        stand(server.store, pods=3)
        async with gate_reads(server, limits=Limits(body=1024)) as api:
            with pytest.raises(ReadFailed) as caught:
                await api.list_objects("Pod", NAMESPACE)
            assert caught.value.cause is Cause.TOO_LARGE
        async with gate_reads(server) as api:
            assert len(await api.list_objects("Pod", NAMESPACE)) == 3
