"""The gate's GitHub client and a loopback server that answers it whatever a test wants."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from gate.adapters.github import GitHubAccess, GitHubClient, GitHubRepository, Marker
from gate.adapters.github.client import PATIENCE
from tests.support.clock import Clock
from tests.support.github import NAME
from tests.support.loopback import Asked, Loopback, Reply, serving

SHA, TREE, OTHER = "a" * 40, "b" * 40, "c" * 40
MARKER = Marker(environment="staging", commit=SHA, run=7, attempt=1, began=datetime(2026, 12, 1, tzinfo=UTC))
COMMIT: dict[str, Any] = {
    "sha": SHA,
    "commit": {
        "message": "Deploy",
        "tree": {"sha": TREE},
        "author": {"name": "Octo Dev", "date": "2026-12-01T12:00:00Z"},
        "committer": {"name": "GitHub", "date": "2026-12-01T12:30:00Z"},
    },
    "parents": [{"sha": OTHER}],
    "files": [{"filename": "apps/orders.yaml"}],
}


def client_of(server: Loopback, ca_file: Path | None = None) -> GitHubClient:
    access = GitHubAccess(api_url=server.url(), token=SecretStr("the-token"), ca_file=ca_file, paced=False)
    return GitHubClient(access, Clock().patience(PATIENCE))


def answering(reply: Reply) -> Callable[[Asked], Reply]:
    return lambda _asked: reply


async def read(reply: Reply, name: str = SHA) -> tuple[Any, Loopback]:
    async with serving(answering(reply)) as server:
        client = client_of(server)
        found = await GitHubRepository(client, NAME).read_commit(name)
        client.close()
        return found, server
