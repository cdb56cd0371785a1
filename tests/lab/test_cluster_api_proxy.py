"""Requests through the laboratory's Service proxy, sent by the gate's own client."""

from typing import Any

import pytest
from pydantic import SecretStr

from gate.adapters.kubernetes.kinds import ServiceTarget
from gate.facts.moment import RawResponse
from gate.lab.cluster.server import ClusterServer
from gate.lab.cluster.store import Object
from gate.lab.cluster.web import Answer
from tests.support.lab_cluster import NAMESPACE, endpoint_slice, gate_reads, lab_server, send, stand
from tests.support.loopback import asynchronous

WEB = ServiceTarget(NAMESPACE, "web", "http")


async def _sample(
    server: ClusterServer, target: ServiceTarget = WEB, path: str = "/version", **options: Any
) -> RawResponse:
    async with gate_reads(server) as api:
        return await api.send_by_proxy("version", target, path=path, **options)


@pytest.mark.parametrize("port", ["http", "80"])
@asynchronous
async def test_a_ready_pod_answers_what_it_was_asked(port: str) -> None:
    async with lab_server() as server:
        stand(server.store)
        response = await _sample(server, ServiceTarget(NAMESPACE, "web", port), "/a%20b/?x=1&y=%20")
        assert (response.status, response.error) == (200, None)
        assert response.body == '{"pod": "web-0", "method": "GET", "path": "/a%20b/?x=1&y=%20"}'
        assert response.headers == {"content-type": "application/json"}


@asynchronous
async def test_every_ready_pod_is_asked_sooner_or_later_and_no_other() -> None:
    async with lab_server() as server:
        pods = stand(server.store, pods=3)
        server.store.change("EndpointSlice", NAMESPACE, "web-slice", _third_not_ready)
        async with gate_reads(server) as api:
            answers = {(await api.send_by_proxy("version", WEB, path="/version")).body for _ in range(40)}
        assert answers == {
            f'{{"pod": "{pod["metadata"]["name"]}", "method": "GET", "path": "/version"}}' for pod in pods[:2]
        }


def _third_not_ready(body: Object) -> None:
    body["endpoints"][2]["conditions"] = {"ready": False, "serving": True, "terminating": True}


@asynchronous
async def test_the_answer_is_the_pods_whatever_its_status() -> None:
    for status in (200, 302, 404, 500, 503):
        async with lab_server(
            lambda *_, status=status: Answer(status, {"Content-Type": "text/plain"}, b"mine")
        ) as server:
            stand(server.store)
            response = await _sample(server)
            assert (response.status, response.body) == (status, "mine")


@asynchronous
async def test_where_no_pod_can_answer_the_api_server_does() -> None:
    async with lab_server(lambda *_: None) as server:
        stand(server.store)
        for target, words in (
            (WEB, "error trying to reach service: dial tcp 10.244.0.10:8080: connect: connection refused"),
            (ServiceTarget(NAMESPACE, "web", "81"), 'no service port 81 found for service \\"web\\"'),
            (ServiceTarget(NAMESPACE, "web", "admin"), 'no endpoints available for service \\"web:admin\\"'),
        ):
            response = await _sample(server, target)
            assert response.status == 503
            assert words in str(response.body)
            assert '"reason":"ServiceUnavailable"' in str(response.body)
        server.store.change("EndpointSlice", NAMESPACE, "web-slice", lambda body: body.update(endpoints=[]))
        assert 'no endpoints available for service \\"web\\"' in str((await _sample(server)).body)
        assert (await _sample(server, ServiceTarget(NAMESPACE, "other", "http"))).status == 404


@asynchronous
async def test_a_port_that_the_pod_does_not_listen_on_and_a_pod_that_has_gone_cannot_be_reached() -> None:
    async with lab_server() as server:
        pods = stand(server.store)
        changed = endpoint_slice("web", NAMESPACE, pods, port=9)
        server.store.change("EndpointSlice", NAMESPACE, "web-slice", lambda body: body.update(ports=changed["ports"]))
        assert "dial tcp 10.244.0.10:9: connect: connection refused" in str((await _sample(server)).body)
        server.store.remove("Pod", NAMESPACE, "web-0")
        assert "no route to host" in str((await _sample(server)).body)


@asynchronous
async def test_other_methods_need_other_rights() -> None:
    async with lab_server() as server:
        stand(server.store)
        assert (await _sample(server, method="HEAD", headers={"X-Key": SecretStr("s")})).status == 200
        path = f"/api/v1/namespaces/{NAMESPACE}/services/web:http/proxy/version"
        assert (await send(server, "POST", path, b""))[0] == 200
        status, _, body = await send(server, "POST", path, b"", token=server.accounts.reader.token)
        assert (status, b'cannot create resource \\"services/proxy\\"' in body) == (403, True)


@asynchronous
async def test_without_a_slash_the_caller_is_sent_to_the_one_with_it() -> None:
    async with lab_server() as server:
        stand(server.store)
        path = f"/api/v1/namespaces/{NAMESPACE}/services/web:http/proxy"
        status, headers, _ = await send(server, "GET", path)
        assert (status, headers["location"]) == (301, f"{path}/")
        assert b'"path": "/"' in (await send(server, "GET", f"{path}/"))[2]
