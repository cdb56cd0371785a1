"""Whether the cluster lets itself be read, kind by kind, as the API server itself says."""

from collections.abc import Iterable, Iterator

from gate.adapters.failures import ReadFailed
from gate.adapters.kubernetes.api import KubernetesApi
from gate.adapters.kubernetes.review import Right
from gate.app.clusters import Clusters
from gate.config.model import Allow, Environment
from gate.observe import NAMESPACED
from gate.render.findings import Finding, ok, problem, warning

READ = ("get", "list", "watch")
_MANIFEST = "docs/rbac-read-only.yaml"


def _wanted(settings: Environment, namespaces: Iterable[str]) -> Iterator[tuple[bool, Right]]:
    """Every right that a check uses; True: in the cluster of the Applications."""
    places = {target.namespace or settings.argocd.namespace for target in settings.applications}
    for place in sorted(places):
        yield from ((True, Right(verb, kind, place)) for kind in ("Application", "AppProject") for verb in READ)
        if settings.policy.allows(Allow.REFRESH):
            yield True, Right("patch", "Application", place)
    for place in sorted(namespaces):
        yield from ((False, Right(verb, kind, place)) for kind in (*NAMESPACED, "Event") for verb in READ)
    proxied = {
        (one.service.namespace, "get" if one.method in ("GET", "HEAD") else "create")
        for one in settings.requests
        if one.service is not None and one.by_route == "service-proxy"
    }
    yield from ((False, Right(verb, "Service", place, "proxy")) for place, verb in sorted(proxied))


async def examine_rights(clusters: Clusters, settings: Environment, namespaces: Iterable[str]) -> list[Finding]:
    """One finding for each namespace where all may be read, and one for each kind of which something may not."""
    asked: dict[tuple[KubernetesApi, str], dict[str, list[Right]]] = {}
    findings: list[Finding] = []
    for of_argocd, right in _wanted(settings, namespaces):
        api = clusters.argocd if of_argocd else clusters.workloads
        missing = asked.setdefault((api, right.namespace), {}).setdefault(right.resource, [])
        try:
            if not await api.may(right):
                missing.append(right)
        except ReadFailed as failure:
            about = f"cluster {api.host}"
            return [*findings, warning(about, f"What may be read could not be asked for: {failure.error}.")]
    for (api, namespace), kinds in asked.items():
        about = f"cluster {api.host}, namespace {namespace}"
        good = [resource for resource, missing in kinds.items() if not missing]
        if good:
            findings.append(ok(about, f"The credentials have all rights that are needed on {', '.join(good)}."))
        findings += [_lacking(about, namespace, missing) for missing in kinds.values() if missing]
    return findings


def _lacking(about: str, namespace: str, missing: list[Right]) -> Finding:
    first, verbs = missing[0], [right.verb for right in missing]
    whole = (*READ,) if not first.subresource and first.verb in READ else tuple(verbs)
    group = f'"{first.group}"' if first.group == "" else first.group
    line = f"- {{apiGroups: [{group}], resources: [{first.resource}], verbs: [{', '.join(whole)}]}}"
    to = f"add to the rules of the gate's role for namespace {namespace} ({_MANIFEST} has all of them)"
    if verbs == ["watch"]:
        return warning(about, f"{first.resource} cannot be watched: the gate notices changes later.", line, to=to)
    return problem(about, f"{first.resource}: no right to {', '.join(verbs)}.", line, to=to)
