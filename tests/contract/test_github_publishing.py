"""Publishing to GitHub: the status and the sticky comment, over HTTP against the stand-in."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from gate.adapters.github import (
    CommentPublisher,
    GitHubClient,
    GitHubRepository,
    Marker,
    PublishOutcome,
    PublishResult,
    StatusPublisher,
)
from gate.adapters.github.client import PATIENCE
from gate.errors import ExitCode, InternalError
from gate.lab.github import Fault, Identity
from gate.render.status import CommitStatus
from tests.support.clock import EPOCH
from tests.support.github import NAME, PERSON
from tests.support.github_client import ClientBench, client_bench

MISSING = "f" * 40
RUN_URL = "https://github.example/acme/environments/actions/runs/7/attempts/1"
BEGAN = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
PASSED = CommitStatus("success", "all layers agree")
FAILED = CommitStatus("failure", "readiness: ProbeFailing - GET /broken answers 404")


@pytest.fixture
def at(tmp_path: Path) -> Iterator[ClientBench]:
    with client_bench(tmp_path) as made:
        yield made


def status_of(at: ClientBench, commit: str | None = None, **options: Any) -> StatusPublisher:
    sha = at.lab.second if commit is None else commit
    return StatusPublisher(at.client, NAME, sha, "staging", **options)


def published(at: ClientBench, commit: str | None = None) -> list[tuple[str, str]]:
    found = at.lab.github.statuses(at.lab.second if commit is None else commit)
    return [(status["state"], status["description"]) for status in found]


# --- the status


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


# --- the comment


class Comments:
    """A pull request of the bench, and publishers of several runs on it."""

    def __init__(self, at: ClientBench) -> None:
        self.at = at
        self.pull = at.lab.github.open_pull("promote/prod").number

    def marker(self, commit: str | None = None, run: int = 7, attempt: int = 1, later: int = 0) -> Marker:
        sha = self.at.lab.second if commit is None else commit
        began = BEGAN + timedelta(minutes=later)
        return Marker(environment="staging", commit=sha, run=run, attempt=attempt, began=began)

    def publisher(
        self, marker: Marker | None = None, client: GitHubClient | None = None, **options: Any
    ) -> CommentPublisher:
        repository = GitHubRepository(self.at.client if client is None else client, NAME)
        return CommentPublisher(
            repository,
            self.pull,
            self.marker() if marker is None else marker,
            **options,
        )

    def publish(self, body: str, marker: Marker | None = None, **options: Any) -> PublishResult:
        return self.at.run(self.publisher(marker, **options).publish(body))

    @property
    def bodies(self) -> list[str]:
        return [comment["body"] for comment in self.at.lab.github.comments(self.pull)]

    @property
    def ours(self) -> list[str]:
        return [body for body in self.bodies if body.startswith("<!-- promotion-gate:staging:")]

    def plant(self, body: str, user: Identity = PERSON) -> int:
        return self.at.lab.github.plant_comment(self.pull, body, user)


BOT = Identity("github-actions[bot]", 41898282, "Bot")


@pytest.fixture
def comments(at: ClientBench) -> Comments:
    return Comments(at)


def test_the_first_comment_is_created_and_later_ones_update_it(comments: Comments) -> None:
    first = comments.publish("**staging is pending**")
    second = comments.publish("**staging passed**")
    third = comments.publish("**staging passed**")
    assert [first.outcome, second.outcome, third.outcome] == ["published", "published", "unchanged"]
    assert comments.bodies == [f"{comments.marker().line}\n**staging passed**"]
    assert comments.marker().line.startswith(
        f"<!-- promotion-gate:staging:commit={comments.at.lab.second}:run=7:attempt=1:at="
    )
    assert [e.method for e in comments.at.lab.github.requests if "comments" in e.path] == [
        "GET", "POST", "GET", "GET", "PATCH", "GET",
    ]  # fmt: skip
    assert first.url is not None
    assert first.url == second.url


def test_every_environment_has_a_comment_of_its_own(comments: Comments) -> None:
    production = comments.marker().model_copy(update={"environment": "production"})
    comments.publish("staging")
    comments.publish("production", production)
    assert [body.partition("\n")[2] for body in comments.bodies] == ["staging", "production"]


def test_ours_is_found_behind_a_hundred_others(comments: Comments) -> None:
    for number in range(105):
        comments.plant(f"Comment {number}")
    comments.publish("one")
    for number in range(105):
        comments.plant(f"Reply {number}")
    assert comments.publish("two").outcome is PublishOutcome.PUBLISHED
    assert len(comments.bodies) == 211
    assert [body.partition("\n")[2] for body in comments.ours] == ["two"]
    pages = [e.query["page"] for e in comments.at.lab.github.requests if e.method == "GET" and "comments" in e.path]
    assert pages[-3:] == ["1", "2", "3"]


def test_a_marker_planted_by_somebody_else_is_left_alone(comments: Comments) -> None:
    newest = comments.marker(run=99, later=999)
    planted = [
        comments.plant(f"{newest.line}\nThe gate passed"),
        comments.plant(f"{newest.line}\nThe gate passed", Identity("github-actions", 5, "User")),
        comments.plant(f"{newest.line}\nThe gate passed", Identity("other-app[bot]", 6, "Bot")),
        comments.plant(f"{newest.line}\nThe gate passed", Identity("github-actions[bot]", 7, "User")),
        comments.plant(f"I agree\n{newest.line}", BOT),
    ]
    assert comments.publish("failed").outcome is PublishOutcome.PUBLISHED
    found = comments.at.lab.github.comments(comments.pull)
    assert [comment["id"] for comment in found][: len(planted)] == planted
    assert found[-1]["body"] == f"{comments.marker().line}\nfailed"
    assert len(found) == len(planted) + 1


def test_another_account_can_be_the_author(comments: Comments) -> None:
    own = comments.plant(f"{comments.marker().line}\nold", Identity("Release-Robot[bot]", 8, "Bot"))
    comments.publish("new", author="release-robot[bot]")
    assert comments.bodies == [f"{comments.marker().line}\nnew"]
    assert comments.at.lab.github.comments(comments.pull)[0]["id"] == own


def test_a_run_for_an_older_commit_never_overwrites_a_newer_one(comments: Comments) -> None:
    lab = comments.at.lab
    newer = comments.marker(lab.promotion, run=8, later=1)
    comments.publish("newer commit", newer)
    # It ends later, it began later (somebody ran it again), and its commit is older all the same.
    late = comments.publish("older commit", comments.marker(lab.second, run=7, attempt=2, later=30))
    assert (late.outcome, late.published, late.failed) == (PublishOutcome.NEWER_STANDS, True, False)
    assert comments.bodies == [f"{newer.line}\nnewer commit"]


def test_a_run_for_a_newer_commit_overwrites_an_older_one(comments: Comments) -> None:
    lab = comments.at.lab
    comments.publish("older commit", comments.marker(lab.second, run=9, later=30))
    newer = comments.marker(lab.promotion, run=8)
    assert comments.publish("newer commit", newer).outcome is PublishOutcome.PUBLISHED
    assert comments.bodies == [f"{newer.line}\nnewer commit"]


@pytest.mark.parametrize("commit", ["diverged", "unknown", "same"])
def test_where_history_says_nothing_the_later_run_stands(comments: Comments, commit: str) -> None:
    lab = comments.at.lab
    side = lab.repository.commit("side", {"s": "1"}, "Side", parents=[lab.first])
    other = {"diverged": side, "unknown": MISSING, "same": lab.second}[commit]
    later = comments.marker(other, run=8, later=5)
    comments.plant(f"{later.line}\nlater", BOT)
    assert comments.publish("earlier", comments.marker()).outcome is PublishOutcome.NEWER_STANDS
    latest = comments.marker(run=6, attempt=2, later=6)
    assert comments.publish("latest", latest).outcome is PublishOutcome.PUBLISHED
    assert comments.bodies == [f"{latest.line}\nlatest"]


@pytest.mark.parametrize("line", ["<!-- promotion-gate:staging: -->", "<!-- promotion-gate:staging:commit=x:run=y -->"])
def test_a_marker_that_cannot_be_read_is_ours_and_old(comments: Comments, line: str) -> None:
    comments.plant(f"{line}\nwhat an older version wrote", BOT)
    comments.publish("new")
    assert comments.bodies == [f"{comments.marker().line}\nnew"]


def test_duplicates_of_ours_are_removed_and_the_lowest_id_stays(comments: Comments) -> None:
    ids = [comments.plant(f"{comments.marker(run=run).line}\nrun {run}", BOT) for run in (3, 4, 5)]
    comments.publish("new")
    found = comments.at.lab.github.comments(comments.pull)
    assert [(comment["id"], comment["body"]) for comment in found] == [(ids[0], f"{comments.marker().line}\nnew")]


@pytest.mark.parametrize(
    "fault", [Fault("error", method="POST", after=True), Fault("close", method="POST", after=True)]
)
def test_an_answer_lost_after_creating_makes_no_second_comment(comments: Comments, fault: Fault) -> None:
    comments.at.lab.github.faults.add(fault)
    assert comments.publish("once").outcome is PublishOutcome.PUBLISHED
    assert comments.bodies == [f"{comments.marker().line}\nonce"]
    assert len(comments.at.lab.paths("POST")) == 1


def test_a_comment_that_was_not_created_is_created_by_the_next_try(comments: Comments) -> None:
    comments.at.lab.github.faults.add(Fault("error", method="POST", times=2))
    assert comments.publish("once").outcome is PublishOutcome.PUBLISHED
    assert len(comments.bodies) == 1
    methods = [e.method for e in comments.at.lab.github.requests if "comments" in e.path]
    assert methods == ["GET", "POST", "GET", "POST", "GET", "POST", "GET"]


def test_creating_is_given_up_without_an_exception(comments: Comments) -> None:
    comments.at.lab.github.faults.add(Fault("error", method="POST", times=None))
    result = comments.publish("never")
    assert (result.outcome, result.failed) == (PublishOutcome.UNREACHABLE, True)
    assert comments.bodies == []


def test_an_edit_is_repeated_and_a_rate_limited_create_too(comments: Comments) -> None:
    faults = comments.at.lab.github.faults
    faults.add(Fault("secondary-limit", method="POST", retry_after=5), Fault("error", method="PATCH", after=True))
    assert comments.publish("one").published
    assert comments.publish("two").published
    assert comments.bodies == [f"{comments.marker().line}\ntwo"]
    assert comments.at.clock.slept == [5, 0.5]


def test_a_comment_deleted_in_between_is_created_anew(comments: Comments) -> None:
    comments.publish("one")
    comments.at.lab.github.faults.add(Fault("error", method="PATCH", status=404))
    assert comments.publish("two").published
    assert comments.bodies == [f"{comments.marker().line}\ntwo"]


@pytest.mark.parametrize("existing", [False, True])
@pytest.mark.parametrize("char", ["x", "é", "🚀"])
def test_long_bodies_are_cut_on_creating_and_on_updating(comments: Comments, char: str, existing: bool) -> None:
    if existing:
        comments.publish("short")
    table = "| layer | outcome |\n| --- | --- |\n| readiness | failed |\n"
    lines = "".join(f"{char * 100} {number}\n" for number in range(1200))
    body = f"**failed**\n\n{table}\n<details>\n<summary>Evidence</summary>\n\n```text\n{lines}```\n\n</details>\n"
    assert comments.publish(body).outcome is PublishOutcome.PUBLISHED
    (stored,) = comments.bodies
    assert len(stored.encode("utf-16-le")) // 2 <= 60_000
    assert stored.startswith(f"{comments.marker().line}\n**failed**\n\n{table}")
    assert stored.endswith(
        "\n```\n\n</details>\n\n*Cut here, because GitHub takes no longer comment. The job summary has all of it.*\n"
    )
    assert stored.count("```") == 2


def test_a_read_only_token_and_a_wrong_number_are_results(tmp_path: Path) -> None:
    with client_bench(tmp_path, permissions={"contents": "read", "pull-requests": "read"}) as at:
        comments = Comments(at)
        assert comments.publish("x").outcome is PublishOutcome.READ_ONLY_TOKEN
        assert comments.publish("x", read_only=True).outcome is PublishOutcome.NOT_ATTEMPTED
        comments.pull = 99_999
        assert comments.publish("x").outcome is PublishOutcome.NOT_FOUND


def test_a_duplicate_that_cannot_be_removed_hides_nothing(comments: Comments) -> None:
    for run in (3, 4):
        comments.plant(f"{comments.marker(run=run).line}\nold", BOT)
    comments.at.lab.github.faults.add(Fault("error", method="DELETE", times=None))
    assert comments.publish("new").outcome is PublishOutcome.PUBLISHED


def together(comments: Comments, markers: list[Marker]) -> list[PublishResult]:
    """Publish from one thread for each marker, all beginning at once."""
    start, results = threading.Barrier(len(markers)), dict[int, PublishResult]()

    def run(index: int, marker: Marker) -> None:
        client = comments.at.another()
        start.wait()
        results[index] = asyncio.run(comments.publisher(marker, client).publish(f"run {marker.run}"))
        client.close()

    threads = [threading.Thread(target=run, args=(index, marker)) for index, marker in enumerate(markers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [results[index] for index in sorted(results)]


@pytest.mark.parametrize("newer_first", [True, False])
def test_two_runs_that_both_create_leave_one_comment_of_the_newer_commit(comments: Comments, newer_first: bool) -> None:
    lab = comments.at.lab
    older, newer = comments.marker(lab.second, run=7), comments.marker(lab.promotion, run=8, later=1)
    # Both have seen that there is none before either creates one.
    barrier = threading.Barrier(2)
    order = [newer, older] if newer_first else [older, newer]
    sequence = threading.Event()
    results = {}

    def run(marker: Marker) -> None:
        client = comments.at.another()
        publisher = comments.publisher(marker, client)
        create = publisher._create  # noqa: SLF001 - the race is made certain here

        async def create_in_order(text: str, deadline: float) -> object:
            barrier.wait()
            if marker is order[1]:
                sequence.wait()
            created = await create(text, deadline)
            sequence.set()
            return created

        publisher._create = create_in_order  # type: ignore[assignment,method-assign]  # noqa: SLF001 - as above
        results[marker.run] = asyncio.run(publisher.publish(f"run {marker.run}"))
        client.close()

    threads = [threading.Thread(target=run, args=(marker,)) for marker in order]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(comments.at.lab.paths("POST")) == 2
    assert comments.bodies == [f"{newer.line}\nrun 8"]
    assert results[8].published
    assert results[7].published


def test_many_runs_at_once_leave_one_comment(comments: Comments) -> None:
    markers = [comments.marker(run=run, later=run) for run in range(1, 6)]
    results = together(comments, markers)
    assert all(result.published for result in results)
    # Whatever the order was, one more run settles it for good.
    last = comments.marker(run=9, later=9)
    comments.publish("last", last)
    assert comments.bodies == [f"{last.line}\nlast"]


# --- the budget


def test_a_whole_verdict_takes_few_requests(at: ClientBench) -> None:
    pull = at.lab.github.open_pull("promote/prod")
    merged = at.lab.github.merge_pull(pull.number, method="squash").merge_commit_sha
    assert merged is not None
    repository = at.repository

    async def verdict() -> None:
        await repository.read_file("README.md", merged)  # the configuration
        await repository.read_file("envs/prod/app.yaml", merged)  # the pin
        await repository.read_commit(merged)
        await repository.read_relation(at.lab.second, merged)
        status = StatusPublisher(at.client, NAME, merged, "staging")
        marker = Marker(environment="staging", commit=merged, run=7, attempt=1, began=BEGAN)
        comment = CommentPublisher(repository, pull.number, marker)
        await status.publish_pending("sync: SyncNotStarted")
        for poll in range(100):
            at.clock.seconds += 1
            await repository.read_commit(merged)
            await status.publish_pending(f"readiness: RolloutInProgress {poll // 70}")
        await status.publish_final(PASSED)
        await comment.publish("passed")

    at.run(verdict())
    statuses = at.lab.github.statuses(merged)
    assert [status["state"] for status in statuses] == ["pending", "pending", "success"]
    assert at.client.requests - len(statuses) <= 8
    assert at.client.requests == len(at.lab.github.requests) - 1


def test_pauses_are_kept_in_production_and_left_out_when_cancelled(at: ClientBench) -> None:
    access = at.client._access  # noqa: SLF001 - what it was made with
    client = GitHubClient(access.model_copy(update={"paced": True}), at.clock.patience(PATIENCE))
    kwargs = client._github.requester.kwargs  # noqa: SLF001 - PyGithub's own settings
    assert (kwargs["seconds_between_requests"], kwargs["seconds_between_writes"]) == (0.25, 1.0)
    hurried = client.hurried(3)
    kwargs = hurried._github.requester.kwargs  # noqa: SLF001 - as above
    assert (kwargs["seconds_between_requests"], kwargs["seconds_between_writes"]) == (None, None)
    assert (kwargs["timeout"], kwargs["retry"], kwargs["lazy"]) == (3, None, True)
    assert replace(hurried.patience, attempts=5) == client.patience
