"""What becomes of a read that fails, is limited, hangs or is cancelled."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest
from pydantic import SecretStr

from gate.adapters.failures import Cause, ReadFailed
from gate.adapters.github import GitHubAccess, GitHubClient, GitHubRepository
from gate.adapters.github.client import PATIENCE
from gate.lab.github import Fault
from gate.observed import Present, Unreadable
from tests.support.clock import EPOCH, Clock
from tests.support.github import NAME
from tests.support.github_client import ClientBench, client_bench, commit_of


def test_short_outages_are_waited_out(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault("error", times=2), Fault("close", times=1))
    assert commit_of(at.run(at.repository.read_commit(at.lab.second))).id == at.lab.second
    assert at.clock.slept == [0.5, 1.0, 2.0]
    assert at.client.requests == 4


def test_a_long_outage_is_unreadable_with_the_number_of_tries(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault("error", times=None, status=503))
    found = at.run(at.repository.read_commit(at.lab.second))
    assert found == Unreadable(what=f"commit {at.lab.second} of {NAME}", error="HTTP 503; tried 5 times", status=503)
    assert sum(at.clock.slept) == 7.5


def test_a_wait_that_the_server_asks_for_is_kept_within_the_deadline(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault("secondary-limit", retry_after=30))
    deadline = at.client.patience.deadline(31)
    assert isinstance(at.run(at.repository.read_commit(at.lab.second, deadline=deadline)), Present)
    assert at.clock.slept == [30]


def test_a_wait_beyond_the_deadline_is_not_begun(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault("secondary-limit", retry_after=30, status=429))
    deadline = at.client.patience.deadline(29)
    found = at.run(at.repository.read_commit(at.lab.second, deadline=deadline))
    assert isinstance(found, Unreadable)
    assert found.status == 429
    assert "retry-after: 30" in found.error
    assert "the next try is due in 30 s, time is up in 29 s" in found.error
    assert at.clock.slept == []
    assert at.client.requests == 1


def test_an_exhausted_budget_is_told_with_its_reset(at: ClientBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gate.lab.github.faults.time", lambda: EPOCH)
    at.lab.github.faults.add(Fault("primary-limit", seconds=3600))
    found = at.run(at.repository.read_commit(at.lab.second))
    assert isinstance(found, Unreadable)
    assert found.status == 403
    assert f"x-ratelimit-reset: {int(EPOCH) + 3600}" in found.error
    assert "x-ratelimit-remaining: 0" in found.error
    assert at.clock.slept == []


def test_an_exhausted_budget_is_waited_for_where_time_allows(at: ClientBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gate.lab.github.faults.time", lambda: EPOCH)
    at.lab.github.faults.add(Fault("primary-limit", seconds=20))
    assert isinstance(at.run(at.repository.read_commit(at.lab.second)), Present)
    assert at.clock.slept == [21]


def test_a_limit_without_a_header_is_left_alone_for_a_minute(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault("secondary-limit"))
    deadline = at.client.patience.deadline(90)
    assert isinstance(at.run(at.repository.read_commit(at.lab.second, deadline=deadline)), Present)
    assert at.clock.slept == [60]


def test_a_missing_permission_is_no_limit_and_not_repeated(tmp_path: Path) -> None:
    with client_bench(tmp_path, permissions={"statuses": "write"}) as at:
        found = at.run(at.repository.read_commit(at.lab.second))
        assert isinstance(found, Unreadable)
        assert (found.status, at.client.requests) == (403, 1)
        assert "needs contents: read" in found.error


def test_a_wrong_token_is_not_repeated(at: ClientBench) -> None:
    client = at.another(token="wrong-token")
    found = at.run(GitHubRepository(client, NAME).read_commit(at.lab.second))
    client.close()
    assert isinstance(found, Unreadable)
    assert (found.status, client.requests) == (401, 1)


@pytest.mark.exhaustive
def test_a_server_that_hangs_times_out(tmp_path: Path) -> None:
    with client_bench(tmp_path, timeout=1) as at:
        at.lab.github.faults.add(Fault("hang"))
        assert isinstance(at.run(at.repository.read_commit(at.lab.second)), Present)
        assert at.clock.slept == [0.5]


def test_a_deadline_ends_a_hanging_request(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault("hang", seconds=5))
    deadline = at.client.patience.deadline(0.2)
    found = at.run(at.repository.read_commit(at.lab.second, deadline=deadline))
    assert isinstance(found, Unreadable)
    assert "no answer before the deadline" in found.error


def test_nobody_listening_is_told_in_plain_words(unused_port: int) -> None:
    access = GitHubAccess(api_url=f"http://127.0.0.1:{unused_port}", token=SecretStr("a-token"))
    client = GitHubClient(access, Clock().patience(PATIENCE))
    found = asyncio.run(GitHubRepository(client, NAME).read_commit("main"))
    client.close()
    assert isinstance(found, Unreadable)
    assert found.error == "connection refused (127.0.0.1); tried 5 times"


def test_a_cancelled_read_ends_at_once_and_blocks_nothing(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault("hang", seconds=5))

    async def cancelled() -> None:
        reading = asyncio.create_task(at.repository.read_commit(at.lab.second))
        await at.under_way()
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert not await at.client.idle(0.01)

    at.run(cancelled())


def test_a_read_cancelled_before_its_turn_is_never_sent(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault("slow", seconds=0.2))

    async def cancelled() -> None:
        first = asyncio.create_task(at.repository.read_commit(at.lab.first))
        await at.under_way()
        second = asyncio.create_task(at.repository.read_commit(at.lab.second))
        await asyncio.sleep(0)
        second.cancel()
        assert isinstance(await first, Present)
        assert await at.client.idle(1)
        assert isinstance(await at.repository.read_commit("main"), Present)

    at.run(cancelled())
    assert [path.rpartition("/")[2] for path in at.lab.paths("GET")[1:]] == [at.lab.first, "main"]


def test_answers_of_the_wrong_shape_are_not_believed(at: ClientBench, monkeypatch: pytest.MonkeyPatch) -> None:
    async def wrong(*_arguments: object, **_keywords: object) -> object:
        raise ReadFailed("commit", "sha: Field required", cause=Cause.MALFORMED)

    monkeypatch.setattr(at.client, "send", wrong)
    found = at.run(at.repository.read_commit(at.lab.second))
    assert isinstance(found, Unreadable)
    assert found.error == "sha: Field required"


@pytest.fixture
def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
