"""When ``metadata.generation`` moves."""

from typing import Any

from gate.lab.cluster.kinds import KINDS


def has_generation(body: dict[str, Any]) -> bool:
    """Whether the API server counts generations of this kind: not of a Service, nor of what has no spec.

    EndpointSlices have none and are counted nevertheless; Pods are since Kubernetes 1.34.
    """
    return ("spec" in body and body["kind"] not in ("Service", "Namespace")) or body["kind"] == "EndpointSlice"


def moves_generation(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether a write counts: that of a spec does, but not the binding of a Pod to its node."""
    kind = after["kind"]
    if kind == "EndpointSlice":
        return {**before, "metadata": None} != {**after, "metadata": None}
    if kind == "Pod" and "nodeName" not in before["spec"]:
        before = {**before, "spec": {**before["spec"], "nodeName": after["spec"].get("nodeName")}}
    return not KINDS[kind].status or after.get("spec") != before.get("spec")
