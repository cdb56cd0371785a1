"""Reading objects and lists: whole, what was asked for, or a failure; absent is told apart from not served."""

import json
from typing import Any

import pytest
from pydantic import SecretStr

from gate.adapters.failures import Cause, ReadFailed
from gate.adapters.kubernetes.access import ServerAccess
from gate.adapters.kubernetes.api import KubernetesApi
from gate.adapters.kubernetes.connection import Setting
from gate.adapters.kubernetes.kinds import KINDS
from gate.errors import InternalError
from tests.support.kubernetes import TOKEN, cluster, failing, get_web, list_pods, page, status, thing
from tests.support.loopback import Asked, Reply, asynchronous


@pytest.mark.parametrize("kind", sorted(KINDS))
@asynchronous
async def test_every_kind_is_read_where_it_is_served(kind: str) -> None:
    async with cluster(lambda _: Reply(body=thing(kind))) as (api, server):
        assert await api.get(kind, "orders", "web") == thing(kind)
        root = "/api" if kind in {"Pod", "Service", "Event"} else "/apis"
        plural = KINDS[kind].plural
        assert server.asked[0].path == f"{root}/{KINDS[kind].api_version}/namespaces/orders/{plural}/web"
        assert server.asked[0].method == "GET"
        assert server.asked[0].headers["authorization"] == f"Bearer {TOKEN}"
        assert server.asked[0].query == {}


@asynchronous
async def test_an_object_that_is_not_there_is_none() -> None:
    absent = status(404, "NotFound", 'deployments.apps "web" not found', name="web", group="apps", kind="deployments")
    async with cluster(lambda _: absent) as (api, _):
        assert await get_web(api) is None


@pytest.mark.parametrize(
    "reply",
    [
        Reply(404, "404 page not found\n"),
        status(404, "NotFound", "the server could not find the requested resource"),
        status(404, "NotFound", "another", name="other"),
        Reply(404, {"kind": "Other", "details": {"name": "web"}}),
        Reply(404, b""),
    ],
)
@asynchronous
async def test_a_kind_that_is_not_served_is_not_an_absent_object(reply: Reply) -> None:
    for read in (
        lambda api: api.get("Application", "argocd", "web"),
        lambda api: api.list_objects("Application", "argocd"),
    ):
        error = await failing(read, lambda _: reply)
        assert error.cause is Cause.NOT_SERVED
        assert error.status == 404
        assert "does not serve Application (argoproj.io/v1alpha1): the CRD is missing" in error.error


@asynchronous
async def test_the_objects_of_all_pages_get_their_kind() -> None:
    pages = {
        "": page("Pod", [{"metadata": {"name": "a"}}], "two", remainingItemCount=2),
        "two": page("Pod", [{"metadata": {"name": "b"}}], "three"),
        "three": page("Pod", [{"metadata": {"name": "c"}, "kind": "Pod", "apiVersion": "v1"}]),
    }
    async with cluster(lambda asked: pages[asked.query.get("continue", "")]) as (api, server):
        found = await api.list_objects("Pod", "orders", "app=web", "status.phase=Running")
        assert [item["metadata"]["name"] for item in found] == ["a", "b", "c"]
        assert all((item["kind"], item["apiVersion"]) == ("Pod", "v1") for item in found)
        selectors = {"labelSelector": "app=web", "fieldSelector": "status.phase=Running", "limit": "500"}
        assert server.asked[0].query == selectors
        assert server.asked[2].query == selectors | {"continue": "three"}
        assert server.connections == 1


@asynchronous
async def test_an_empty_list_is_empty_and_null_endpoints_are_kept() -> None:
    async with cluster(lambda _: page("Pod", [])) as (api, _):
        assert await list_pods(api) == ()
    empty = {"metadata": {"name": "web-1"}, "endpoints": None, "ports": None}
    async with cluster(lambda _: page("EndpointSlice", [empty])) as (api, _):
        (found,) = await api.list_objects("EndpointSlice", "orders")
        assert found["endpoints"] is None


