"""What a whole verdict costs in requests, and the pauses between them."""

from __future__ import annotations

from dataclasses import replace

from gate.adapters.github import CommentPublisher, GitHubClient, Marker, StatusPublisher
from gate.adapters.github.client import PATIENCE
from tests.support.github import NAME
from tests.support.github_client import ClientBench
from tests.support.github_publishing import BEGAN, PASSED


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
    kwargs = client.connected().github.requester.kwargs
    assert (kwargs["seconds_between_requests"], kwargs["seconds_between_writes"]) == (0.25, 1.0)
    hurried = client.hurried(3)
    kwargs = hurried.connected().github.requester.kwargs
    assert (kwargs["seconds_between_requests"], kwargs["seconds_between_writes"]) == (None, None)
    assert (kwargs["timeout"], kwargs["retry"], kwargs["lazy"]) == (3, None, True)
    assert replace(hurried.patience, attempts=5) == client.patience
