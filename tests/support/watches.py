"""A watch that runs for the time of a block, and servers that play one."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from gate.adapters.kubernetes.api import KubernetesApi
from gate.adapters.kubernetes.watch import Pace, WatchTarget
from tests.support.kubernetes import cluster, page
from tests.support.loopback import Asked, Handler, Loopback, Reply

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