@asynchronous
async def test_a_list_that_expires_between_pages_is_begun_again() -> None:
    answers = [
        page("Pod", [{"metadata": {"name": "old"}}], "two"),
        status(410, "Expired", "The provided continue parameter is too old", continueToken="x"),
        page("Pod", [{"metadata": {"name": "a"}}], "three"),
        page("Pod", [{"metadata": {"name": "b"}}]),
    ]
    async with cluster(lambda _: answers.pop(0)) as (api, server):
        assert [item["metadata"]["name"] for item in await list_pods(api)] == ["a", "b"]
        assert "continue" not in server.asked[2].query


@asynchronous
async def test_a_list_that_always_expires_is_a_failure() -> None:
    def handler(asked: Asked) -> Reply:
        return status(410, "Expired", "too old") if "continue" in asked.query else page("Pod", [], "two")

    error = await failing(list_pods, handler)
    assert (error.cause, error.status) == (Cause.EXPIRED, 410)


@pytest.mark.parametrize(
    "body",
    [
        {"kind": "PodList", "metadata": {}, "items": None},
        {"kind": "PodList", "metadata": {}},
        {"kind": "PodList", "metadata": {}, "items": {}},
        {"kind": "PodList", "metadata": {}, "items": [None]},
        {"kind": "PodList", "metadata": {}, "items": ["pod"]},
        {"kind": "PodList", "items": []},
        {"kind": "PodList", "metadata": None, "items": []},
        {"kind": "PodList", "metadata": {"continue": None}, "items": []},
        {"kind": "PodList", "metadata": {"continue": 1}, "items": []},
        {"kind": "PodList", "metadata": {"remainingItemCount": 3}, "items": []},
        {"kind": "PodList", "metadata": {"continue": "same"}, "items": []},
        {"kind": "ServiceList", "metadata": {}, "items": []},
        {"kind": "Status", "metadata": {}, "items": []},
        {},
        [],
        None,
        "PodList",
    ],
)
@asynchronous
async def test_a_list_that_is_not_whole_is_no_list(body: Any) -> None:
    error = await failing(list_pods, lambda _: Reply(body=json.dumps(body)))
    assert error.cause is Cause.MALFORMED
    assert error.what == "Pod"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"kind": "Deployment"',
        b"<html>sign in</html>",
        b"\xff\xfe",
        b"null",
        b"[]",
        b"7",
        b"NaN",
        b"[" * 100_000,
        b'{"a": ' * 100_000,
        json.dumps(thing() | {"note": "\ud800"}).encode(),
        b'{"a": ' + b"9" * 5000 + b"}",
        json.dumps(thing(name="other")).encode(),
        json.dumps(thing(namespace="other")).encode(),
        json.dumps(thing("Pod")).encode(),
        json.dumps(thing() | {"metadata": None}).encode(),
        b"{}",
    ],
)
@asynchronous
async def test_an_answer_that_is_not_the_object_is_a_failure(body: bytes) -> None:
    error = await failing(get_web, lambda _: Reply(body=body))
    assert error.cause is Cause.MALFORMED
    assert error.what == "Deployment orders/web"


@asynchronous
async def test_a_paired_surrogate_is_text() -> None:
    body = json.dumps(thing() | {"note": "\N{ROCKET}"}).encode()
    async with cluster(lambda _: Reply(body=body)) as (api, _):
        assert (await get_web(api))["note"] == "\N{ROCKET}"


@asynchronous
async def test_an_api_that_was_not_opened_says_so() -> None:
    api = KubernetesApi(ServerAccess(server="https://127.0.0.1:1", token=SecretStr(TOKEN)), Setting())
    with pytest.raises(InternalError):
        await get_web(api)


@asynchronous
async def test_a_list_that_goes_round_in_circles_is_given_up() -> None:
    async with cluster(lambda _: page("Pod", [], "same")) as (api, server):
        with pytest.raises(ReadFailed, match="does not end"):
            await list_pods(api)
        assert len(server.asked) == 2
