"""Raw Deployments, ReplicaSets, Pods, Services and EndpointSlices as the API gives them."""

import copy
from collections.abc import Iterable
from typing import Any

from tests.support.raw_application import NAMESPACE, NEW, OLD, READY, TRACKED, VERSIONS, Json, at, uid

HASHES = {OLD: "5b8c9d7f6", NEW: "6d4cf56db"}


def template(commit: str = NEW) -> Json:
    """The Pod template of a release, with the defaults that the API server adds."""
    container = {
        "name": "web",
        "image": f"registry.example/web:{VERSIONS[commit]}",
        "imagePullPolicy": "IfNotPresent",
        "ports": [{"name": "http", "containerPort": 8080, "protocol": "TCP"}],
        "readinessProbe": {"httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"}, "periodSeconds": 1},
        "resources": {},
    }
    labels = {"app": "web", "app.kubernetes.io/version": VERSIONS[commit]}
    return {"metadata": {"labels": labels}, "spec": {"containers": [container], "restartPolicy": "Always"}}


def _metadata(name: str, own: str, **more: Any) -> Json:
    return {"name": name, "namespace": NAMESPACE, "uid": own, "resourceVersion": "466", **more}


def _owner(api: str, kind: str, name: str, own: str) -> list[Json]:
    one = {"apiVersion": api, "kind": kind, "name": name, "uid": own}
    return [{**one, "controller": True, "blockOwnerDeletion": True}]


def condition(kind: str, status: str, reason: str, message: str, *, seconds: float = READY) -> Json:
    """A condition of a Deployment."""
    return {
        "type": kind,
        "status": status,
        "lastUpdateTime": at(seconds),
        "lastTransitionTime": at(seconds),
        "reason": reason,
        "message": message,
    }


def deployment(*, replicas: int = 1, strategy: str = "RollingUpdate", revision: int = 2, **status: Any) -> Json:
    """The Deployment whose rollout of ``NEW`` is complete; ``status`` replaces keys of its status."""
    rolling = {"rollingUpdate": {"maxUnavailable": 0, "maxSurge": 1}} if strategy == "RollingUpdate" else {}
    counters = dict.fromkeys(("replicas", "updatedReplicas", "readyReplicas", "availableReplicas"), replicas)
    conditions = [
        condition("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability."),
        condition("Progressing", "True", "NewReplicaSetAvailable", "ReplicaSet has successfully progressed."),
    ]
    annotations = {
        "deployment.kubernetes.io/revision": str(revision),
        TRACKED: f"shop:apps/Deployment:{NAMESPACE}/web",
    }
    labels = {"app.kubernetes.io/version": VERSIONS[NEW]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": _metadata("web", uid("deployment"), generation=revision, labels=labels, annotations=annotations),
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "web"}},
            "template": template(),
            "strategy": {"type": strategy, **rolling},
            "progressDeadlineSeconds": 600,
        },
        "status": {"observedGeneration": revision, **counters, "conditions": conditions} | status,
    }


def replica_set(commit: str = NEW, *, replicas: int = 1, revision: int = 2) -> Json:
    """The ReplicaSet of a release."""
    name, made = f"web-{HASHES[commit]}", template(commit)
    made["metadata"]["labels"]["pod-template-hash"] = HASHES[commit]
    counters = {"readyReplicas": replicas, "availableReplicas": replicas} if replicas > 0 else {}
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": _metadata(
            name,
            uid(commit),
            generation=1,
            labels=copy.deepcopy(made["metadata"]["labels"]),
            annotations={"deployment.kubernetes.io/revision": str(revision)},
            ownerReferences=_owner("apps/v1", "Deployment", "web", uid("deployment")),
        ),
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": made},
        "status": {"observedGeneration": 1, "replicas": replicas, **counters},
    }


def _claims(ready: bool) -> list[Json]:
    return [
        {
            "type": kind,
            "status": "True" if ready or "Ready" not in kind else "False",
            "lastProbeTime": None,
            "lastTransitionTime": at(READY),
        }
        for kind in ("PodScheduled", "Initialized", "ContainersReady", "Ready")
    ]


