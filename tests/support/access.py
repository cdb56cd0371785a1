"""Kubeconfigs for tests, and what every refusal of an access has in common."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
import yaml

from gate.adapters.kubernetes.access import (
    Access,
    KubeconfigFiles,
)
from gate.adapters.kubernetes.connection import Connection, Setting, connect
from gate.errors import AccessError

TOKEN = "token-that-nobody-may-see"
SERVER = "https://api.example.com:6443"


def kubeconfig(cluster: dict[str, Any] | None = None, user: dict[str, Any] | None = None, **top: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": SERVER} if cluster is None else cluster}],
        "users": [{"name": "u", "user": {"token": TOKEN} if user is None else user}],
        "contexts": [
            {"name": "staging", "context": {"cluster": "c", "user": "u"}},
            {"name": "production", "context": {"cluster": "c", "user": "u"}},
        ],
        "current-context": "staging",
    }


def written(tmp_path: Path, content: Any, name: str = "config") -> KubeconfigFiles:
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
    return KubeconfigFiles(paths=(path,))


async def opened(access: Access, setting: Setting | None = None, *, allow: bool = False) -> Connection:
    connection, _ = await connect(access, setting or Setting(), allow_unverified=allow)
    await connection.close()
    return connection


def refused(access: Access, setting: Setting | None = None) -> AccessError:
    """The error of an access that must not be set up; it tells all three parts and no secret."""
    with pytest.raises(AccessError) as caught:
        asyncio.run(opened(access, setting))
    error = caught.value
    assert error.means != ""
    assert error.change != ""
    assert TOKEN not in error.diagnostics()
    assert error.__cause__ is None
    return error
