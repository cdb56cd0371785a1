"""The health of live objects, by the rules that are built into Argo CD 3.2 (gitops-engine). Pure."""

from collections.abc import Callable
from typing import NamedTuple

from gate.lab.argocd.annotations import HOOK_FINALIZER, group_of
from gate.lab.cluster.store import Object

_ORDER = ("Healthy", "Suspended", "Progressing", "Missing", "Degraded", "Unknown")


class Health(NamedTuple):
    """A health word, and what is said about it."""

    status: str
    message: str = ""


def worse(one: str, other: str) -> str:
    """The worse of two health words."""
    return max(one, other, key=_ORDER.index)


def resource_health(body: Object) -> Health | None:
    """The health of a live object; None for kinds without a rule."""
    metadata = body["metadata"]
    if "deletionTimestamp" in metadata and HOOK_FINALIZER not in metadata.get("finalizers", ()):
        return Health("Progressing", "Pending deletion")
    rule = _RULES.get((group_of(body), str(body["kind"])))
    return None if rule is None else rule(body)


def has_rule(group: str, kind: str) -> bool:
    """Whether there is a health rule for this kind."""
    return (group, kind) in _RULES


def _parts(body: Object) -> tuple[Object, Object, int, int]:
    """Spec, status, generation and observed generation."""
    status = body.get("status", {})
    return body["spec"], status, body["metadata"].get("generation", 0), status.get("observedGeneration", 0)


def _condition(status: Object, type_: str) -> Object:
    found: Object = next((one for one in status.get("conditions", ()) if one["type"] == type_), {})
    return found


def _deployment(body: Object) -> Health:
    spec, status, generation, observed = _parts(body)
    waiting = "Waiting for rollout to finish:"
    if spec.get("paused"):
        return Health("Suspended", "Deployment is paused")
    if generation > observed:
        return Health("Progressing", f"{waiting} observed deployment generation less than desired generation")
    if _condition(status, "Progressing").get("reason") == "ProgressDeadlineExceeded":
        return Health("Degraded", f'Deployment "{body["metadata"]["name"]}" exceeded its progress deadline')
    updated, replicas = status.get("updatedReplicas", 0), status.get("replicas", 0)
    available, wanted = status.get("availableReplicas", 0), spec.get("replicas")
    if wanted is not None and updated < wanted:
        return Health("Progressing", f"{waiting} {updated} out of {wanted} new replicas have been updated...")
    if replicas > updated:
        return Health("Progressing", f"{waiting} {replicas - updated} old replicas are pending termination...")
    if available < updated:
        return Health("Progressing", f"{waiting} {available} of {updated} updated replicas are available...")
    return Health("Healthy")


def _replica_set(body: Object) -> Health:
    spec, status, generation, observed = _parts(body)
    waiting = "Waiting for rollout to finish:"
    if generation > observed:
        return Health("Progressing", f"{waiting} observed replica set generation less than desired generation")
    failure = _condition(status, "ReplicaFailure")
    if failure.get("status") == "True":
        return Health("Degraded", str(failure.get("message", "")))
    available, wanted = status.get("availableReplicas", 0), spec.get("replicas")
    if wanted is not None and available < wanted:
        return Health("Progressing", f"{waiting} {available} out of {wanted} new replicas are available...")
    return Health("Healthy")


def _stateful_set(body: Object) -> Health:
    spec, status, generation, observed = _parts(body)
    replicas, ready, updated = spec.get("replicas"), status.get("readyReplicas", 0), status.get("updatedReplicas", 0)
    if observed == 0 or generation > observed:
        return Health("Progressing", "Waiting for statefulset spec update to be observed...")
    if replicas is not None and ready < replicas:
        return Health("Progressing", f"Waiting for {replicas - ready} pods to be ready...")
    strategy = spec.get("updateStrategy", {})
    if strategy.get("type") == "RollingUpdate" and strategy.get("rollingUpdate") is not None:
        return _partitioned(replicas, strategy["rollingUpdate"].get("partition"), updated)
    if strategy.get("type") == "OnDelete":
        return Health("Healthy", f"statefulset has {ready} ready pods")
    revision, current = status.get("updateRevision", ""), status.get("currentRevision", "")
    if revision != current:
        what = f"waiting for statefulset rolling update to complete {updated} pods at revision {revision}..."
        return Health("Progressing", what)
    what = f"statefulset rolling update complete {status.get('currentReplicas', 0)} pods at revision {current}..."
    return Health("Healthy", what)


