"""The last word of a run that is cancelled: said once, quickly, and never over a verdict."""

from __future__ import annotations

import asyncio

import pytest

from gate.adapters.github import GitHubClient, PublishOutcome, PublishResult
from gate.lab.github import Fault
from gate.render.status import CommitStatus
from tests.support.github_client import ClientBench
from tests.support.github_publishing import PASSED, published, status_of


def test_the_last_word_of_a_cancelled_run_is_said_once_and_quickly(at: ClientBench) -> None:
    publisher = status_of(at)
    cancelled = CommitStatus("error", "cancelled: Cancelled - the run was told to end")
    at.run(publisher.publish_pending("sync: SyncNotStarted"))
    assert at.run(publisher.publish_now(cancelled)).published
    assert at.run(publisher.publish_final(PASSED)).outcome is PublishOutcome.NOT_ATTEMPTED
    assert [state for state, _ in published(at)] == ["pending", "error"]
    assert at.clock.slept == []


def test_the_last_word_is_tried_once(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault("error", times=None))
    result = at.run(status_of(at).publish_now(CommitStatus("error", "cancelled")))
    assert (result.outcome, len(at.lab.paths("POST"))) == (PublishOutcome.UNREACHABLE, 1)
    assert at.clock.slept == []


def test_the_last_word_comes_after_what_was_under_way(at: ClientBench, monkeypatch: pytest.MonkeyPatch) -> None:
    publisher = status_of(at)
    at.lab.github.faults.add(Fault("slow", method="POST", seconds=0.3))

    async def cancelled() -> None:
        final = asyncio.create_task(publisher.publish_final(PASSED))
        await at.under_way()
        final.cancel()
        result = await publisher.publish_now(CommitStatus("error", "cancelled"))
        assert result.published

    hurried, was_idle = at.client.hurried, list[bool]()

    def watched(seconds: int) -> GitHubClient:
        was_idle.append(not at.client._worker._turn.locked())  # noqa: SLF001 - is the request before still out?
        return hurried(seconds)

    monkeypatch.setattr(at.client, "hurried", watched)
    at.run(cancelled())
    assert was_idle == [True]
    assert [state for state, _ in published(at)] == ["success", "error"]


def test_the_last_word_does_not_wait_for_what_hangs(at: ClientBench) -> None:
    publisher = status_of(at)
    at.lab.github.faults.add(Fault("hang", method="POST", seconds=20))

    async def cancelled() -> PublishResult:
        pending = asyncio.create_task(publisher.publish_pending("x"))
        await at.under_way()
        pending.cancel()
        async with asyncio.timeout(3):
            return await publisher.publish_now(CommitStatus("error", "cancelled"))

    assert at.run(cancelled()).published
    assert [state for state, _ in published(at)] == ["error"]


def test_a_verdict_that_stands_is_not_overwritten_by_a_cancellation(at: ClientBench) -> None:
    publisher = status_of(at)
    at.run(publisher.publish_final(PASSED))
    assert at.run(publisher.publish_now(CommitStatus("error", "cancelled"))).outcome is PublishOutcome.NOT_ATTEMPTED
    assert [state for state, _ in published(at)] == ["success"]
