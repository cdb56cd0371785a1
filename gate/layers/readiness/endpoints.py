"""Does a Service lead to the new Pods, and only to them? Pure.

Facts of the API: a Service may have several slices (by address family, and beyond 100
endpoints), with duplicates; ``ready`` may be nil; a terminating endpoint may still serve;
``endpoints`` may be null.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from gate.config.model import Allow, Policy
from gate.facts.cluster import Cluster
from gate.facts.endpoints import Endpoint, EndpointSlice, Service
from gate.facts.release import Release, name_of, selects
from gate.facts.workload import Pod
from gate.layers.finding import Finding, Missing, held, need, pending, seen
from gate.reasons import Reason


@dataclass(frozen=True)
class Backends:
    """What stands behind a Service: uids of Pods with a ready, a still serving, and an unready endpoint.

    A Pod has several where there are two address families, or while slices are written anew.
    """

    ready: frozenset[str]
    draining: frozenset[str]
    unready: frozenset[str]


def check_service(service: Service, what: str, policy: Policy) -> Iterator[Finding]:
    """A Service that has endpoints by selector, and whose ``ready`` means ready."""
    kind = service.spec.type
    if kind == "ExternalName":
        yield held(
            Reason.SERVICE_WITHOUT_SELECTOR,
            f"{what} is of type ExternalName: it leads out of the cluster and has no endpoints",
            final=True,
        )
        return
    need(kind, what, "spec.type")
    need(service.metadata.uid, what, "metadata.uid")
    if service.metadata.deletion_timestamp is not None:
        yield held(Reason.WORKLOAD_DELETING, f"{what} is being deleted (metadata.deletionTimestamp is set)")
    if service.spec.selector is None or len(service.spec.selector) == 0:
        yield held(
            Reason.SERVICE_WITHOUT_SELECTOR, f"{what}: spec.selector is empty, so its endpoints belong to nobody"
        )
    if service.spec.publish_not_ready_addresses is True and not policy.allows(Allow.PUBLISHES_NOT_READY):
        yield held(
            Reason.PUBLISHES_NOT_READY,
            f"{what}: spec.publishNotReadyAddresses is true, so a ready endpoint proves nothing",
            final=True,
        )


def _state(endpoint: Endpoint, where: str) -> tuple[bool, bool]:
    """(ready, serving while not ready); raises Missing where the endpoint does not say, or contradicts itself."""
    conditions = need(endpoint.conditions, where, "conditions")
    ready, serving, terminating = conditions.ready, conditions.serving, conditions.terminating
    for name, value in (("ready", ready), ("serving", serving), ("terminating", terminating)):
        if value is None:
            message = f"{where}: conditions.{name} is not there, which is unknown, not true"
            raise Missing(held(Reason.ENDPOINT_READY_UNKNOWN, message))
    if ready is True and (serving is False or terminating is True):
        message = f"{where}: conditions say ready, and serving {serving} and terminating {terminating}"
        raise Missing(held(Reason.ENDPOINT_READY_UNKNOWN, message))
    return ready is True, ready is False and serving is True


def _pod(endpoint: Endpoint, known: "_Known", where: str) -> str:
    """The uid of the Pod behind an endpoint; raises Missing where the endpoint and its Pod do not fit."""
    target = endpoint.target_ref
    if target is None or target.kind != "Pod" or target.uid is None or target.uid == "":
        raise Missing(held(Reason.ENDPOINT_WITHOUT_POD, f"{where}: targetRef names no Pod"))
    pod = known.pods.get(target.uid)
    addresses = need(endpoint.addresses, where, "addresses")
    if pod is None:
        return target.uid
    ips = {one.ip for one in (None if pod.status is None else pod.status.pod_ips) or ()}
    labels = pod.metadata.labels or {}
    named = (target.namespace, target.name) == (pod.metadata.namespace, pod.metadata.name)
    selected = all(labels.get(key) == value for key, value in known.selector.items())
    if not (set(addresses) <= ips and named and selected):
        message = f"{where}: its address, name or labels are not those of {name_of(pod)}"
        raise Missing(held(Reason.STRAY_ENDPOINT, message))
    return target.uid


@dataclass(frozen=True)
class _Known:
    """The Pods of a namespace by uid, and the selector that chooses among them."""

    pods: dict[str, Pod]
    selector: dict[str, str]


def _serves(one: EndpointSlice, port: str) -> bool:
    return any((item.name or "") == port and item.port is not None for item in one.ports or ())


def _backends(slices: tuple[EndpointSlice, ...], port: str | None, known: _Known, what: str) -> Backends:
    """The backends over all slices that serve the port, each Pod once (by uid)."""
    ready: set[str] = set()
    draining: set[str] = set()
    unready: set[str] = set()
    other = False
    for one in slices:
        where = f"{what}: EndpointSlice {one.metadata.name}"
        need(one.address_type, where, "addressType")
        if one.metadata.deletion_timestamp is not None:
            raise Missing(held(Reason.WORKLOAD_DELETING, f"{where} is being deleted"))
        endpoints = one.endpoints or ()
        if port is not None and not _serves(one, port):
            other = other or len(endpoints) > 0
            continue
        for index, endpoint in enumerate(endpoints):
            place = f"{where} endpoints[{index}]"
            is_ready, is_draining = _state(endpoint, place)
            if is_ready or is_draining:
                (ready if is_ready else draining).add(_pod(endpoint, known, place))
            if not is_ready and endpoint.target_ref is not None:
                unready.add(endpoint.target_ref.uid or "")
    if other and not ready and not draining:
        raise Missing(held(Reason.PORT_NOT_SERVED, f"{what}: no EndpointSlice with endpoints serves its port {port!r}"))
    return Backends(frozenset(ready), frozenset(draining - ready), frozenset(unready))


def _port_name(service: Service, asked: str | None, what: str) -> str | None:
    """The name of the Service port that is asked for by name or number; None when none is asked for."""
    if asked is None:
        return None
    for port in need(service.spec.ports, what, "spec.ports"):
        number = need(port.port, what, "spec.ports[].port")
        if asked in (port.name, str(number)):
            return port.name or ""
    raise Missing(held(Reason.PORT_NOT_SERVED, f"{what}: spec.ports has no port {asked!r}"))


def check_backends(
    cluster: Cluster, service: Service, port: str | None, releases: tuple[Release, ...], what: str
) -> Iterator[Finding]:
    """The ready endpoints must be the ready new Pods: all of them, and nobody else."""
    namespace = need(service.metadata.namespace, what, "metadata.namespace")
    pods = {pod.metadata.uid: pod for pod in seen(cluster.all_of(Pod, namespace)) if pod.metadata.uid is not None}
    known = _Known(pods, service.spec.selector or {})
    slices = tuple(
        one for one in seen(cluster.all_of(EndpointSlice, namespace)) if one.service == service.metadata.name
    )
    backends = _backends(slices, _port_name(service, port, what), known, what)
    behind = [release for release in releases if selects(service, release)]
    new = {pod.metadata.uid for release in behind for pod in release.ready}
    old = {pod.metadata.uid: (release, pod) for release in releases for pod in release.old}
    for uid in sorted(backends.ready | backends.draining):
        shown = name_of(pods[uid]) if uid in pods else f"the unknown Pod {uid}"
        if uid in old:
            release, pod = old[uid]
            which = "which is terminating," if release.is_new(pod) else "of an older release"
            yield pending(Reason.OLD_PODS_SERVING, f"{what}: {name_of(pod)} {which} still serves")
        elif uid not in new and uid not in backends.ready:
            yield pending(Reason.OLD_PODS_SERVING, f"{what}: {shown}, which is not of the new release, still serves")
        elif uid not in new:
            yield held(Reason.STRAY_ENDPOINT, f"{what}: a ready endpoint is {shown}, which is not of the new release")
    if not backends.ready:
        selector = ",".join(f"{key}={value}" for key, value in (service.spec.selector or {}).items())
        yield held(Reason.NO_READY_ENDPOINTS, f"{what}: no ready endpoint; its selector is {selector or 'empty'}")
    elif not new <= backends.ready - backends.unready:
        count = len((backends.ready - backends.unready) & new)
        yield pending(
            Reason.ENDPOINTS_INCOMPLETE, f"{what}: {count} of {len(new)} ready Pods are ready endpoints in every slice"
        )
