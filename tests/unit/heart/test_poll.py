"""The poll in warped time: what it reads, when it looks again, and that nothing holds it past its deadline."""

import asyncio
from datetime import timedelta
from itertools import pairwise

import pytest

from gate.outcomes import VerdictWord
from gate.reasons import Reason
from gate.verdict import Verdict
from tests.support import raw_workload as kube
from tests.support.bundles import NEW, OLD, Json, both, find, moment
from tests.support.warp import clock, warped
from tests.support.world import Script, World, poll

LAYER_ONE_AND_TWO = {"Application", "commit", "relation"}


def released_at(seconds: float, before: Script) -> Script:
    """One world until then, and a release that passes afterwards."""
    return lambda now: before(now) if now < seconds else moment(now)


def not_pinned(now: float) -> Json:
    made = moment(now)
    for app in both(made):
        app["spec"]["source"]["targetRevision"] = OLD
    return made


def stale(now: float) -> Json:
    made = moment(now)
    for app in both(made):
        app["status"]["sync"]["comparedTo"]["source"]["targetRevision"] = OLD
    return made


def not_ready(now: float) -> Json:
    made = moment(now)
    find(made, "Deployment")["status"] |= {"readyReplicas": 0, "availableReplicas": 0, "unavailableReplicas": 1}
    made["objects"] = [one for one in made["objects"] if one["kind"] not in ("Pod", "EndpointSlice")]
    made["objects"] += [kube.pod(NEW, ready=False), kube.endpoint_slice([])]
    return made


def early(now: float) -> Json:
    """The operation is over at second 6: what the built release says holds from second 8 on."""
    return stale(now) if now < 8 else moment(now)


def run(world: World, *, deadline: float | None = 900) -> tuple[Verdict, float]:
    """The verdict, and the second in which it was there."""

    async def main() -> tuple[Verdict, float]:
        verdict = await poll(world, deadline=deadline).run()
        return verdict, asyncio.get_running_loop().time()

    return warped(main())


@pytest.mark.parametrize("before", [not_pinned, stale])
def test_a_wait_on_intent_or_sync_reads_the_application_only(before: Script) -> None:
    world = World(released_at(120, before))
    verdict, seconds = run(world)
    assert verdict.word is VerdictWord.PASSED
    assert set(world.count(last=119)) <= LAYER_ONE_AND_TWO
    assert world.count(last=119)["Application"] <= 120 / 5 + 1
    assert world.count(last=119)["commit"] == 1
    assert 120 + 5 <= seconds <= 120 + 5 + 5 + 0.5


def test_a_quiet_wait_on_readiness_reads_one_bundle_in_thirty_seconds() -> None:
    world = World(lambda now: early(now) if now < 8 else not_ready(now))
    verdict, seconds = run(world, deadline=320)
    assert (verdict.word, verdict.timed_out) == (VerdictWord.FAILED, True)
    assert seconds <= 321
    starts = world.times("EndpointSlice")
    assert len(starts) == 12  # at 10, each 30 seconds, and a last look when time is up
    assert min(later - sooner for sooner, later in pairwise(starts[:-1])) >= 30


def test_a_watch_that_reports_something_ends_the_wait() -> None:
    async def main() -> tuple[Verdict, float]:
        changed = asyncio.Event()
        world = World(released_at(100, lambda now: early(now) if now < 8 else not_ready(now)))
        task = asyncio.create_task(poll(world, changed=changed).run())
        await asyncio.sleep(100)
        changed.set()
        return await task, asyncio.get_running_loop().time()

    verdict, seconds = warped(main())
    assert verdict.word is VerdictWord.PASSED
    assert 105 <= seconds <= 105.5


def test_a_storm_of_reports_does_not_make_a_storm_of_reads() -> None:
    async def main() -> World:
        changed = asyncio.Event()
        world = World(lambda now: early(now) if now < 8 else not_ready(now))
        task = asyncio.create_task(poll(world, changed=changed, deadline=40).run())

        async def storm() -> None:
            while not task.done():
                changed.set()
                await asyncio.sleep(0.02)

        await asyncio.gather(task, storm())
        return world

    starts = warped(main()).times("Application")
    assert min(later - sooner for sooner, later in zip(starts[::2], starts[2::2], strict=False)) >= 0.2


def test_the_second_bundle_begins_settle_after_the_first() -> None:
    world = World(early)
    verdict, seconds = run(world)
    assert verdict.word is VerdictWord.PASSED
    first, second = world.times("Service")
    assert second - first >= 5
    assert seconds - first <= 5.5


