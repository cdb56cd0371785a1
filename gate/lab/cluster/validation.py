"""What the API server refuses of the kinds of the laboratory: the faults that releases are known to have."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from gate.lab.cluster.pod_defaults import containers
from gate.lab.cluster.selectors import selects_labels
from gate.lab.cluster.store import Object


class Cause(NamedTuple):
    """One fault of a body: the field, the reason as the API has it, and the message."""

    field: str
    reason: str
    message: str


_SUBDOMAIN = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_SUBDOMAIN_RULE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
    f"and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '{_SUBDOMAIN}')"
)
_WITH_SELECTOR = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet")
_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_STATEFUL_MAY_CHANGE = (
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
)
_POD_MAY_CHANGE = (
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)


def faults(body: Object) -> Iterator[Cause]:
    """What is wrong with a body, after its defaults."""
    name = body["metadata"]["name"]
    if re.fullmatch(_SUBDOMAIN, name) is None:
        yield _invalid("metadata.name", name, _SUBDOMAIN_RULE)
    kind, spec = body["kind"], body.get("spec", {})
    if kind == "Service":
        yield from _service_faults(spec)
    elif kind in _WITH_SELECTOR:
        yield from _workload_faults(kind, spec)
    elif kind == "Job":
        yield from _job_faults(spec)
    elif kind == "Pod":
        yield from _pod_faults("spec", spec)


def faults_of_change(body: Object, before: Object) -> Iterator[Cause]:
    """What may not change in an object that exists."""
    kind, spec, old = body["kind"], body.get("spec", {}), before.get("spec", {})
    if kind in ("Deployment", "ReplicaSet", "DaemonSet") and spec.get("selector") != old.get("selector"):
        yield _invalid("spec.selector", spec.get("selector"), "field is immutable")
    elif kind == "StatefulSet" and _without(spec, _STATEFUL_MAY_CHANGE) != _without(old, _STATEFUL_MAY_CHANGE):
        *first, last = (f"'{name}'" for name in _STATEFUL_MAY_CHANGE)
        names = f"{', '.join(first)} and {last}"
        yield _forbidden("spec", f"updates to statefulset spec for fields other than {names} are forbidden")
    elif kind == "Job":
        for name in ("completions", "selector", "template"):
            if spec.get(name) != old.get(name):
                yield _invalid(f"spec.{name}", spec.get(name), "field is immutable")
    elif kind == "Pod" and _fixed_of_pod(spec) != _fixed_of_pod(old):
        yield _forbidden("spec", _POD_MAY_CHANGE)
    elif kind == "Service" and spec.get("clusterIP") != old.get("clusterIP") and "clusterIP" in old:
        yield _invalid("spec.clusterIPs[0]", [spec.get("clusterIP")], "may not change once set")


def _service_faults(spec: Object) -> Iterator[Cause]:
    ports = spec.get("ports") or []
    if not ports and spec.get("clusterIP") != "None" and spec.get("type") != "ExternalName":
        yield _required("spec.ports")
    names: list[Any] = []
    for number, port in enumerate(ports):
        field, name = f"spec.ports[{number}]", port.get("name")
        if len(ports) > 1 and not name:
            yield _required(f"{field}.name")
        elif name in names:
            yield Cause(f"{field}.name", "FieldValueDuplicate", f"Duplicate value: {json.dumps(name)}")
        names.append(name)
        yield from _port_faults(f"{field}.port", port.get("port"))
        if isinstance(port.get("targetPort"), int):
            yield from _port_faults(f"{field}.targetPort", port["targetPort"])


def _workload_faults(kind: str, spec: Object) -> Iterator[Cause]:
    if not isinstance(spec.get("replicas", 0), int):
        raise TypeError(f"{kind}Spec.spec.replicas is not of type int32")
    if spec.get("replicas", 0) < 0:
        yield _invalid("spec.replicas", spec["replicas"], "must be greater than or equal to 0")
    selector = spec.get("selector")
    labels = spec["template"].get("metadata", {}).get("labels", {})
    if not selector:
        yield _required("spec.selector")
    if not selector or not selects_labels(selector, labels):
        yield _invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`")
    pod = spec["template"]["spec"]
    yield from _pod_faults("spec.template.spec", pod)
    if pod["restartPolicy"] != "Always":
        yield _unsupported("spec.template.spec.restartPolicy", pod["restartPolicy"], ("Always",))
    if kind == "Deployment" and spec["strategy"]["type"] == "Recreate" and "rollingUpdate" in spec["strategy"]:
        yield _forbidden("spec.strategy.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'")


def _job_faults(spec: Object) -> Iterator[Cause]:
    field = "spec.template.spec"
    pod = spec["template"]["spec"]
    yield from _pod_faults(field, pod)
    policy = pod.get("restartPolicy")
    if policy is None:
        yield _required(f"{field}.restartPolicy", 'valid values: "OnFailure", "Never"')
    elif policy not in ("OnFailure", "Never"):
        yield _unsupported(f"{field}.restartPolicy", policy, ("OnFailure", "Never"))


def _pod_faults(field: str, spec: Object) -> Iterator[Cause]:
    if not spec.get("containers"):
        yield _required(f"{field}.containers")
    for number, container in enumerate(spec.get("containers") or ()):
        place = f"{field}.containers[{number}]"
        if not container.get("name"):
            yield _required(f"{place}.name")
        if not container.get("image"):
            yield _required(f"{place}.image")
        for index, port in enumerate(container.get("ports", ())):
            yield from _port_faults(f"{place}.ports[{index}].containerPort", port.get("containerPort"))
        if container["imagePullPolicy"] not in _PULL_POLICIES:
            yield _unsupported(f"{place}.imagePullPolicy", container["imagePullPolicy"], _PULL_POLICIES)


def _port_faults(field: str, port: Any) -> Iterator[Cause]:
    if not isinstance(port, int) or not 1 <= port <= 65535:
        yield _invalid(field, port or 0, "must be between 1 and 65535, inclusive")


def _fixed_of_pod(spec: Object) -> Object:
    """What of a Pod's spec never changes."""
    fixed = _without(spec, ("activeDeadlineSeconds", "tolerations", "containers", "initContainers"))
    fixed["all"] = [_without(container, ("image",)) for container in containers(spec)]
    return fixed


def _without(body: Object, names: tuple[str, ...]) -> Object:
    return {name: value for name, value in body.items() if name not in names}


def _invalid(field: str, value: Any, rule: str) -> Cause:
    return Cause(field, "FieldValueInvalid", f"Invalid value: {json.dumps(value, separators=(',', ':'))}: {rule}")


def _required(field: str, rule: str = "") -> Cause:
    return Cause(field, "FieldValueRequired", f"Required value{': ' if rule else ''}{rule}")


def _forbidden(field: str, rule: str) -> Cause:
    return Cause(field, "FieldValueForbidden", f"Forbidden: {rule}")


def _unsupported(field: str, value: Any, known: tuple[str, ...]) -> Cause:
    values = ", ".join(json.dumps(one) for one in known)
    return Cause(field, "FieldValueNotSupported", f"Unsupported value: {json.dumps(value)}: supported values: {values}")
