"""The API server's defaults for the kinds of the laboratory, but for what is in a Pod."""

import base64
import copy
import zlib

from gate.lab.cluster.kinds import KINDS
from gate.lab.cluster.pod_defaults import default_pod, default_pod_spec, default_template, fill
from gate.lab.cluster.store import Object

_CONTROLLER_UID = "batch.kubernetes.io/controller-uid"
_SERVICE_ADDRESSES = 65534


def default(body: Object, before: Object | None) -> None:
    """Fill in a body of any kind in place; ``before`` is the object as it is, None for a new one."""
    kind = body["kind"]
    if kind in _OF_SPEC and "spec" in body:
        _OF_SPEC[kind](body["spec"])
    if kind == "Service":
        _default_service(body, before)
    if kind == "Secret":
        _default_secret(body)
    if kind == "Pod" and before is not None:
        default_pod_spec(body["spec"])
    if before is None:
        _default_new(body)


def _default_new(body: Object) -> None:
    """What only a new object gets: its first status, and what is made from its uid or name."""
    kind = body["kind"]
    if KINDS[kind].status:
        body.pop("status", None)
    if kind in _FIRST_STATUS:
        body["status"] = copy.deepcopy(_FIRST_STATUS[kind])
    if kind == "Pod":
        default_pod(body)
    elif kind == "Job":
        _select_own_pods(body)
    elif kind == "DaemonSet":
        body["metadata"].setdefault("annotations", {})["deprecated.daemonset.template.generation"] = "1"
    elif kind == "Namespace":
        fill(body, spec={"finalizers": ["kubernetes"]}, status={"phase": "Active"})
        body["metadata"].setdefault("labels", {})["kubernetes.io/metadata.name"] = body["metadata"]["name"]


_FIRST_STATUS: dict[str, Object] = {
    "Deployment": {},
    "ReplicaSet": {"replicas": 0},
    "StatefulSet": {"replicas": 0, "availableReplicas": 0},
    "DaemonSet": {
        "currentNumberScheduled": 0,
        "numberMisscheduled": 0,
        "desiredNumberScheduled": 0,
        "numberReady": 0,
    },
    "Job": {},
    "Service": {"loadBalancer": {}},
}


def _default_deployment(spec: Object) -> None:
    fill(spec, replicas=1, strategy={}, revisionHistoryLimit=10, progressDeadlineSeconds=600)
    strategy = spec["strategy"]
    fill(strategy, type="RollingUpdate")
    if strategy["type"] == "RollingUpdate":
        fill(strategy, rollingUpdate={})
        fill(strategy["rollingUpdate"], maxUnavailable="25%", maxSurge="25%")
    default_template(spec.setdefault("template", {}))


def _default_replica_set(spec: Object) -> None:
    fill(spec, replicas=1)
    default_template(spec.setdefault("template", {}))


def _default_stateful_set(spec: Object) -> None:
    fill(
        spec,
        replicas=1,
        podManagementPolicy="OrderedReady",
        updateStrategy={},
        revisionHistoryLimit=10,
        persistentVolumeClaimRetentionPolicy={"whenDeleted": "Retain", "whenScaled": "Retain"},
    )
    fill(spec["updateStrategy"], type="RollingUpdate")
    if spec["updateStrategy"]["type"] == "RollingUpdate":
        fill(spec["updateStrategy"], rollingUpdate={})
        fill(spec["updateStrategy"]["rollingUpdate"], partition=0)
    default_template(spec.setdefault("template", {}))


def _default_daemon_set(spec: Object) -> None:
    fill(spec, updateStrategy={}, revisionHistoryLimit=10)
    fill(spec["updateStrategy"], type="RollingUpdate")
    if spec["updateStrategy"]["type"] == "RollingUpdate":
        fill(spec["updateStrategy"], rollingUpdate={})
        fill(spec["updateStrategy"]["rollingUpdate"], maxUnavailable=1, maxSurge=0)
    default_template(spec.setdefault("template", {}))


def _default_job(spec: Object) -> None:
    if "completions" not in spec and "parallelism" not in spec:
        spec["completions"] = 1
    fill(
        spec,
        parallelism=1,
        backoffLimit=6,
        manualSelector=False,
        completionMode="NonIndexed",
        suspend=False,
        podReplacementPolicy="TerminatingOrFailed",
    )
    template = spec.setdefault("template", {})
    # A Job has no default for it: whoever leaves it out is refused.
    named = "restartPolicy" in template.get("spec", {})
    default_template(template)
    if not named:
        del template["spec"]["restartPolicy"]


_OF_SPEC = {
    "Deployment": _default_deployment,
    "ReplicaSet": _default_replica_set,
    "StatefulSet": _default_stateful_set,
    "DaemonSet": _default_daemon_set,
    "Job": _default_job,
}


def _select_own_pods(job: Object) -> None:
    """A new Job selects by its uid, which it also gives to its Pods as a label."""
    spec, metadata = job["spec"], job["metadata"]
    if spec.get("manualSelector"):
        return
    uid, name = metadata["uid"], metadata["name"]
    own = {_CONTROLLER_UID: uid, "batch.kubernetes.io/job-name": name, "controller-uid": uid, "job-name": name}
    labels = spec["template"].setdefault("metadata", {}).setdefault("labels", {})
    labels.update(own)
    spec["selector"] = {"matchLabels": {_CONTROLLER_UID: uid}}
    metadata.setdefault("labels", {}).update(labels)


def _default_service(body: Object, before: Object | None) -> None:
    spec = body.setdefault("spec", {})
    fill(spec, type="ClusterIP", sessionAffinity="None")
    for port in spec.get("ports", ()):
        fill(port, protocol="TCP")
        fill(port, targetPort=port.get("port"))
    if spec["type"] == "ExternalName":
        return
    fill(spec, clusterIP=_cluster_ip(body, before))
    fill(spec, clusterIPs=[spec["clusterIP"]], ipFamilies=["IPv4"], ipFamilyPolicy="SingleStack")
    fill(spec, internalTrafficPolicy="Cluster")


def _cluster_ip(body: Object, before: Object | None) -> str:
    """The address it has, or one of the Service range that is always the same for a namespace and name."""
    if before is not None and "clusterIP" in before["spec"]:
        return str(before["spec"]["clusterIP"])
    metadata = body["metadata"]
    name = f"{metadata.get('namespace', 'default')}/{metadata['name']}"
    high, low = divmod(zlib.crc32(name.encode()) % _SERVICE_ADDRESSES + 1, 256)
    return f"10.96.{high}.{low}"


def _default_secret(body: Object) -> None:
    fill(body, type="Opaque")
    for name, text in body.pop("stringData", {}).items():
        body.setdefault("data", {})[name] = base64.b64encode(str(text).encode()).decode()
