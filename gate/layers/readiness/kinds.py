"""Which managed kinds need a readiness rule, and which cannot be ready or not. Pure.

A kind that is in neither list may run something that the gate cannot judge: it is held.
"""

from gate.facts.application import Application, ManagedResource
from gate.layers.finding import Finding, held
from gate.reasons import Reason

_CORE = ""
JUDGED = frozenset({("apps", "Deployment")})

_PASSIVE = frozenset(
    {
        (_CORE, kind)
        for kind in (
            "ConfigMap",
            "Secret",
            "Service",
            "ServiceAccount",
            "Namespace",
            "LimitRange",
            "ResourceQuota",
            "PersistentVolume",
            "PersistentVolumeClaim",
            "Endpoints",
        )
    }
    | {
        ("discovery.k8s.io", "EndpointSlice"),
        ("policy", "PodDisruptionBudget"),
        ("autoscaling", "HorizontalPodAutoscaler"),
    }
    | {("networking.k8s.io", kind) for kind in ("Ingress", "IngressClass", "NetworkPolicy")}
    | {("rbac.authorization.k8s.io", kind) for kind in ("Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")}
    | {("scheduling.k8s.io", "PriorityClass"), ("storage.k8s.io", "StorageClass")}
    | {("apiextensions.k8s.io", "CustomResourceDefinition"), ("argoproj.io", "AppProject")}
    | {
        ("admissionregistration.k8s.io", kind)
        for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "ValidatingAdmissionPolicy")
    }
)


def managed(app: Application) -> tuple[ManagedResource, ...]:
    """The resources that belong to the release: hooks and what waits to be pruned left out."""
    resources = (app.status.resources if app.status is not None else None) or ()
    return tuple(one for one in resources if one.hook is not True and one.requires_pruning is not True)


def check_kind(one: ManagedResource, unjudged: tuple[str, ...], what: str) -> Finding | None:
    """Final ``held`` for a kind without a readiness rule. ``unjudged``: opt-ins, as ``Kind`` or ``Kind.group``."""
    group, kind = one.group or _CORE, one.kind or ""
    where = f"{what} manages {kind} {one.namespace or ''}/{one.name}"
    if (group, kind) in JUDGED | _PASSIVE:
        return None
    if (group, kind) == ("argoproj.io", "Application"):
        return held(
            Reason.MANAGES_APPLICATIONS,
            f"{where}: its health says nothing about that Application; gate that one too",
            final=True,
        )
    if kind in unjudged or f"{kind}.{group}" in unjudged:
        return None
    return held(
        Reason.NO_READINESS_RULE,
        f"{where}, a kind for which there is no readiness rule, so its state cannot be judged",
        final=True,
    )
