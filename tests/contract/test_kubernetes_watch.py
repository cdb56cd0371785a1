"""Watches as a hint: they wake the poll, and whatever happens to them costs time and nothing else."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from gate.adapters.kubernetes.api import KubernetesApi
from gate.adapters.kubernetes.watch import Pace, WatchTarget
from tests.support.kubernetes import cluster, page, status
from tests.support.loopback import Asked, Handler, Loopback, Reply, asynchronous

PODS = WatchTarget("Pod", "orders", label_selector="app=web")
QUICK = Pace(server=60, silence=5.0, first_wait=0.01, longest_wait=0.05)


class Pauses:
    """Waits of a watch: short ones pass at once, the first real one never ends."""

    def __init__(self) -> None:
        self.began = asyncio.Event()
        self.seconds: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)
        if seconds > 0:
            self.began.set()
            await asyncio.Event().wait()

    def pace(self) -> Pace:
        return Pace(server=60, silence=5.0, first_wait=100.0, longest_wait=300.0, sleep=self.sleep)


def event(word: str, version: str = "10", **thing: Any) -> bytes:
    return json.dumps({"type": word, "object": {"metadata": {"resourceVersion": version}} | thing}).encode() + b"\n"


def open_watch(*events: bytes) -> Reply:
    return Reply(pieces=events or (b"\n",), hangs=True)


@asynccontextmanager
async def watching(
    handler: Handler, *targets: WatchTarget, pace: Pace = QUICK
) -> AsyncIterator[tuple[asyncio.Event, Loopback, KubernetesApi]]:
    """A watch that runs for the time of the block, ends when told to, and leaves nothing behind."""
    before = asyncio.all_tasks()
    async with cluster(handler) as (api, server):
        changed, stop = asyncio.Event(), asyncio.Event()
        task = asyncio.create_task(api.watch(targets or (PODS,), changed, stop, pace))
        yield changed, server, api
        assert not task.done()
        stop.set()
        await task
        followers = {one for one in asyncio.all_tasks() - before if "_Follower" in repr(one)}
        assert followers == set()


def lists_then(*watches: Reply | Callable[[Asked], Reply]) -> Handler:
    """Lists are always answered; each watch by the next of these, the last one for ever."""
    waiting = list(watches)

    def handler(asked: Asked) -> Reply:
        if "watch" not in asked.query:
            return page("Pod", [])
        reply = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        return reply if isinstance(reply, Reply) else reply(asked)

    return handler


def watches(server: Loopback) -> list[dict[str, str]]:
    return [asked.query for asked in server.asked if "watch" in asked.query]


async def heard(changed: asyncio.Event) -> None:
    await changed.wait()
    changed.clear()


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
    replies = (Reply(pieces=(event("BOOKMARK", "11"),)), open_watch())
    async with watching(lists_then(*replies)) as (changed, server, _):
        await heard(changed)
        await server.until(3)
        assert watches(server)[1]["resourceVersion"] == "11"
        assert not changed.is_set()


@asynchronous
async def test_an_event_in_pieces_is_one_event() -> None:
    whole = event("MODIFIED", "12")
    replies = (Reply(pieces=(event("BOOKMARK", "11"),)), open_watch(whole[:9], whole[9:] + event("BOOKMARK", "13")))
    async with watching(lists_then(*replies)) as (changed, server, _):
        await heard(changed)
        await heard(changed)
        assert len(watches(server)) == 2


@pytest.mark.parametrize(
    "expired",
    [
        status(410, "Expired", "too old resource version"),
        Reply(pieces=(event("ERROR", kind="Status", code=410, reason="Expired"),)),
    ],
)
@asynchronous
async def test_an_expired_version_is_listed_again_at_once(expired: Reply) -> None:
    async with watching(lists_then(expired, open_watch()), pace=Pauses().pace()) as (changed, server, _):
        await server.until(4)
        assert ["watch" in asked.query for asked in server.asked] == [False, True, False, True]
        await heard(changed)


@asynchronous
async def test_a_version_that_always_expires_is_not_asked_for_in_a_tight_loop() -> None:
    pauses = Pauses()
    async with watching(lists_then(status(410, "Expired")), pace=pauses.pace()) as (changed, server, _):
        await pauses.began.wait()
        assert len(server.asked) == 4
        assert pauses.seconds[0] == 0.0
        assert 200.0 <= pauses.seconds[1] <= 240.0
        assert not changed.is_set()


@asynchronous
async def test_a_forbidden_watch_wakes_nobody_and_gives_way() -> None:
    pauses = Pauses()
    async with watching(lists_then(status(403, "Forbidden")), pace=pauses.pace()) as (changed, server, api):
        await pauses.began.wait()
        assert len(server.asked) == 2
        assert 100.0 <= pauses.seconds[0] <= 120.0
        assert not changed.is_set()
        assert await api.list_objects("Pod", "orders") == ()


@asynchronous
async def test_a_watch_that_the_server_ends_at_once_is_not_repeated_in_a_tight_loop() -> None:
    pauses = Pauses()
    async with watching(lists_then(Reply(pieces=(b"\n",))), pace=pauses.pace()) as (changed, server, _):
        await heard(changed)
        await pauses.began.wait()
        assert len(watches(server)) == 1


@asynchronous
async def test_a_server_that_says_when_to_come_back_is_obeyed() -> None:
    pauses = Pauses()
    busy = Reply(429, {"kind": "Status", "reason": "TooManyRequests"}, {"retry-after": "1000"})
    async with watching(lists_then(busy), pace=pauses.pace()):
        await pauses.began.wait()
        assert pauses.seconds[0] >= 1000.0


@asynchronous
async def test_a_silent_connection_is_given_up_and_goes_on_where_it_was() -> None:
    silent = Pace(server=60, silence=0.1, first_wait=0.01, longest_wait=0.01)
    async with watching(lists_then(open_watch(event("BOOKMARK", "11"))), pace=silent) as (changed, server, _):
        await heard(changed)
        await server.until(3)
        assert [query["resourceVersion"] for query in watches(server)[:2]] == ["9", "11"]
        assert not changed.is_set()


@pytest.mark.parametrize(
    "broken",
    [
        Reply(body="x", cut=True),
        Reply(raw=b""),
        Reply(raw=b"nonsense\r\n\r\n"),
        Reply(pieces=(b"not json\n",)),
        Reply(pieces=(b"[]\n",)),
        Reply(pieces=(b'{"type": "MODIFIED"}\n',)),
        Reply(pieces=(b'{"type": "MODIFIED", "object": {"metadata": {"resourceVersion": ""}}}\n',)),
        Reply(pieces=(event("ERROR", code="x"),)),
        Reply(pieces=(b'{"type": "ERROR", "object": null}\n',)),
        status(500, "InternalError"),
        status(429, "TooManyRequests"),
        status(401, "Unauthorized"),
        Reply(404, "404 page not found"),
        Reply(302, headers={"location": "/x"}),
    ],
)
@asynchronous
async def test_a_broken_watch_is_begun_again_and_never_raises(broken: Reply) -> None:
    async with watching(lists_then(broken, open_watch(event("MODIFIED", "20")), open_watch())) as (changed, server, _):
        while len(watches(server)) < 2:
            await server.until(len(server.asked) + 1)
        await heard(changed)


@pytest.mark.parametrize(
    "broken", [Reply(body={}), Reply(500), page("Pod", None, resourceVersion=None), Reply(raw=b"")]
)
@asynchronous
async def test_a_list_that_fails_is_tried_again(broken: Reply) -> None:
    answers = [broken]

    def handler(asked: Asked) -> Reply:
        if answers and "watch" not in asked.query:
            return answers.pop()
        return lists_then(open_watch())(asked)

    async with watching(handler) as (changed, _, _api):
        await heard(changed)


@asynchronous
async def test_one_target_that_fails_does_not_silence_the_other() -> None:
    def handler(asked: Asked) -> Reply:
        return status(403, "Forbidden") if "services" in asked.path else lists_then(open_watch(event("ADDED")))(asked)

    targets = (WatchTarget("Service", "orders"), WatchTarget("Secret", "orders"), WatchTarget("Pod", ""), PODS)
    async with watching(handler, *targets, pace=Pauses().pace()) as (changed, _, _api):
        await heard(changed)


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
