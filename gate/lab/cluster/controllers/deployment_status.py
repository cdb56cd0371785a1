"""The status of a Deployment: counters and conditions, in the words of the real controller."""

import copy
from collections.abc import Sequence
from typing import Any

from gate.lab.cluster.controllers.pods import condition
from gate.lab.cluster.controllers.replica_sets import counted, replicas
from gate.lab.cluster.controllers.surge import max_unavailable, wanted
from gate.lab.cluster.store import Object

NEW_AVAILABLE = "NewReplicaSetAvailable"
TIMED_OUT = "ProgressDeadlineExceeded"
PAUSED = "DeploymentPaused"
_NO_DEADLINE = 2**31 - 1


def has_deadline(deployment: Object) -> bool:
    """Whether its progress is watched."""
    return int(deployment["spec"].get("progressDeadlineSeconds", _NO_DEADLINE)) != _NO_DEADLINE


def made_condition(kind: str, status: str, reason: str, message: str, at: str) -> Object:
    """A condition of a Deployment that begins now."""
    return {
        "type": kind,
        "status": status,
        "lastUpdateTime": at,
        "lastTransitionTime": at,
        "reason": reason,
        "message": message,
    }


def set_condition(status: Object, new: Object) -> bool:
    """Put a condition last, in place of the one of its type; False where status and reason stay the same."""
    old = condition({"status": status}, new["type"])
    if old is not None and (old["status"], old["reason"]) == (new["status"], new["reason"]):
        return False
    if old is not None and old["status"] == new["status"]:
        new = {**new, "lastTransitionTime": old["lastTransitionTime"]}
    remove_condition(status, new["type"])
    status.setdefault("conditions", []).append(new)
    return True


def remove_condition(status: Object, kind: str) -> None:
    """Take the condition of this type away, if there is one."""
    if "conditions" in status:
        status["conditions"] = [one for one in status["conditions"] if one["type"] != kind]


def counters(deployment: Object, sets: Sequence[Object], new: Object | None, at: str) -> Object:
    """The status as the ReplicaSets have it; counters that are zero are left out. Conditions but for Progressing."""
    available = counted(sets, "availableReplicas")
    found: dict[str, Any] = {
        "replicas": counted(sets, "replicas"),
        "updatedReplicas": counted([new] if new is not None else [], "replicas"),
        "readyReplicas": counted(sets, "readyReplicas"),
        "availableReplicas": available,
        "unavailableReplicas": max(0, replicas(sets) - available),
    }
    status = {"observedGeneration": deployment["metadata"]["generation"]}
    status |= {name: count for name, count in found.items() if count > 0}
    status["conditions"] = copy.deepcopy(deployment.get("status", {}).get("conditions", []))
    if available >= wanted(deployment) - max_unavailable(deployment):
        words = ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
    else:
        words = ("False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
    set_condition(status, made_condition("Available", *words, at))
    return status


def is_complete(deployment: Object, status: Object) -> bool:
    """Whether every replica is new and available, and no other is left."""
    counts = [status.get(name, 0) for name in ("updatedReplicas", "replicas", "availableReplicas")]
    observed: int = status.get("observedGeneration", 0)
    return all(count == wanted(deployment) for count in counts) and observed >= deployment["metadata"]["generation"]


def has_moved(before: Object, after: Object) -> bool:
    """Whether the rollout came a step further between two statuses."""

    def old(status: Object) -> int:
        return int(status.get("replicas", 0)) - int(status.get("updatedReplicas", 0))

    names = ("updatedReplicas", "readyReplicas", "availableReplicas")
    return old(after) < old(before) or any(after.get(name, 0) > before.get(name, 0) for name in names)


def judge_progress(deployment: Object, status: Object, new: Object | None, idle: float, at: str) -> bool:
    """Set the condition Progressing; whether that changed it. ``idle``: for how many seconds nothing has moved."""
    before = condition(deployment, "Progressing")
    if not has_deadline(deployment):
        remove_condition(status, "Progressing")
        return False
    reason = before["reason"] if before is not None else None
    if reason == NEW_AVAILABLE and status.get("replicas", 0) == status.get("updatedReplicas", 0):
        return False
    name = deployment["metadata"]["name"]
    what = f'ReplicaSet "{new["metadata"]["name"]}"' if new is not None else f'Deployment "{name}"'
    if is_complete(deployment, status):
        words = ("True", NEW_AVAILABLE, f"{what} has successfully progressed.")
    elif has_moved(deployment.get("status", {}), status):
        words = ("True", "ReplicaSetUpdated", f"{what} is progressing.")
        if before is not None and before["reason"] == words[1]:
            remove_condition(status, "Progressing")
    elif before is not None and reason != NEW_AVAILABLE and idle > deployment["spec"]["progressDeadlineSeconds"]:
        words = ("False", TIMED_OUT, f"{what} has timed out progressing.")
    else:
        return False
    made = made_condition("Progressing", *words, at)
    if before is not None and before["status"] == words[0]:
        made["lastTransitionTime"] = before["lastTransitionTime"]
    return set_condition(status, made)