def _partitioned(replicas: int | None, partition: int | None, updated: int) -> Health:
    if replicas is not None and partition is not None and updated < replicas - partition:
        done = f"{updated} out of {replicas - partition} new pods have been updated..."
        return Health("Progressing", f"Waiting for partitioned roll out to finish: {done}")
    return Health("Healthy", f"partitioned roll out complete: {updated} new pods have been updated...")


def _daemon_set(body: Object) -> Health:
    spec, status, generation, observed = _parts(body)
    desired, updated = status.get("desiredNumberScheduled", 0), status.get("updatedNumberScheduled", 0)
    if generation > observed:
        what = "Waiting for rollout to finish: observed daemon set generation less than desired generation"
        return Health("Progressing", what)
    if spec.get("updateStrategy", {}).get("type") == "OnDelete":
        return Health("Healthy", f"daemon set {updated} out of {desired} new pods have been updated")
    waiting = f'Waiting for daemon set "{body["metadata"]["name"]}" rollout to finish:'
    if updated < desired:
        return Health("Progressing", f"{waiting} {updated} out of {desired} new pods have been updated...")
    available = status.get("numberAvailable", 0)
    if available < desired:
        return Health("Progressing", f"{waiting} {available} of {desired} updated pods are available...")
    return Health("Healthy")


def _job(body: Object) -> Health:
    """As it is there: a condition counts by its type, whatever its status (Suspended apart)."""
    conditions = {one["type"]: one for one in body.get("status", {}).get("conditions", ())}
    if not conditions.keys() & {"Failed", "Complete", "Suspended"}:
        return Health("Progressing")
    if "Failed" in conditions:
        return Health("Degraded", conditions["Failed"].get("message", ""))
    if conditions.get("Suspended", {}).get("status") == "True":
        return Health("Suspended")
    last = next(one for one in reversed(conditions.values()) if one["type"] in ("Complete", "Suspended"))
    return Health("Healthy", last.get("message", ""))


def _service(body: Object) -> Health:
    balanced = body["spec"].get("type") == "LoadBalancer"
    assigned = body.get("status", {}).get("loadBalancer", {}).get("ingress")
    return Health("Progressing" if balanced and not assigned else "Healthy")


def _pod(body: Object) -> Health:
    spec, status = body["spec"], body.get("status", {})
    always = spec.get("restartPolicy", "Always") == "Always"
    containers = status.get("containerStatuses", ())
    stuck = [waiting for one in containers if _is_stuck(waiting := one.get("state", {}).get("waiting", {}))]
    if always and stuck:
        return Health("Degraded", ", ".join(one.get("message", "") for one in stuck))
    message = status.get("message", "")
    match status.get("phase"):
        case "Pending":
            return Health("Progressing", message)
        case "Succeeded":
            return Health("Healthy", message)
        case "Failed":
            return Health("Degraded", message or _failure([*status.get("initContainerStatuses", ()), *containers]))
        case "Running":
            return Health(_running(status) if always else "Progressing", message)
        case _:
            return Health("Unknown", message)


def _is_stuck(waiting: Object) -> bool:
    reason = str(waiting.get("reason", ""))
    return reason.startswith("Err") or reason.endswith(("Error", "BackOff"))


def _running(status: Object) -> str:
    if _condition(status, "Ready").get("status") == "True":
        return "Healthy"
    ended = any(one.get("lastState", {}).get("terminated") for one in status.get("containerStatuses", ()))
    return "Degraded" if ended else "Progressing"


def _failure(containers: list[Object]) -> str:
    for one in containers:
        terminated = one.get("state", {}).get("terminated", {})
        if terminated.get("message") or terminated.get("reason") == "OOMKilled":
            return str(terminated.get("message") or terminated["reason"])
        if terminated.get("exitCode"):
            return f'container "{one["name"]}" failed with exit code {terminated["exitCode"]}'
    return ""


_RULES: dict[tuple[str, str], Callable[[Object], Health]] = {
    ("apps", "Deployment"): _deployment,
    ("apps", "ReplicaSet"): _replica_set,
    ("apps", "StatefulSet"): _stateful_set,
    ("apps", "DaemonSet"): _daemon_set,
    ("batch", "Job"): _job,
    ("", "Service"): _service,
    ("", "Pod"): _pod,
}
