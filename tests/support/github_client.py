"""The gate's own GitHub client against the stand-in, with a clock that only tests move."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import SecretStr

from gate.adapters.github import CommitFound, GitHubAccess, GitHubClient, GitHubRepository
from gate.adapters.github.client import PATIENCE
from gate.observed import Observed, Present
from tests.support.clock import Clock
from tests.support.github import NAME, Bench, bench

T = TypeVar("T")


@dataclass(frozen=True)
class ClientBench:
    """A stand-in, the gate's client of it, and the clock between."""

    lab: Bench
    clock: Clock
    client: GitHubClient

    @property
    def repository(self) -> GitHubRepository:
        """A reader that knows nothing yet."""
        return GitHubRepository(self.client, NAME)

    async def under_way(self) -> None:
        """Wait until a request has been sent."""
        while self.client.requests == 0:  # noqa: ASYNC110 - it is counted in another thread
            await asyncio.sleep(0.01)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of a coroutine."""
        return asyncio.run(work)

    def another(self, token: str | None = None) -> GitHubClient:
        """A client of another run, with a clock of its own; to be closed by the caller."""
        return new_client(self.lab, Clock(), token=token)


def new_client(lab: Bench, clock: Clock, *, token: str | None = None, timeout: int = 10) -> GitHubClient:
    """A client as the gate makes it, without the pauses."""
    secret = SecretStr(lab.github.token if token is None else token)
    access = GitHubAccess(api_url=lab.github.url, token=secret, timeout=timeout, paced=False)
    return GitHubClient(access, clock.patience(PATIENCE))


@contextmanager
def client_bench(directory: Path, *, timeout: int = 10, **options: Any) -> Iterator[ClientBench]:
    """A bench with a client; whatever was exchanged must fit GitHub's description."""
    with bench(directory, **options) as lab:
        lab.api.get("/rate_limit")  # the bench wants to see an exchange; some tests show that there is none
        clock = Clock()
        client = new_client(lab, clock, timeout=timeout)
        yield ClientBench(lab, clock, client)
        client.close()


def commit_of(found: Observed[CommitFound]) -> CommitFound:
    """The commit that was read; fails the test where none was."""
    assert isinstance(found, Present), found
    return found.value
