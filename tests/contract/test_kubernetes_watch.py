"""Watches as a hint: they wake the poll when something changed, and end when told to."""

import asyncio

import pytest

from gate.adapters.kubernetes.watch import WatchTarget
from tests.support.kubernetes import cluster, page
from tests.support.loopback import Asked, Reply, asynchronous
from tests.support.watches import PODS, QUICK, event, heard, lists_then, open_watch, watches, watching


@asynchronous
async def test_a_watch_starts_where_the_list_ended_and_wakes_at_once() -> None:
    async with watching(lists_then(open_watch())) as (changed, server, _):
        await heard(changed)
        assert server.asked[0].query == {"labelSelector": "app=web", "limit": "1"}
        assert watches(server) == [
            {
                "watch": "1",
                "allowWatchBookmarks": "true",
                "resourceVersion": "9",
                "timeoutSeconds": "60",
                "labelSelector": "app=web",
            }
        ]


@asynchronous
async def test_one_object_is_watched_by_its_name() -> None:
    target = WatchTarget("Application", "argocd", "orders")
    handler = lists_then(open_watch())

    def applications(asked: Asked) -> Reply:
        return handler(asked) if "watch" in asked.query else page("Application", [])

    async with watching(applications, target) as (changed, server, _):
        await heard(changed)
        assert server.asked[1].path == "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications"
        assert server.asked[1].query["fieldSelector"] == "metadata.name=orders"


@pytest.mark.parametrize("word", ["ADDED", "MODIFIED", "DELETED"])
@asynchronous
async def test_every_change_wakes_the_poll(word: str) -> None:
    replies = (Reply(pieces=(event("BOOKMARK", "11"),)), open_watch(event(word, "12")))
    async with watching(lists_then(*replies)) as (changed, server, _):
        await heard(changed)
        await heard(changed)
        assert watches(server)[1]["resourceVersion"] == "11"


@asynchronous
async def test_a_bookmark_wakes_nobody_and_moves_the_version() -> None:
    replies = (Reply(pieces=(b"\n",)), Reply(pieces=(event("BOOKMARK", "11"),)), open_watch())
    async with watching(lists_then(*replies)) as (changed, server, _):
        await heard(changed)
        await server.until(4)
        assert [query["resourceVersion"] for query in watches(server)] == ["9", "9", "11"]
        assert not changed.is_set()


@asynchronous
async def test_an_event_in_pieces_is_one_event() -> None:
    whole = event("MODIFIED", "12")
    replies = (Reply(pieces=(event("BOOKMARK", "11"),)), open_watch(whole[:9], whole[9:] + event("BOOKMARK", "13")))
    async with watching(lists_then(*replies)) as (changed, server, _):
        await heard(changed)
        await heard(changed)
        assert len(watches(server)) == 2


@asynchronous
async def test_cancelling_a_watch_ends_all_of_it() -> None:
    before = asyncio.all_tasks()
    async with cluster(lists_then(open_watch())) as (api, server):
        task = asyncio.create_task(api.watch((PODS, PODS), asyncio.Event(), asyncio.Event(), QUICK))
        await server.until(4)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert {one for one in asyncio.all_tasks() - before if "_Follower" in repr(one)} == set()


@asynchronous
async def test_nothing_to_watch_waits_for_the_end() -> None:
    async with cluster(lambda _: Reply()) as (api, server):
        stop = asyncio.Event()
        stop.set()
        await api.watch((), asyncio.Event(), stop)
        assert server.asked == []
