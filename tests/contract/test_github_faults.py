"""Rate limits and arranged faults of the GitHub stand-in."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from github import GithubException, RateLimitExceededException

from gate.lab.github import Fault
from tests.support.github import Bench, bench


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


def test_the_hours_budget_runs_out(tmp_path: Path) -> None:
    with bench(tmp_path, rate_limit=2) as lab:
        assert [lab.api.get(lab.url).headers["x-ratelimit-remaining"] for _ in "ab"] == ["1", "0"]
        refused = lab.api.get(lab.url)
        assert (refused.status_code, refused.headers["x-ratelimit-remaining"]) == (403, "0")
        assert int(refused.headers["x-ratelimit-reset"]) > time.time() + 3000
        assert lab.api.get("/rate_limit").json()["resources"]["core"]["remaining"] == 0
        with pytest.raises(RateLimitExceededException):
            lab.repo().get_commit(lab.first).create_status("pending")
        assert lab.github.statuses(lab.first) == []


def headers_of(raised: pytest.ExceptionInfo[GithubException]) -> dict[str, str]:
    return raised.value.headers or {}


def test_arranged_limits(lab: Bench) -> None:
    commit = lab.repo().get_commit(lab.first)
    lab.github.faults.add(
        Fault("primary-limit", seconds=5),
        Fault("secondary-limit", retry_after=7),
        Fault("secondary-limit", status=429),
    )
    with pytest.raises(RateLimitExceededException) as primary:
        commit.create_status("pending")
    assert headers_of(primary)["x-ratelimit-remaining"] == "0"
    with pytest.raises(RateLimitExceededException) as secondary:
        commit.create_status("pending")
    assert headers_of(secondary)["retry-after"] == "7"
    assert headers_of(secondary)["x-ratelimit-remaining"] != "0"
    with pytest.raises(GithubException) as unannounced:
        commit.create_status("pending")
    assert unannounced.value.status == 429
    assert "retry-after" not in headers_of(unannounced)
    assert lab.github.statuses(lab.first) == []
    commit.create_status("pending")
    assert len(lab.github.statuses(lab.first)) == 1


@pytest.mark.parametrize(("after", "written"), [(False, 0), (True, 1)])
def test_a_502_before_and_after_the_write(lab: Bench, after: bool, written: int) -> None:
    number = lab.github.open_pull("promote/prod").number
    issue = lab.repo().get_issue(number)
    lab.github.faults.add(Fault(method="POST", path="*/comments", after=after))
    with pytest.raises(GithubException) as lost:
        issue.create_comment("once")
    assert lost.value.status == 502
    assert len(lab.github.comments(number)) == written
    issue.create_comment("again")
    assert len(lab.github.comments(number)) == written + 1


def test_faults_choose_their_requests(lab: Bench) -> None:
    template = "/repos/{owner}/{repo}/git/ref/{ref}"
    lab.github.faults.add(Fault(path=template, skip=1, times=2, status=500))
    path = f"{lab.url}/git/ref/heads/main"
    assert lab.api.get(lab.url).status_code == 200
    assert [lab.api.get(path).status_code for _ in range(4)] == [200, 500, 500, 200]
    lab.github.faults.add(Fault(times=None))
    assert {lab.api.get(path).status_code for _ in range(5)} == {502}
    lab.github.faults.clear()
    assert lab.api.get(path).status_code == 200
    with pytest.raises(ValueError, match="no-such"):
        Fault("no-such")  # type: ignore[arg-type]


def test_slow_answers_hanging_and_closed_connections(lab: Bench) -> None:
    lab.github.faults.add(
        Fault("slow", seconds=0.3),
        Fault("hang"),
        Fault("close"),
        Fault("close", method="POST", after=True),
    )
    started = time.monotonic()
    assert lab.api.get(lab.url).status_code == 200
    assert time.monotonic() - started >= 0.3
    with pytest.raises(httpx.ReadTimeout):
        lab.api.get(lab.url, timeout=0.2)
    with pytest.raises(httpx.RemoteProtocolError):
        lab.api.get(lab.url)
    with pytest.raises(httpx.RemoteProtocolError):
        lab.api.post(f"{lab.url}/statuses/{lab.first}", json={"state": "success"})
    assert len(lab.github.statuses(lab.first)) == 1
    assert [exchange.status for exchange in lab.github.requests] == [200, None, None, None]
