"""Trouble on demand, as the gate's own client meets it; and ports, connections and requests that are none."""

import asyncio
import socket

import pytest

from gate.adapters.failures import Cause, ReadFailed
from gate.adapters.kubernetes.kinds import ServiceTarget
from gate.adapters.kubernetes.transport import Limits
from gate.errors import UsageError
from gate.lab.cluster.server import ClusterServer
from gate.lab.cluster.store import Store
from tests.support.lab_cluster import NAMESPACE, answer_of, gate_reads, lab_server, send, stand
from tests.support.loopback import asynchronous

SHORT = Limits(connect=1.0, idle=0.2, call=0.2)


@pytest.mark.parametrize(
    ("status", "cause", "words"),
    [
        (401, Cause.UNAUTHORIZED, "does not accept the credentials"),
        (403, Cause.FORBIDDEN, 'cannot list resource "deployments" in API group "apps" in the namespace "orders"'),
        (429, Cause.THROTTLED, "429"),
        (500, Cause.SERVER_ERROR, "Internal error occurred"),
        (503, Cause.SERVER_ERROR, "currently unable to handle the request"),
    ],
)
@asynchronous
async def test_a_kind_is_refused_and_others_are_not(status: int, cause: Cause, words: str) -> None:
    async with lab_server() as server, gate_reads(server) as api:
        pods = stand(server.store)
        fault = server.faults.refuse(status, "Deployment", "list")
        with pytest.raises(ReadFailed) as caught:
            await api.list_objects("Deployment", NAMESPACE)
        assert (caught.value.status, caught.value.cause) == (status, cause)
        assert words in caught.value.error
        assert await api.get("Deployment", NAMESPACE, "web") is not None
        assert list(await api.list_objects("Pod", NAMESPACE)) == pods
        server.faults.clear(fault)
        assert len(await api.list_objects("Deployment", NAMESPACE)) == 1


def test_what_the_api_server_never_says_is_not_said_on_demand() -> None:
    server = ClusterServer(Store(), answer_of)
    with pytest.raises(ValueError, match="418"):
        server.faults.refuse(418)
    asyncio.run(server.stop())


@asynchronous
async def test_so_many_requests_go_through_and_so_many_go_wrong() -> None:
    async with lab_server() as server:
        server.faults.refuse(503, skip=1, times=2)
        assert [(await send(server, "GET", "/readyz"))[0] for _ in range(4)] == [200, 503, 503, 200]


@asynchronous
async def test_a_retry_gets_through() -> None:
    async with lab_server() as server, gate_reads(server, attempts=3) as api:
        stand(server.store)
        server.faults.refuse(429, "Deployment", times=1)
        server.faults.drop("Deployment", times=1)
        assert await api.get("Deployment", NAMESPACE, "web") is not None


@asynchronous
async def test_silence_and_a_dropped_connection_are_told_apart() -> None:
    async with lab_server() as server, gate_reads(server, limits=SHORT) as api:
        stand(server.store)
        silent = server.faults.hang("Pod")
        with pytest.raises(ReadFailed) as caught:
            await api.list_objects("Pod", NAMESPACE)
        assert caught.value.cause is Cause.TIMEOUT
        server.faults.clear(silent)
        server.faults.drop("Pod")
        with pytest.raises(ReadFailed) as caught:
            await api.list_objects("Pod", NAMESPACE)
        assert caught.value.cause is not Cause.TIMEOUT


@asynchronous
async def test_the_service_proxy_has_troubles_of_its_own() -> None:
    async with lab_server() as server, gate_reads(server) as api:
        stand(server.store)
        server.faults.refuse(403, "proxy")
        response = await api.send_by_proxy("version", ServiceTarget(NAMESPACE, "web", "http"), path="/version")
        assert response.status == 403
        assert 'cannot get resource \\"services/proxy\\"' in str(response.body)
        assert await api.get("Service", NAMESPACE, "web") is not None


@asynchronous
async def test_a_server_that_was_away_is_back_on_the_same_port_with_all_it_had() -> None:
    async with lab_server() as server, gate_reads(server) as api:
        stand(server.store)
        before = server.url
        assert await api.get("Deployment", NAMESPACE, "web") is not None
        await server.stop()
        with pytest.raises(ReadFailed) as caught:
            await api.get("Deployment", NAMESPACE, "web")
        assert caught.value.transient
        await server.start()
        assert server.url == before
        assert await api.get("Deployment", NAMESPACE, "web") is not None
        await server.away(0.0)
        assert server.url == before
        assert await api.get("Deployment", NAMESPACE, "web") is not None


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"Port {port} of 127.0.0.1 cannot be listened on") as caught:
            ClusterServer(Store(), answer_of, port=port)
    assert "--port" in caught.value.change
    server = ClusterServer(Store(), answer_of, port=port)
    assert server.url == f"http://127.0.0.1:{port}"
    asyncio.run(server.stop())


async def _raw(server: ClusterServer, data: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(server.url.rpartition(":")[2]))
    writer.write(data)
    answer = await reader.read()
    writer.close()
    return answer


@pytest.mark.parametrize(
    "data",
    [
        b"nonsense\r\n\r\n",
        b"GET no-slash HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: many\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n",
    ],
)
@asynchronous
async def test_what_is_no_request_is_refused_and_the_server_goes_on(data: bytes) -> None:
    async with lab_server() as server:
        assert (await _raw(server, data)).startswith(b"HTTP/1.1 400 Bad Request\r\n")
        assert (await send(server, "GET", "/readyz"))[::2] == (200, b"ok")


@asynchronous
async def test_a_connection_is_kept_for_the_next_request_and_bodies_may_come_in_chunks() -> None:
    async with lab_server() as server:
        token = f"Authorization: Bearer {server.accounts.admin.token}\r\n"
        path = f"/api/v1/namespaces/{NAMESPACE}/configmaps"
        post = f"POST {path} HTTP/1.1\r\n{token}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        chunks = '1d\r\n{"metadata":{"name":"chunky"}\r\n1\r\n}\r\n0\r\n\r\n'
        get = f"GET {path}/chunky HTTP/1.1\r\n{token}Connection: close\r\n\r\n"
        answers = (await _raw(server, (post + chunks + get).encode())).split(b"HTTP/1.1 ")
        assert [one[:3] for one in answers[1:]] == [b"201", b"200"]
        assert b'"name":"chunky"' in answers[2]


@asynchronous
async def test_head_is_answered_without_a_body() -> None:
    async with lab_server() as server:
        status, headers, body = await send(server, "HEAD", "/readyz")
        assert (status, headers["content-length"], body) == (200, "2", b"")
