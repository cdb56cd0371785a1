"""Publishing the commit status: what stands when, how it is worded, and what becomes of a failure."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.adapters.github import PublishOutcome, StatusPublisher
from gate.adapters.github.results import PublishResult
from gate.errors import ExitCode, InternalError
from gate.lab.github import Fault
from gate.render.status import CommitStatus
from tests.support.clock import EPOCH
from tests.support.github import MISSING, NAME
from tests.support.github_client import ClientBench, client_bench
from tests.support.github_publishing import PASSED, published, status_of

RUN_URL = "https://github.example/acme/environments/actions/runs/7/attempts/1"
FAILED = CommitStatus("failure", "readiness: ProbeFailing - GET /broken answers 404")


def test_pending_first_then_on_change_once_a_minute_then_final_once(at: ClientBench) -> None:
    publisher = status_of(at, target_url=RUN_URL)

    async def story() -> list[PublishOutcome]:
        steps = [await publisher.publish_pending("sync: SyncNotStarted")]
        at.clock.seconds += 5
        steps.append(await publisher.publish_pending("sync: SyncNotStarted"))
        steps.append(await publisher.publish_pending("sync: OperationRunning"))
        at.clock.seconds += 54
        steps.append(await publisher.publish_pending("readiness: RolloutInProgress"))
        at.clock.seconds += 1
        steps.append(await publisher.publish_pending("readiness: RolloutInProgress"))
        steps.append(await publisher.publish_final(PASSED))
        steps.append(await publisher.publish_final(FAILED))
        steps.append(await publisher.publish_pending("again"))
        at.clock.seconds += 60
        steps.append(await publisher.publish_pending("again"))
        return [step.outcome for step in steps]

    assert at.run(story()) == [
        PublishOutcome.PUBLISHED,
        PublishOutcome.UNCHANGED,
        PublishOutcome.DEFERRED,
        PublishOutcome.DEFERRED,
        PublishOutcome.PUBLISHED,
        PublishOutcome.PUBLISHED,
        PublishOutcome.NOT_ATTEMPTED,
        PublishOutcome.DEFERRED,
        PublishOutcome.NOT_ATTEMPTED,
    ]
    assert published(at) == [
        ("pending", "sync: SyncNotStarted"),
        ("pending", "readiness: RolloutInProgress"),
        ("success", "all layers agree"),
    ]
    assert at.client.requests == 3
    status = at.lab.github.statuses(at.lab.second)[0]
    assert (status["context"], status["target_url"]) == ("gate/staging", RUN_URL)


@pytest.mark.parametrize("url", [None, "http://github.example/run", "javascript:alert(1)"])
def test_only_https_becomes_the_target(at: ClientBench, url: str | None) -> None:
    at.run(StatusPublisher(at.client, NAME, at.lab.second, "staging", target_url=url).publish_pending("x"))
    assert at.lab.github.statuses(at.lab.second)[0]["target_url"] is None


@pytest.mark.parametrize("text", ["x" * 200, "word " * 60, "🚀" * 140, "é" * 141, "a\nb " * 50, "sync: " + "y" * 300])
def test_the_description_always_fits(at: ClientBench, text: str) -> None:
    result = at.run(status_of(at).publish_final(CommitStatus("failure", text)))
    assert result.published
    description = at.lab.github.statuses(at.lab.second)[0]["description"]
    assert len(description.encode("utf-16-le")) // 2 <= 140
    assert description.endswith("…")
    assert "\n" not in description


def test_a_description_that_fits_is_not_cut(at: ClientBench) -> None:
    at.run(status_of(at).publish_final(CommitStatus("failure", "é" * 140)))
    assert published(at) == [("failure", "é" * 140)]


def test_a_final_status_is_never_pending_and_needs_a_full_id(at: ClientBench) -> None:
    with pytest.raises(InternalError, match="cannot be pending"):
        at.run(status_of(at).publish_final(CommitStatus("pending", "x")))
    for commit in ("", "main", at.lab.second[:12], at.lab.second.upper(), f" {at.lab.second}"):
        with pytest.raises(InternalError, match="full commit id"):
            status_of(at, commit)


def test_a_status_repeated_after_a_lost_answer_is_harmless(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault("error", method="POST", after=True, times=2))
    assert at.run(status_of(at).publish_final(PASSED)).outcome is PublishOutcome.PUBLISHED
    assert set(published(at)) == {("success", "all layers agree")}


def test_the_limit_of_1000_statuses_is_a_result(at: ClientBench) -> None:
    for _ in range(1000):
        at.lab.github.plant_status(at.lab.second, "pending", "gate/staging")
    result = at.run(status_of(at).publish_final(PASSED))
    assert (result.outcome, result.published, result.failed) == (PublishOutcome.TOO_MANY_STATUSES, False, True)
    assert published(at)[-1][0] == "pending"
    error = result.as_error()
    assert error.exit_code is ExitCode.COULD_NOT_PUBLISH
    assert "push a new commit" in error.change


def test_an_unknown_commit_and_an_unseen_repository_are_results(at: ClientBench) -> None:
    assert at.run(status_of(at, MISSING).publish_final(PASSED)).outcome is PublishOutcome.UNKNOWN_COMMIT
    hidden = StatusPublisher(at.client, "acme/hidden", at.lab.second, "staging")
    assert at.run(hidden.publish_final(PASSED)).outcome is PublishOutcome.UNKNOWN_COMMIT
    assert not hidden.final


@pytest.mark.parametrize("permissions", [{}, {"contents": "read"}, {"statuses": "read"}])
def test_a_read_only_token_is_a_result(tmp_path: Path, permissions: dict[str, str]) -> None:
    with client_bench(tmp_path, permissions=permissions) as at:
        result = at.run(status_of(at).publish_final(PASSED))
        assert result.outcome is PublishOutcome.READ_ONLY_TOKEN
        assert result.failed
        assert "Resource not accessible by integration" in result.detail
        assert at.client.requests == 1


def test_a_token_known_to_be_read_only_attempts_nothing(at: ClientBench) -> None:
    result = at.run(status_of(at, read_only=True).publish_final(PASSED))
    assert (result.outcome, result.failed, result.published) == (PublishOutcome.NOT_ATTEMPTED, False, False)
    assert at.client.requests == 0


def test_a_bad_token_is_a_result_and_shows_in_no_text(at: ClientBench) -> None:
    client = at.another(token="ghs-very-secret")
    result = at.run(StatusPublisher(client, NAME, at.lab.second, "staging").publish_final(PASSED))
    client.close()
    assert result.outcome is PublishOutcome.BAD_TOKEN
    assert "ghs-very-secret" not in result.model_dump_json() + result.as_error().diagnostics()


def test_github_down_is_a_result_and_the_next_try_may_succeed(at: ClientBench) -> None:
    publisher = status_of(at)
    at.lab.github.faults.add(Fault("error", times=10))
    first = at.run(publisher.publish_pending("sync: SyncNotStarted"))
    assert (first.outcome, first.failed) == (PublishOutcome.UNREACHABLE, True)
    assert "HTTP 502; tried 5 times" in first.detail
    assert at.run(publisher.publish_pending("sync: SyncNotStarted")).outcome is PublishOutcome.DEFERRED
    at.lab.github.faults.clear()
    at.clock.seconds += 60
    assert at.run(publisher.publish_pending("sync: SyncNotStarted")).outcome is PublishOutcome.PUBLISHED
    assert at.run(publisher.publish_final(PASSED)).published


def test_rate_limits_are_waited_for_inside_the_time_there_is(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault("secondary-limit", method="POST", retry_after=45))
    assert at.run(status_of(at).publish_final(PASSED)).published
    assert at.clock.slept == [45]


def test_rate_limits_beyond_the_time_there_is_are_a_result(at: ClientBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gate.lab.github.faults.time", lambda: EPOCH)
    at.lab.github.faults.add(Fault("primary-limit", method="POST", seconds=1800, times=None))
    publisher = status_of(at)
    result = at.run(publisher.publish_final(PASSED))
    assert result.outcome is PublishOutcome.RATE_LIMITED
    assert f"x-ratelimit-reset: {int(EPOCH) + 1800}" in result.detail
    assert at.clock.slept == []
    assert published(at) == []
    assert not publisher.final


@pytest.mark.parametrize("outcome", [one for one in PublishOutcome if PublishResult(what="x", outcome=one).failed])
def test_whatever_is_not_published_is_told_with_what_to_change(outcome: PublishOutcome) -> None:
    error = PublishResult(what="status", outcome=outcome, detail="HTTP 422").as_error()
    assert "" not in (error.means, error.change)
