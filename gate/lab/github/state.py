"""What GitHub remembers beside Git: statuses, comments, pull requests, rules."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from gate.lab.github.git import Git
from gate.lab.github.history import timestamp
from gate.lab.github.identity import App, Identity


def now() -> str:
    """The time as GitHub writes it."""
    return timestamp(datetime.now(UTC))


@dataclass(frozen=True)
class Status:
    """One commit status; never changed, only outlived by a newer one."""

    id: int
    sha: str
    state: str
    context: str
    description: str | None
    target_url: str | None
    creator: Identity
    created_at: str


@dataclass
class Comment:
    """One comment on a pull request."""

    id: int
    number: int
    body: str
    user: Identity
    created_at: str
    updated_at: str


@dataclass
class Pull:
    """One pull request; `head_sha` follows the branch while it is open.

    `owner` is whose branch the head is (a fork, when not the repository's own
    owner; its objects stand in this repository, as GitHub shares them).
    """

    id: int
    number: int
    title: str
    body: str | None
    head: str
    base: str
    owner: str
    head_sha: str
    base_sha: str
    user: Identity
    created_at: str
    updated_at: str
    draft: bool = False
    state: str = "open"
    closed_at: str | None = None
    merged_at: str | None = None
    merge_commit_sha: str | None = None
    merged_by: Identity | None = None


@dataclass
class QueueEntry:
    """A pull request in the merge queue: its group is `head_sha` on `head_ref`, built on `base_sha`."""

    number: int
    by: Identity
    base: str
    base_sha: str
    head_sha: str
    head_ref: str


@dataclass
class Repository:
    """One repository's Git data and everything remembered about it."""

    full_name: str
    id: int
    git: Git
    created_at: str
    statuses: list[Status] = field(default_factory=list)
    comments: dict[int, Comment] = field(default_factory=dict)
    pulls: dict[int, Pull] = field(default_factory=dict)
    rules: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    bypass: dict[int, frozenset[int]] = field(default_factory=dict)
    verified: set[str] = field(default_factory=set)
    stale: dict[str, tuple[str, int]] = field(default_factory=dict)
    queue: list[QueueEntry] = field(default_factory=list)
    pulls_asked: Counter[str] = field(default_factory=Counter)

    @property
    def owner(self) -> str:
        """The account that owns it."""
        return self.full_name.partition("/")[0]

    @property
    def name(self) -> str:
        """Its name within the account."""
        return self.full_name.partition("/")[2]

    def statuses_of(self, sha: str) -> list[Status]:
        """Every status of a commit, newest first."""
        return [status for status in reversed(self.statuses) if status.sha == sha]

    def latest_statuses(self, sha: str) -> list[Status]:
        """The newest status of each context.

        Rule: contexts are case-insensitive. Source:
        https://docs.github.com/en/rest/commits/statuses#create-a-commit-status
        """
        latest: dict[str, Status] = {}
        for status in self.statuses_of(sha):
            latest.setdefault(status.context.lower(), status)
        return list(latest.values())

    def published(self) -> dict[str, Any]:
        """All of it as plain JSON, oldest first."""
        return {
            "statuses": [published_status(status) for status in self.statuses],
            "comments": [published_comment(comment) for comment in self.comments.values()],
            "pulls": [_with_logins(asdict(pull)) for pull in self.pulls.values()],
        }


def _with_logins(record: dict[str, Any]) -> dict[str, Any]:
    """Identities reduced to their login."""
    return {
        key: value["login"] if isinstance(value, dict) and "login" in value else value for key, value in record.items()
    }


def published_status(status: Status) -> dict[str, Any]:
    """A status as plain JSON, its creator by login."""
    return _with_logins(asdict(status))


def published_comment(comment: Comment) -> dict[str, Any]:
    """A comment as plain JSON, its user by login."""
    return _with_logins(asdict(comment))


@dataclass
class World:
    """Everything the stand-in knows, and how it is set up.

    `actions_may_open_pulls` is the repositories' setting "Allow GitHub Actions to create and approve
    pull requests"; like the others it may be changed while it runs.
    """

    repositories: dict[str, Repository]
    identities: dict[str, Identity]
    index_lag: int = 0
    rate_limit: int = 5000
    ref_lag: int = 0
    signs_commits: bool = True
    actions_may_open_pulls: bool = True
    apps: dict[str, App] = field(default_factory=dict)
    expiry: dict[str, float] = field(default_factory=dict)
    requests_used: int = 0
    reset_at: float = 0.0
    ids: Iterator[int] = field(default_factory=lambda: itertools.count(1001))

    def repository(self, full_name: str) -> Repository | None:
        """A repository by owner/name; GitHub ignores the case of both."""
        wanted = full_name.lower()
        return next((r for name, r in self.repositories.items() if name.lower() == wanted), None)
