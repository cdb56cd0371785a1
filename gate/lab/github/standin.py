"""The stand-in as tests and the laboratory hold it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from gate.lab.github import merge_queue, merging, pulls, rules
from gate.lab.github.answering import Answering
from gate.lab.github.events import Events
from gate.lab.github.exchange import Exchange
from gate.lab.github.faults import Fault, FaultPlan
from gate.lab.github.git import Git
from gate.lab.github.identity import GITHUB_ACTIONS, App, Identity
from gate.lab.github.merge_queue import Left
from gate.lab.github.server import Server, state
from gate.lab.github.state import (
    Comment,
    Pull,
    QueueEntry,
    Repository,
    Status,
    World,
    now,
    published_comment,
    published_status,
)

DEFAULT_TOKEN = "stand-in-token"  # noqa: S105 - opens nothing but this server


class GitHubStandIn:
    """A GitHub on loopback with these bare repositories; a context manager.

    `permissions` None lets the token do everything. `index_lag` is how many
    times `commits/{sha}/pulls` answers an empty list first, `ref_lag` how many
    times a ref is read as it was before a write. `prefix` is "/api/v3" for
    GitHub Enterprise Server. Methods that take `repository`
    mean the first one when it is left out.
    """

    def __init__(
        self,
        repositories: Mapping[str, Path],
        *,
        token: str = DEFAULT_TOKEN,
        permissions: Mapping[str, str] | None = None,
        actor: Identity = GITHUB_ACTIONS,
        faults: Iterable[Fault] = (),
        prefix: str = "",
        port: int = 0,
        index_lag: int = 0,
        ref_lag: int = 0,
        rate_limit: int = 5000,
        signs_commits: bool = True,
        on_exchange: Callable[[Exchange], None] | None = None,
    ) -> None:
        self.token = token
        self.world = World(
            {
                name: Repository(name, 100 + 2 * index, Git(path), now())
                for index, (name, path) in enumerate(repositories.items())
            },
            {token: actor if permissions is None else actor.restricted(permissions)},
            index_lag=index_lag,
            ref_lag=ref_lag,
            rate_limit=rate_limit,
            signs_commits=signs_commits,
        )
        self.faults = FaultPlan(faults)
        self._answering = Answering(self.world, self.faults, on_exchange)
        self._server = Server(port, prefix, self._answering)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """The API root, for `GITHUB_API_URL` and PyGithub's `base_url`."""
        return self._server.origin + self._server.prefix

    @property
    def server_url(self) -> str:
        """The address for people, for `GITHUB_SERVER_URL`."""
        return self._server.origin

    @property
    def requests(self) -> list[Exchange]:
        """Every exchange so far, in the order of arrival; tokens are redacted."""
        with self._answering.lock:
            return list(self._answering.exchanges)

    def state(self) -> dict[str, Any]:
        """Everything published, as `GET /_standin/state` shows it."""
        return state(self._answering)

    def add_token(self, token: str, identity: Identity, permissions: Mapping[str, str] | None = None) -> None:
        """Let another caller in."""
        caller = identity if permissions is None else identity.restricted(permissions)
        self.world.identities[token] = caller

    def add_app(self, app: App) -> None:
        """A GitHub App, installed here: it logs in by its key and gets tokens that expire."""
        self.world.apps[str(app.id)] = app

    def events(self, sender: Identity | None = None, repository: str | None = None) -> Events:
        """The payloads of events in a repository as it is now, caused by `sender`."""
        found = self._repository(repository)
        return Events(self.world, found, sender or self._actor, self._server.origin, self._server.prefix)

    def statuses(self, sha: str, repository: str | None = None) -> list[dict[str, Any]]:
        """The statuses of a commit, oldest first."""
        found = self._repository(repository)
        with self._answering.lock:
            return [published_status(status) for status in reversed(found.statuses_of(sha))]

    def comments(self, number: int, repository: str | None = None) -> list[dict[str, Any]]:
        """The comments of a pull request, oldest first."""
        found = self._repository(repository).comments
        with self._answering.lock:
            return [published_comment(c) for _, c in sorted(found.items()) if c.number == number]

    def pull(self, number: int, repository: str | None = None) -> Pull:
        """A pull request as it is now."""
        found = self._repository(repository)
        with self._answering.lock:
            return pulls.refresh(found, found.pulls[number])

    def open_pull(
        self,
        head: str,
        base: str = "main",
        *,
        title: str = "Promote",
        body: str = "",
        user: Identity | None = None,
        draft: bool = False,
        repository: str | None = None,
    ) -> Pull:
        """Open a pull request; `head` is a branch, or `owner:branch` for one from a fork."""
        found, fields = self._repository(repository), {"title": title, "head": head, "base": base}
        with self._answering.lock:
            number = next(self.world.ids)
            return pulls.open_pull(found, number, user or self._actor, {**fields, "body": body}, draft=draft)

    def merge_pull(
        self,
        number: int,
        *,
        method: str = "merge",
        by: Identity | None = None,
        repository: str | None = None,
    ) -> Pull:
        """Merge a pull request; raises `MergeRefused` where GitHub would not let it."""
        found = self._repository(repository)
        with self._answering.lock:
            return merging.merge_pull(found, found.pulls[number], by or self._actor, method=method)

    def enqueue(self, number: int, *, by: Identity | None = None, repository: str | None = None) -> QueueEntry:
        """Put a pull request into its branch's merge queue; raises `MergeRefused` as `merge_pull` does."""
        found = self._repository(repository)
        with self._answering.lock:
            return merge_queue.enqueue(found, found.pulls[number], by or self._actor)

    def settle_queue(self, base: str = "main", repository: str | None = None) -> list[Left]:
        """Merge what is green at the front of a queue and drop what is red; what left it, in order."""
        with self._answering.lock:
            return merge_queue.settle(self._repository(repository), base)

    def plant_comment(self, number: int, body: str, user: Identity, repository: str | None = None) -> int:
        """A comment by somebody, without a request; its id."""
        at = now()
        with self._answering.lock:
            comment = Comment(next(self.world.ids), number, body, user, at, at)
            self._repository(repository).comments[comment.id] = comment
        return comment.id

    def plant_status(
        self,
        sha: str,
        state: str,
        context: str,
        *,
        description: str | None = None,
        target_url: str | None = None,
        creator: Identity | None = None,
        repository: str | None = None,
    ) -> None:
        """A status by somebody, without a request."""
        by = creator or self._actor
        with self._answering.lock:
            status = Status(next(self.world.ids), sha, state, context, description, target_url, by, now())
            self._repository(repository).statuses.append(status)

    def add_rule(
        self, branch: str, rule: dict[str, Any], *, bypass: tuple[int, ...] = (), repository: str | None = None
    ) -> None:
        """A ruleset rule on a branch, as `rules/branches/{branch}` lists it; `bypass`: ids of Apps."""
        found = self._repository(repository)
        with self._answering.lock:
            rules.add_rule(found, branch, rule, next(self.world.ids), bypass)

    def require_status(
        self,
        branch: str,
        context: str,
        *,
        integration_id: int | None = None,
        strict: bool = False,
        repository: str | None = None,
    ) -> None:
        """Make a status required on a branch, from one App only if named; `strict`: when up to date."""
        check: dict[str, Any] = {"context": context}
        if integration_id is not None:
            check["integration_id"] = integration_id
        parameters = {
            "required_status_checks": [check],
            "strict_required_status_checks_policy": strict,
        }
        rule = {"type": "required_status_checks", "parameters": parameters}
        self.add_rule(branch, rule, repository=repository)

    @property
    def _actor(self) -> Identity:
        return self.world.identities[self.token]

    def _repository(self, name: str | None) -> Repository:
        repositories = self.world.repositories
        return repositories[name] if name is not None else next(iter(repositories.values()))
