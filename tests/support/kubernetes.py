"""The gate's own Kubernetes client against a loopback server, and answers shaped as the API shapes them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import SecretStr

from gate.adapters.failures import ReadFailed
from gate.adapters.kubernetes.access import KubeconfigFiles, ServerAccess
from gate.adapters.kubernetes.api import KubernetesApi
from gate.adapters.kubernetes.connection import Setting
from gate.adapters.kubernetes.kinds import KINDS
from gate.adapters.kubernetes.transport import Limits
from gate.adapters.retry import Patience
from tests.support.loopback import Handler, Loopback, Reply, serving

TOKEN = "token-that-nobody-may-see"


def patience(attempts: int = 1) -> Patience:
    """Attempts without waiting between them."""

    async def no_wait(_seconds: float) -> None:
        await asyncio.sleep(0)

    return Patience(attempts=attempts, sleep=no_wait)


@asynccontextmanager
async def cluster(
    handler: Handler, *, attempts: int = 1, limits: Limits | None = None, **options: Any
) -> AsyncIterator[tuple[KubernetesApi, Loopback]]:
    async with serving(handler) as loopback:
        access = ServerAccess(server=loopback.url(), token=SecretStr(TOKEN))
        chosen = Limits() if limits is None else limits
        opened = KubernetesApi(access, Setting(), limits=chosen, patience=patience(attempts), **options)
        async with opened as api:
            yield api, loopback


def thing(kind: str = "Deployment", name: str = "web", namespace: str = "orders") -> dict[str, Any]:
    return {
        "apiVersion": KINDS[kind].api_version,
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace, "resourceVersion": "7"},
    }


def status(code: int, reason: str, message: str = "", **details: Any) -> Reply:
    return Reply(
        code,
        {
            "kind": "Status",
            "apiVersion": "v1",
            "status": "Failure",
            "code": code,
            "reason": reason,
            "message": message,
            "details": details,
        },
    )


def page(kind: str, items: Any, token: str = "", **metadata: Any) -> Reply:
    return Reply(
        body={
            "kind": f"{kind}List",
            "apiVersion": KINDS[kind].api_version,
            "metadata": {"resourceVersion": "9", "continue": token} | metadata,
            "items": items,
        }
    )


async def failing(read: Callable[[KubernetesApi], Any], handler: Handler, **options: Any) -> ReadFailed:
    """What a read raises; never a secret in it, one line, and nothing but ReadFailed."""
    async with cluster(handler, **options) as (api, _):
        with pytest.raises(ReadFailed) as caught:
            await read(api)
    assert TOKEN not in str(caught.value)
    assert "\n" not in caught.value.error
    return caught.value


async def get_web(api: KubernetesApi) -> Any:
    return await api.get("Deployment", "orders", "web")


async def list_pods(api: KubernetesApi) -> Any:
    return await api.list_objects("Pod", "orders")


def kubeconfig(
    tmp_path: Path, loopback: Loopback, user: dict[str, Any] | None = None, **cluster: Any
) -> KubeconfigFiles:
    """A kubeconfig for the server whose user has the token ``first`` in a file, unless another is given."""
    (tmp_path / "token").write_text("first")
    config = {
        "clusters": [{"name": "c", "cluster": {"server": loopback.url()} | cluster}],
        "users": [{"name": "u", "user": {"tokenFile": "token"} if user is None else user}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    (tmp_path / "config").write_text(yaml.safe_dump(config))
    return KubeconfigFiles(paths=(tmp_path / "config",))
