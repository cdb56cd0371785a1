"""Pods as the controllers make and count them."""

import copy
from collections.abc import Iterable
from datetime import datetime

from gate.lab.cluster.controllers.names import suffix
from gate.lab.cluster.store import Object

ENDED = ("Succeeded", "Failed")


def owner_reference(owner: Object) -> Object:
    """The reference to the controller of an object."""
    metadata = owner["metadata"]
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


def new_pod(owner: Object, template: Object, name: str | None = None) -> Object:
    """A Pod of this template, controlled by ``owner``; its name is made up unless it is given."""
    metadata = copy.deepcopy(template.get("metadata") or {})
    metadata.pop("creationTimestamp", None)
    prefix = f"{owner['metadata']['name']}-"
    metadata |= {
        "name": name or prefix + suffix(),
        "generateName": prefix,
        "namespace": owner["metadata"]["namespace"],
        "ownerReferences": [owner_reference(owner)],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": copy.deepcopy(template["spec"])}


def is_active(pod: Object) -> bool:
    """Whether it neither has ended nor is being deleted."""
    return "deletionTimestamp" not in pod["metadata"] and pod.get("status", {}).get("phase") not in ENDED


def condition(body: Object, kind: str) -> Object | None:
    """The condition of this type in a status; None where there is none."""
    conditions: Iterable[Object] = body.get("status", {}).get("conditions", ())
    return next((one for one in conditions if one["type"] == kind), None)


def is_ready(pod: Object) -> bool:
    """Whether its condition Ready is True."""
    found = condition(pod, "Ready")
    return found is not None and found["status"] == "True"


def first_to_go(pod: Object) -> tuple[bool, int, bool, float, int, float]:
    """The order in which Pods are given up: not bound, pending, not ready, newly ready, restarted, new."""
    status = pod.get("status", {})
    restarts = sum(one["restartCount"] for one in status.get("containerStatuses", ()))
    ready = condition(pod, "Ready") if is_ready(pod) else None
    return (
        "nodeName" in pod["spec"],
        ("Pending", "Unknown", "Running").index(status.get("phase", "Pending")),
        ready is not None,
        -_seconds(ready["lastTransitionTime"]) if ready is not None else 0.0,
        -restarts,
        -_seconds(pod["metadata"]["creationTimestamp"]),
    )


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()
