"""What a DELETE makes of an object: some go at once, some stay for a while and say so."""

from datetime import datetime, timedelta
from typing import Any

from gate.lab.cluster.generation import has_generation
from gate.lab.pace import whole_seconds

_GRACE = 30


def stays(body: dict[str, Any]) -> bool:
    """Whether it stays: for its finalizers, a Pod until the kubelet has ended it, a Namespace until it is empty."""
    metadata, spec = body["metadata"], body.get("spec", {})
    bound = body["kind"] == "Pod" and "nodeName" in spec
    filled = body["kind"] == "Namespace" and bool(spec.get("finalizers"))
    return bool(metadata.get("finalizers")) or bound or filled


def mark_deleted(body: dict[str, Any], at: datetime, grace: int | None) -> None:
    """Mark an object that stays, in place. ``grace`` is in seconds and a Pod's; None: as the Pod says."""
    kind, metadata = body["kind"], body["metadata"]
    seconds = 0
    if kind == "Pod":
        seconds = int(body["spec"].get("terminationGracePeriodSeconds", _GRACE)) if grace is None else grace
    metadata["deletionTimestamp"] = whole_seconds(at + timedelta(seconds=seconds))
    if has_generation(body):
        metadata["generation"] = metadata.get("generation", 0) + 1
    if kind == "Namespace":
        body["status"] = {"phase": "Terminating"}
    else:
        metadata["deletionGracePeriodSeconds"] = seconds
