"""Opening the clusters that an environment names: one for workloads, one for Argo CD (often the same)."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from gate.adapters.kubernetes.access import Access, choose_access, laptop_kubeconfigs
from gate.adapters.kubernetes.api import KubernetesApi
from gate.adapters.kubernetes.connection import Setting
from gate.adapters.runner.hidden import learn
from gate.app.options import ClusterOptions
from gate.config.model import Allow, Environment


@dataclass(frozen=True)
class Clusters:
    """The opened clusters; ``argocd`` and ``workloads`` may be one."""

    argocd: KubernetesApi
    workloads: KubernetesApi

    @property
    def notes(self) -> tuple[str, ...]:
        """What the verdict must say about the access."""
        return tuple(dict.fromkeys((*self.argocd.notes, *self.workloads.notes)))


def _access(options: ClusterOptions, context: str | None, environ: Mapping[str, str]) -> Access:
    home = Path(environ.get("HOME", "/"))
    return choose_access(
        kubeconfig=options.kubeconfig,
        context=options.context if options.context is not None else context,
        server=options.server,
        token=options.server_token,
        audience=options.oidc_audience,
        authority=options.server_ca,
        in_cluster=options.in_cluster,
        fallback=laptop_kubeconfigs(environ, home) if options.laptop else (),
    )


@asynccontextmanager
async def open_clusters(
    settings: Environment,
    options: ClusterOptions,
    environ: Mapping[str, str],
    deadline: float,
    hide: Callable[[SecretStr], None] = learn,
) -> AsyncIterator[Clusters]:
    """Open what the environment needs; ``deadline`` is a reading of the monotonic clock.

    ``hide`` is told every secret that is sent, before it is.

    Raises AccessError. A server given by URL has no contexts, so that the ones configured are
    taken as that server.
    """
    by_server = options.server is not None or options.in_cluster
    workloads_context = None if by_server else settings.cluster.context
    argocd_context = None if by_server else (settings.argocd.context or settings.cluster.context)
    setting = Setting(environ, hide=hide)

    def api(context: str | None) -> KubernetesApi:
        return KubernetesApi(
            _access(options, context, environ),
            setting,
            allow_unverified=settings.policy.allows(Allow.INSECURE_SKIP_TLS_VERIFY),
            may_refresh=settings.policy.allows(Allow.REFRESH),
            deadline=deadline,
        )

    async with AsyncExitStack() as stack:
        workloads = await stack.enter_async_context(api(workloads_context))
        argocd = workloads
        if argocd_context != workloads_context and options.context is None:
            argocd = await stack.enter_async_context(api(argocd_context))
        yield Clusters(argocd, workloads)
