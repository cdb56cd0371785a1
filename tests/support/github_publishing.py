"""Publishers of the commit status and the sticky comment on the bench, and what they left there."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from gate.adapters.github import (
    CommentPublisher,
    GitHubClient,
    GitHubRepository,
    Marker,
    PublishResult,
    StatusPublisher,
)
from gate.lab.github import Identity
from gate.render.status import CommitStatus
from tests.support.github import NAME, PERSON
from tests.support.github_client import ClientBench

BEGAN = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
PASSED = CommitStatus("success", "all layers agree")


def status_of(at: ClientBench, commit: str | None = None, **options: Any) -> StatusPublisher:
    sha = at.lab.second if commit is None else commit
    return StatusPublisher(at.client, NAME, sha, "staging", **options)


def published(at: ClientBench, commit: str | None = None) -> list[tuple[str, str]]:
    found = at.lab.github.statuses(at.lab.second if commit is None else commit)
    return [(status["state"], status["description"]) for status in found]


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
