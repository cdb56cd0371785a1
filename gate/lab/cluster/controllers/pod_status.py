"""A Pod's status as the kubelet writes it, from its containers."""

from collections.abc import Sequence

from gate.lab.cluster.controllers.containers import Container
from gate.lab.cluster.controllers.pods import condition
from gate.lab.cluster.store import Object

NODE = "node1"
HOST_IP = "10.199.0.2"


def pod_status(pod: Object, containers: Sequence[Container], address: str, at: str) -> Object:
    """``address`` is the Pod's, empty while it has no network."""
    before = pod.get("status", {})
    phase = _phase(pod, containers)
    status = {
        "observedGeneration": pod["metadata"].get("generation", 1),
        "phase": phase,
        "conditions": _conditions(pod, containers, phase, bool(address), at),
        "hostIP": HOST_IP,
        "hostIPs": [{"ip": HOST_IP}],
        "startTime": before.get("startTime", at),
        "containerStatuses": [one.status() for one in containers],
        "qosClass": before.get("qosClass", "BestEffort"),
    }
    return status | ({"podIP": address, "podIPs": [{"ip": address}]} if address else {})


def scheduled(pod: Object, at: str) -> Object:
    """The status of a Pod that has just been given a node."""
    status: Object = pod.get("status", {})
    return status | {"phase": "Pending", "conditions": [_condition(pod, "PodScheduled", "True", at)]}


def _phase(pod: Object, containers: Sequence[Container]) -> str:
    codes = [one.exit_code for one in containers]
    stays = pod["spec"]["restartPolicy"] != "Always" or "deletionTimestamp" in pod["metadata"]
    if stays and all(code is not None for code in codes):
        failed = any(code != 0 for code in codes)
        if not failed:
            return "Succeeded"
        if pod["spec"]["restartPolicy"] == "Never" or "deletionTimestamp" in pod["metadata"]:
            return "Failed"
    return "Running" if all(one.container_id for one in containers) else "Pending"


def _conditions(pod: Object, containers: Sequence[Container], phase: str, network: bool, at: str) -> list[Object]:
    ended = {"Succeeded": "PodCompleted", "Failed": "PodFailed"}.get(phase)
    unready = [one.name for one in containers if not one.ready]
    words = {"reason": "ContainersNotReady", "message": f"containers with unready status: [{' '.join(unready)}]"}
    if ended is not None:
        words = {"reason": ended}
    ready = ("False", words) if unready else ("True", {})
    # The network of a Pod that has ended is taken down, although it keeps its address.
    started = "True" if network and ended is None else "False"
    completed = {"reason": "PodCompleted"} if phase == "Succeeded" else {}
    return [
        _condition(pod, "PodReadyToStartContainers", started, at),
        _condition(pod, "Initialized", "True", at) | completed,
        _condition(pod, "Ready", ready[0], at) | ready[1],
        _condition(pod, "ContainersReady", ready[0], at) | ready[1],
        _condition(pod, "PodScheduled", "True", at),
    ]


def _condition(pod: Object, kind: str, status: str, at: str) -> Object:
    before = condition(pod, kind)
    same = before is not None and before["status"] == status
    return {
        "type": kind,
        "observedGeneration": pod["metadata"].get("generation", 1),
        "status": status,
        "lastProbeTime": None,
        "lastTransitionTime": before["lastTransitionTime"] if before is not None and same else at,
    }
