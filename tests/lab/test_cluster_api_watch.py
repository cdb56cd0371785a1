"""Watches of the laboratory's API server: by the gate's own client, and event by event."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from gate.adapters.kubernetes.watch import Pace, WatchTarget
from gate.lab.cluster.apply import create, merge_patch
from gate.lab.cluster.server import ClusterServer
from tests.support.lab_cluster import NAMESPACE, gate_reads, lab_server, send, stand, watched
from tests.support.loopback import asynchronous
from tests.support.watches import heard

PODS = WatchTarget("Pod", NAMESPACE, label_selector="app=web")
QUICK = Pace(server=60, silence=5.0, first_wait=0.01, longest_wait=0.05)


@asynccontextmanager
async def _watching(server: ClusterServer, target: WatchTarget = PODS) -> AsyncIterator[asyncio.Event]:
    """The gate's watch, once it has begun."""
    async with gate_reads(server) as api:
        changed, stop = asyncio.Event(), asyncio.Event()
        task = asyncio.create_task(api.watch((target,), changed, stop, QUICK))
        await heard(changed)
        await watched(server)
        yield changed
        assert not task.done()
        stop.set()
        await task


def _label(server: ClusterServer, value: str, name: str = "web-0") -> None:
    merge_patch(server.store, "Pod", NAMESPACE, name, {"metadata": {"labels": {"app": value}}})


@asynchronous
async def test_a_change_wakes_the_gate_and_one_elsewhere_does_not() -> None:
    async with lab_server() as server:
        stand(server.store)
        async with _watching(server) as changed:
            _label(server, "web-of-another")
            await heard(changed)
            _label(server, "another-again")  # out of sight by now
            create(
                server.store,
                {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": NAMESPACE}},
            )
            await send(server, "GET", "/readyz")
            assert not changed.is_set()
            _label(server, "web")
            await heard(changed)
        await watched(server, 0)


@asynchronous
async def test_a_watch_that_is_cut_goes_on_and_misses_nothing() -> None:
    async with lab_server() as server:
        stand(server.store)
        async with _watching(server) as changed:
            assert server.watches.cut("Deployment") == 0
            assert server.watches.cut("Pod") == 1
            _label(server, "cut")
            await heard(changed)


@asynchronous
async def test_a_watch_from_a_version_that_is_forgotten_begins_anew() -> None:
    async with lab_server() as server:
        stand(server.store)
        async with _watching(server) as changed:
            server.watches.cut()
            _label(server, "written-meanwhile")
            server.store.forget_changes()
            await heard(changed)  # the list after the 410, for what happened meanwhile is not known


@asynchronous
async def test_one_object_is_watched_by_its_name() -> None:
    async with lab_server() as server:
        stand(server.store, pods=2)
        async with _watching(server, WatchTarget("Pod", NAMESPACE, "web-1")) as changed:
            _label(server, "other", "web-0")
            await send(server, "GET", "/readyz")
            assert not changed.is_set()
            _label(server, "other", "web-1")
            await heard(changed)


async def _events(server: ClusterServer, query: str, kind: str = "pods") -> list[Any]:
    path = f"/api/v1/namespaces/{NAMESPACE}/{kind}?watch=1&{query}"
    status, headers, body = await send(server, "GET", path)
    assert (status, headers["transfer-encoding"]) == (200, "chunked")
    return [json.loads(line) for line in body.splitlines()]


def _words(events: list[Any]) -> list[tuple[str, str | None]]:
    return [(one["type"], one["object"]["metadata"].get("name")) for one in events]


@asynchronous
async def test_events_since_a_version_come_in_order_each_with_a_version_of_its_own() -> None:
    async with lab_server() as server:
        since = server.store.version
        stand(server.store)
        _label(server, "web2")
        server.store.remove("Pod", NAMESPACE, "web-0")
        events = await _events(server, f"resourceVersion={since}&timeoutSeconds=0.1")
        assert _words(events) == [("ADDED", "web-0"), ("MODIFIED", "web-0"), ("DELETED", "web-0")]
        versions = [int(one["object"]["metadata"]["resourceVersion"]) for one in events]
        assert versions == sorted(set(versions))
        assert _words(await _events(server, f"resourceVersion={versions[1]}&timeoutSeconds=0.1")) == [
            ("DELETED", "web-0")
        ]


@asynchronous
async def test_bookmarks_come_only_to_those_who_asked() -> None:
    async with lab_server(bookmark_every=0.05) as server:
        query = f"resourceVersion={server.store.version}&timeoutSeconds=0.5"
        events = await _events(server, f"{query}&allowWatchBookmarks=true")
        assert events
        bookmark = {"kind": "Pod", "apiVersion": "v1", "metadata": {"resourceVersion": str(server.store.version)}}
        assert all(one == {"type": "BOOKMARK", "object": bookmark} for one in events)
        assert await _events(server, query) == []


@asynchronous
async def test_the_state_at_first_ends_with_a_bookmark_that_says_so() -> None:
    async with lab_server() as server:
        stand(server.store)
        query = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=0.1"
        first, last = await _events(server, query)
        assert (first["type"], first["object"]["kind"]) == ("ADDED", "Pod")
        assert last["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}


@asynchronous
async def test_nothing_is_left_of_a_watch_whose_client_has_gone() -> None:
    async with lab_server() as server:
        port = int(server.url.rpartition(":")[2])
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        token = server.accounts.admin.token
        writer.write(f"GET /api/v1/pods?watch=1 HTTP/1.1\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        await watched(server)
        writer.close()
        await watched(server, 0)


@asynchronous
async def test_the_end_of_the_server_ends_its_watches() -> None:
    async with lab_server() as server, gate_reads(server) as api:
        changed, stop = asyncio.Event(), asyncio.Event()
        task = asyncio.create_task(api.watch((PODS,), changed, stop, QUICK))
        await heard(changed)
        await watched(server)
        await server.stop()
        assert server.watches.count == 0
        stop.set()
        await task
