"""The EndpointSlice controller: one slice for each Service with a selector."""

import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gate.lab.cluster.controllers.controller import Controller
from gate.lab.cluster.controllers.names import suffix
from gate.lab.cluster.controllers.pods import ENDED, is_ready, owner_reference
from gate.lab.cluster.kinds import SERVICE_NAME
from gate.lab.cluster.store import Change, Key, Object

_MANAGED = {"endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io"}


class EndpointSliceController(Controller):
    """Writes down which Pods stand behind a Service."""

    lag = 0.05

    def concerned(self, change: Change) -> Iterable[Key]:
        """The Service itself, and of a Pod those that select it; one that selected it before is looked at as well."""
        if change.kind == "Service":
            yield change.key
        if change.kind == "Pod":
            for service in self.store.objects("Service", change.key[1]):
                yield "Service", change.key[1], str(service["metadata"]["name"])

    def reconcile(self, key: Key) -> None:
        """Write the slice, or remove it where the Service no longer selects."""
        service = self.store.find(*key)
        slices = self.store.objects(
            "EndpointSlice", key[1], lambda one: (one["metadata"].get("labels") or {}).get(SERVICE_NAME) == key[2]
        )
        selector = service["spec"].get("selector") if service is not None else None
        if service is None or not selector:
            for one in slices:
                self.context.delete(one)
            return
        pods = self.store.objects("Pod", key[1], lambda pod: _stands_behind(pod, selector))
        made = _slice(service, pods)
        if not slices:
            self.store.create(made)
            return
        slices[0]["metadata"]["labels"] = made["metadata"]["labels"]
        self.store.update(slices[0] | {name: made[name] for name in ("endpoints", "ports")})


def _stands_behind(pod: Object, selector: Mapping[str, str]) -> bool:
    status = pod.get("status", {})
    labels: Mapping[str, str] = pod["metadata"].get("labels") or {}
    return selector.items() <= labels.items() and "podIP" in status and status.get("phase") not in ENDED


def _slice(service: Object, pods: Sequence[Object]) -> Object:
    metadata = service["metadata"]
    prefix = f"{metadata['name']}-"
    headless = {"service.kubernetes.io/headless": ""} if service["spec"].get("clusterIP") == "None" else {}
    ordered = sorted(pods, key=lambda pod: ipaddress.ip_address(pod["status"]["podIP"]))
    endpoints = [_endpoint(service, pod) for pod in ordered]
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "name": prefix + suffix(),
            "generateName": prefix,
            "namespace": metadata["namespace"],
            "labels": {**(metadata.get("labels") or {}), **headless, **_MANAGED, SERVICE_NAME: metadata["name"]},
            "ownerReferences": [owner_reference(service)],
        },
        "addressType": "IPv4",
        # The API writes null for none.
        "endpoints": endpoints or None,
        "ports": _ports(service, ordered[0]) if endpoints else None,
    }


def _endpoint(service: Object, pod: Object) -> Object:
    serving, terminating = is_ready(pod), "deletionTimestamp" in pod["metadata"]
    ready = (serving and not terminating) or service["spec"].get("publishNotReadyAddresses") is True
    metadata, spec = pod["metadata"], pod["spec"]
    named = spec.get("hostname") and spec.get("subdomain") == service["metadata"]["name"]
    return {
        "addresses": [pod["status"]["podIP"]],
        "conditions": {"ready": ready, "serving": serving, "terminating": terminating},
        **({"hostname": spec["hostname"]} if named else {}),
        "targetRef": {
            "kind": "Pod",
            "namespace": metadata["namespace"],
            "name": metadata["name"],
            "uid": metadata["uid"],
        },
        "nodeName": spec["nodeName"],
    }


def _ports(service: Object, pod: Object) -> list[dict[str, Any]]:
    found = []
    for port in service["spec"].get("ports", ()):
        number = _number(port.get("targetPort", port["port"]), pod)
        if number is not None:
            found.append({"name": port.get("name", ""), "protocol": port.get("protocol", "TCP"), "port": number})
    return found


def _number(target: int | str, pod: Object) -> int | None:
    """A target port by its number, or by the name that a container of the Pod gives it."""
    if isinstance(target, int):
        return target
    for container in pod["spec"]["containers"]:
        for port in container.get("ports", ()):
            if port.get("name") == target:
                return int(port["containerPort"])
    return None