def pod(commit: str = NEW, number: int = 0, *, ready: bool = True, terminating: bool = False) -> Json:
    """A Pod of a release; its address and uid are told by its number."""
    name = f"web-{HASHES[commit]}-{'abcdefghij'[number]}xkq7"
    image = f"registry.example/web:{VERSIONS[commit]}"
    digest = f"registry.example/web@sha256:{VERSIONS[commit][0] * 64}"
    made: Json = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": _metadata(
            name,
            pod_uid(commit, number),
            labels={**template(commit)["metadata"]["labels"], "pod-template-hash": HASHES[commit]},
            ownerReferences=_owner("apps/v1", "ReplicaSet", f"web-{HASHES[commit]}", uid(commit)),
        ),
        "spec": {"nodeName": "node1", "containers": [{"name": "web", "image": image}]},
        "status": {
            "phase": "Running",
            "conditions": _claims(ready),
            "podIP": address(commit, number),
            "podIPs": [{"ip": address(commit, number)}],
            "containerStatuses": [
                {
                    "name": "web",
                    "image": image,
                    "imageID": digest,
                    "ready": ready,
                    "restartCount": 0,
                    "state": {"running": {"startedAt": at(READY)}},
                }
            ],
        },
    }
    if terminating:
        made["metadata"] |= {"deletionTimestamp": at(READY + 30), "deletionGracePeriodSeconds": 30}
    return made


def pod_uid(commit: str, number: int = 0) -> str:
    """The uid of a Pod of a release."""
    return uid(commit, number + 1)


def address(commit: str, number: int = 0) -> str:
    """The address of a Pod of a release."""
    return f"10.244.{commit[0]}.{number + 2}"


def service(**spec: Any) -> Json:
    """The Service in front of the Pods; ``spec`` replaces keys of its spec."""
    made: Json = {
        "type": "ClusterIP",
        "clusterIP": "10.96.20.68",
        "selector": {"app": "web"},
        "ports": [{"name": "http", "protocol": "TCP", "port": 80, "targetPort": 8080}],
        "sessionAffinity": "None",
    }
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": _metadata("web", uid("service"), annotations={TRACKED: f"shop:/Service:{NAMESPACE}/web"}),
        "spec": made | spec,
        "status": {"loadBalancer": {}},
    }


def endpoint(raw: Json, *, ready: bool = True, serving: bool = True, terminating: bool = False) -> Json:
    """The endpoint of a Pod."""
    own = raw["metadata"]
    return {
        "addresses": [raw["status"]["podIP"]],
        "conditions": {"ready": ready, "serving": serving, "terminating": terminating},
        "targetRef": {"kind": "Pod", "namespace": NAMESPACE, "name": own["name"], "uid": own["uid"]},
        "nodeName": "node1",
    }


def endpoint_slice(endpoints: Iterable[Json], *, name: str = "web-8spwz", family: str = "IPv4") -> Json:
    """A slice of the Service's endpoints."""
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": _metadata(
            name,
            uid("slice", 1),
            generation=3,
            labels={"kubernetes.io/service-name": "web"},
            ownerReferences=_owner("v1", "Service", "web", uid("service")),
        ),
        "addressType": family,
        "endpoints": list(endpoints),
        "ports": [{"name": "http", "protocol": "TCP", "port": 8080}],
    }


def warning(about: Json, reason: str, message: str, *, seconds: float = READY) -> Json:
    """A warning Event about an object."""
    own = about["metadata"]
    involved = {"kind": about["kind"], "namespace": NAMESPACE, "name": own["name"], "uid": own["uid"]}
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": _metadata(f"{own['name']}.18ed0aa5", uid("event", 1)),
        "involvedObject": involved,
        "reason": reason,
        "message": message,
        "type": "Warning",
        "lastTimestamp": at(seconds),
        "eventTime": None,
        "count": 1,
    }
