"""The API server's defaults for Pods and Pod templates."""

import uuid
from collections.abc import Iterator
from typing import Any

from gate.lab.cluster.store import Object

_PROBES = ("readinessProbe", "livenessProbe", "startupProbe")
_FILE_MODE = 420
_TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"  # noqa: S105 - a folder
_SERVICE_ACCOUNT_TOKEN = {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}}
_AUTHORITY = {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}}
_NAMESPACE_FIELD = {"apiVersion": "v1", "fieldPath": "metadata.namespace"}
_NAMESPACE = {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": _NAMESPACE_FIELD}]}}


def default_template(template: Object) -> None:
    """Fill in a Pod template in place."""
    default_pod_spec(template.setdefault("spec", {}))


def default_pod_spec(spec: Object) -> None:
    """Fill in what a Pod's spec and a template's have in common, in place."""
    fill(
        spec,
        restartPolicy="Always",
        terminationGracePeriodSeconds=30,
        dnsPolicy="ClusterFirst",
        securityContext={},
        schedulerName="default-scheduler",
    )
    if "serviceAccountName" in spec:
        spec["serviceAccount"] = spec["serviceAccountName"]
    for container in containers(spec):
        _default_container(container)
    for volume in spec.get("volumes", ()):
        _default_volume(volume)


def default_pod(pod: Object) -> None:
    """Fill in a Pod that is created, as its admission plugins do too: account, tolerations, priority."""
    spec = pod["spec"]
    default_pod_spec(spec)
    fill(spec, serviceAccountName="default", priority=0, enableServiceLinks=True)
    fill(spec, serviceAccount=spec["serviceAccountName"], preemptionPolicy="PreemptLowerPriority")
    if "tolerations" not in spec:
        spec["tolerations"] = [_tolerated("not-ready"), _tolerated("unreachable")]
    if spec.get("automountServiceAccountToken") is not False:
        _mount_token(spec)
    pod["status"] = {"phase": "Pending", "qosClass": "BestEffort"}


def containers(spec: Object) -> Iterator[Object]:
    """All containers of a Pod's spec, those that start it first."""
    yield from spec.get("initContainers", ())
    yield from spec.get("containers", ())


def fill(body: Object, **defaults: Any) -> None:
    """Set what is not there."""
    for name, value in defaults.items():
        body.setdefault(name, value)


def _default_container(container: Object) -> None:
    image = str(container.get("image", ""))
    newest = "@" not in image and image.rpartition("/")[2].partition(":")[2] in ("", "latest")
    fill(
        container,
        resources={},
        terminationMessagePath="/dev/termination-log",
        terminationMessagePolicy="File",
        imagePullPolicy="Always" if newest else "IfNotPresent",
    )
    for port in container.get("ports", ()):
        fill(port, protocol="TCP")
    for variable in container.get("env", ()):
        field = variable.get("valueFrom", {}).get("fieldRef")
        if field is not None:
            fill(field, apiVersion="v1")
    for name in _PROBES:
        if name in container:
            _default_probe(container[name])
    for hook in container.get("lifecycle", {}).values():
        _default_http_get(hook)


def _default_probe(probe: Object) -> None:
    fill(probe, timeoutSeconds=1, periodSeconds=10, successThreshold=1, failureThreshold=3)
    _default_http_get(probe)


def _default_http_get(action: Object) -> None:
    if "httpGet" in action:
        fill(action["httpGet"], path="/", scheme="HTTP")


def _default_volume(volume: Object) -> None:
    if set(volume) == {"name"}:
        volume["emptyDir"] = {}
    for source in ("configMap", "secret", "projected", "downwardAPI"):
        if source in volume:
            fill(volume[source], defaultMode=_FILE_MODE)
    if "hostPath" in volume:
        fill(volume["hostPath"], type="")


def _tolerated(condition: str) -> Object:
    return {
        "key": f"node.kubernetes.io/{condition}",
        "operator": "Exists",
        "effect": "NoExecute",
        "tolerationSeconds": 300,
    }


def _mount_token(spec: Object) -> None:
    name = f"kube-api-access-{uuid.uuid4().hex[:5]}"
    mounted = False
    for container in containers(spec):
        mounts = container.setdefault("volumeMounts", [])
        if all(mount.get("mountPath") != _TOKEN_PATH for mount in mounts):
            mounts.append({"name": name, "readOnly": True, "mountPath": _TOKEN_PATH})
            mounted = True
    if mounted:
        sources = [_SERVICE_ACCOUNT_TOKEN, _AUTHORITY, _NAMESPACE]
        volume = {"name": name, "projected": {"sources": sources, "defaultMode": _FILE_MODE}}
        spec.setdefault("volumes", []).append(volume)
