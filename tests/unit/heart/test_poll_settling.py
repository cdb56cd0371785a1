"""The settle time: what moves in it is seen at once, and nothing makes it shorter."""

import asyncio
from dataclasses import dataclass

import pytest

from gate.outcomes import VerdictWord
from gate.verdict import Verdict
from tests.support import raw_workload as kube
from tests.support.bundles import NEW, OLD, Json, both, find, moment
from tests.support.warp import warped
from tests.support.world import World, poll


def early(now: float) -> Json:
    """The operation is over at second 6: what the built release says holds from second 8 on."""
    made = moment(now)
    if now < 8:
        for app in both(made):
            app["status"]["sync"]["comparedTo"]["source"]["targetRevision"] = OLD
    return made


def stumbling(now: float) -> Json:
    """A release that passes, but for one second in which its Pod is not ready."""
    made = early(now)
    if 12 <= now < 13:
        find(made, "Deployment")["status"] |= {"readyReplicas": 0, "availableReplicas": 0, "unavailableReplicas": 1}
        made["objects"] = [one for one in made["objects"] if one["kind"] not in ("Pod", "EndpointSlice")]
        made["objects"] += [kube.pod(NEW, ready=False), kube.endpoint_slice([])]
    return made


@dataclass
class Slow(World):
    """A cluster whose every answer takes a while."""

    takes: float = 1.5

    async def _asked(self, kind: str) -> Json:
        made = await super()._asked(kind)
        await asyncio.sleep(self.takes)
        return made


def stormy(world: World) -> tuple[Verdict, float]:
    """The verdict and its second, while the watches report something all the time."""

    async def main() -> tuple[Verdict, float]:
        changed = asyncio.Event()
        task = asyncio.create_task(poll(world, changed=changed).run())
        while not task.done():
            changed.set()
            await asyncio.sleep(0.05)
        return await task, asyncio.get_running_loop().time()

    return warped(main())


def test_what_moves_while_settling_is_seen_at_once_and_settles_anew() -> None:
    async def main() -> tuple[Verdict, float]:
        changed = asyncio.Event()
        task = asyncio.create_task(poll(World(stumbling), changed=changed).run())
        for pause in (12, 1):
            await asyncio.sleep(pause)
            changed.set()
        return await task, asyncio.get_running_loop().time()

    verdict, seconds = warped(main())
    assert verdict.word is VerdictWord.PASSED
    assert 13 + 5 <= seconds <= 13 + 5 + 0.5


def test_reports_while_settling_do_not_make_it_shorter() -> None:
    world = World(early)
    verdict, seconds = stormy(world)
    assert verdict.word is VerdictWord.PASSED
    starts = world.times("Service")
    assert 5 <= starts[-1] - starts[0] <= 5.1
    assert seconds - starts[0] <= 5.5
    assert len(starts) <= 4 / 0.2 + 2


@pytest.mark.parametrize("takes", [0.3, 1.5, 4.0])
def test_a_bundle_that_began_before_the_settle_time_was_over_is_not_the_second_one(takes: float) -> None:
    world = Slow(early, takes=takes)
    verdict, _ = stormy(world)
    assert verdict.word is VerdictWord.PASSED
    first, last = world.times("Service")[0], world.times("Service")[-1]
    closing = next(at for at in world.times("Application") if at > first)
    opening = max(at for at in world.times("Application") if at < last)
    assert opening - (closing + takes) >= 5
