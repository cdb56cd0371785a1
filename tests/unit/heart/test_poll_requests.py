"""When requests are sent: as soon as their answers count, and not before."""

import asyncio

from gate.outcomes import VerdictWord
from gate.reasons import Reason
from gate.verdict import Verdict
from tests.support import raw_workload as kube
from tests.support.bundles import NEW, SAMPLES, Json, find, moment
from tests.support.warp import warped
from tests.support.world import World, poll

READY = 50


def rolling_out(now: float) -> Json:
    """A release whose Pod becomes ready late."""
    made = moment(now)
    if now < READY:
        find(made, "Deployment")["status"] |= {"readyReplicas": 0, "availableReplicas": 0, "unavailableReplicas": 1}
        made["objects"] = [one for one in made["objects"] if one["kind"] not in ("Pod", "EndpointSlice")]
        made["objects"] += [kube.pod(NEW, ready=False), kube.endpoint_slice([])]
    return made


def run(world: World, *, reported: float) -> tuple[Verdict, float]:
    """The verdict and its second; watches report something once, in that second."""

    async def main() -> tuple[Verdict, float]:
        changed = asyncio.Event()
        task = asyncio.create_task(poll(world, changed=changed).run())
        await asyncio.sleep(reported)
        changed.set()
        return await task, asyncio.get_running_loop().time()

    return warped(main())


def test_no_request_is_sent_before_readiness_has_passed() -> None:
    world = World(rolling_out)
    verdict, seconds = run(world, reported=READY)
    assert verdict.word is VerdictWord.PASSED
    sent = world.times("request")
    assert len(sent) == 2 * SAMPLES
    assert min(sent) >= READY
    assert READY + 5 <= seconds <= READY + 5.5
    assert len(world.times("Pod")) > 2, "bundles were read before"


def given_up(now: float) -> Json:
    """A release whose Deployment gives up late."""
    made = rolling_out(min(now, READY - 1)) | {"now": moment(now)["now"]}
    if now >= READY:
        condition = kube.condition("Progressing", "False", "ProgressDeadlineExceeded", "timed out", seconds=READY)
        find(made, "Deployment")["status"]["conditions"] = [condition]
    return made


def test_what_a_release_answers_that_is_bad_for_good_is_evidence_and_asked_for_once() -> None:
    world = World(given_up)
    verdict, _ = run(world, reported=READY)
    assert (verdict.word, verdict.reason) == (VerdictWord.FAILED, Reason.PROGRESS_DEADLINE_EXCEEDED)
    assert verdict.layers[-1].reason is Reason.AWAITING_READINESS, "it is not credited"
    assert len(world.times("request")) == SAMPLES
    assert min(world.times("request")) >= READY


def test_a_release_that_does_not_answer_yet_holds_up_no_look_at_its_rollout() -> None:
    """The answer to a request sent into a rollout would come only when time is up."""
    world = World(rolling_out, hangs={"request"})

    async def main() -> list[float]:
        changed = asyncio.Event()
        task = asyncio.create_task(poll(world, changed=changed, deadline=100).run())
        for _ in range(4):
            await asyncio.sleep(10)
            changed.set()
        await asyncio.sleep(1)
        task.cancel()
        return world.times("Pod")

    assert len([at for at in warped(main()) if at > 5]) >= 4