def test_a_bundle_that_falls_apart_while_settling_is_no_pass() -> None:
    world = World(lambda now: early(now) if now < 12 else (not_ready(now) if now < 40 else moment(now)))
    verdict, seconds = run(world)
    assert verdict.word is VerdictWord.PASSED
    assert seconds >= 45


@pytest.mark.parametrize(("deadline", "word"), [(300, VerdictWord.HELD), (3, VerdictWord.HELD)])
def test_time_is_up(deadline: float, word: VerdictWord) -> None:
    world = World(not_pinned)
    verdict, seconds = run(world, deadline=deadline)
    assert (verdict.word, verdict.reason, verdict.timed_out, verdict.final) == (word, Reason.NOT_PINNED, True, True)
    assert deadline <= seconds <= deadline + 0.5
    assert world.times("Application")[-1] >= deadline  # one last look


def test_what_comes_good_in_the_last_moment_is_not_passed_without_a_second_bundle() -> None:
    verdict, _ = run(World(released_at(58, not_pinned)), deadline=60)
    assert (verdict.word, verdict.reason) == (VerdictWord.HELD, Reason.SETTLING)


@pytest.mark.parametrize("kind", ["Application", "commit", "Pod", "request", "Event"])
def test_what_never_answers_does_not_hold_the_deadline(kind: str) -> None:
    world = World(early, hangs={kind})
    verdict, seconds = run(world, deadline=60)
    assert (verdict.word, verdict.final, verdict.timed_out) == (VerdictWord.HELD, True, True)
    assert verdict.reason is Reason.EVIDENCE_UNREADABLE
    assert 60 <= seconds <= 71


@pytest.mark.parametrize("kind", ["Application", "Pod", "Service", "EndpointSlice", "ReplicaSet", "Deployment"])
def test_refused_access_ends_the_run_early(kind: str) -> None:
    verdict, seconds = run(World(early, fails={kind: 403}))
    assert (verdict.word, verdict.reason, verdict.final) == (VerdictWord.HELD, Reason.ACCESS_DENIED, True)
    assert seconds <= 30


def test_a_server_in_trouble_is_waited_for() -> None:
    verdict, seconds = run(World(early, fails={"Pod": 503}), deadline=100)
    assert (verdict.word, verdict.reason, verdict.timed_out) == (VerdictWord.HELD, Reason.EVIDENCE_UNREADABLE, True)
    assert seconds >= 100


def test_events_that_cannot_be_read_keep_nothing_from_passing() -> None:
    assert run(World(early, fails={"Event": 500}))[0].word is VerdictWord.PASSED


def test_cancellation_passes_through() -> None:
    async def main() -> int:
        world = World(not_pinned)
        task = asyncio.create_task(poll(world).run())
        await asyncio.sleep(23)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        seen = len(world.reads)
        await asyncio.sleep(60)
        return len(world.reads) - seen

    assert warped(main()) == 0


def test_cancellation_within_a_read_passes_through() -> None:
    async def main() -> None:
        task = asyncio.create_task(poll(World(early, hangs={"Pod"})).run())
        await asyncio.sleep(20)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    warped(main())


@pytest.mark.parametrize("hangs", [False, True])
def test_one_refresh_is_asked_for_where_it_is_allowed(hangs: bool) -> None:
    async def main() -> tuple[int, Verdict, float]:
        asked = []

        async def refresh() -> None:
            asked.append(asyncio.get_running_loop().time())
            if hangs:
                await asyncio.Event().wait()

        verdict = await poll(World(stale), refresh=refresh, deadline=60).run()
        return len(asked), verdict, asyncio.get_running_loop().time()

    count, verdict, seconds = warped(main())
    assert count == 1
    assert verdict.reason is Reason.COMPARISON_STALE
    assert seconds <= 75


def test_a_clock_that_is_set_back_does_not_end_the_run() -> None:
    async def main() -> Verdict:
        one = poll(World(early), deadline=None)
        right = clock()
        jumps = iter((0.0, -3600.0, -3600.0, -3600.0))

        def wrong() -> object:
            return right() + timedelta(seconds=next(jumps, 0.0))

        object.__setattr__(one.observer, "now", wrong)
        return await one.run()

    assert warped(main()).word is VerdictWord.PASSED


def test_every_verdict_is_told() -> None:
    async def main() -> list[str]:
        told: list[Verdict] = []
        await poll(World(early), tell=told.append).run()
        return list(dict.fromkeys(one.reason.value for one in told))

    assert warped(main()) == ["ComparisonStale", "Settling", "AllLayersAgree"]
