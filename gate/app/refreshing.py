"""Asking Argo CD to compare again, where the configuration allows it: the one thing that is ever written."""

from collections.abc import Awaitable, Callable

from gate.adapters.failures import ReadFailed
from gate.app.clusters import Clusters
from gate.config.model import Allow, Environment


def make_refresh(
    settings: Environment, clusters: Clusters, say: Callable[[str], None]
) -> Callable[[], Awaitable[None]] | None:
    """How to ask for one comparison of every Application that has a name; None where that is not allowed."""
    if not settings.policy.allows(Allow.REFRESH):
        return None

    async def refresh() -> None:
        for target in settings.applications:
            if target.name is None:
                continue
            try:
                await clusters.argocd.request_refresh(target.namespace or settings.argocd.namespace, target.name)
            except ReadFailed as failure:
                say(f"The refresh of {target.name} was refused: {failure.error}")

    return refresh
