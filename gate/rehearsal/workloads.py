"""A planned workload as the API server would show it: Deployment, ReplicaSets, Pods, Services, EndpointSlices. Pure."""

import copy
from typing import Any

from gate.facts.endpoints import SERVICE_NAME
from gate.facts.workload import REVISION, TEMPLATE_HASH
from gate.rehearsal.names import READY, START, rfc3339, uid
from gate.rehearsal.plan import PlannedWorkload

Json = dict[str, Any]

VERSIONS = {True: "2.0.0", False: "1.0.0"}
"""What the intended release (True) and the one before it (False) call themselves."""

_HASHES = {True: "6d4cf56db", False: "5b8c9d7f6"}
_SELECTOR = "rehearsed"


def _digest(container: str, *, intended: bool) -> str:
    return f"sha256:{uid(container, VERSIONS[intended]).replace('-', '') * 2}"


def _metadata(kind: str, planned: PlannedWorkload, name: str, **more: Any) -> Json:
    own = uid(kind, planned.namespace, name)
    return {
        "name": name,
        "namespace": planned.namespace,
        "uid": own,
        "creationTimestamp": rfc3339(START + READY),
        **more,
    }


def _owner(kind: str, planned: PlannedWorkload, name: str) -> list[Json]:
    own = uid(kind, planned.namespace, name)
    return [{"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": own, "controller": True}]


def _selector(planned: PlannedWorkload) -> dict[str, str]:
    key = _SELECTOR
    while key in planned.labels:
        key += "-by"
    return {key: f"{planned.namespace}.{planned.name}"[-63:].strip(".-")}


def template(planned: PlannedWorkload, *, intended: bool = True) -> Json:
    """The Pod template of the intended release, or of the one before it."""
    version = VERSIONS[intended]
    labels = dict.fromkeys(sorted({"app.kubernetes.io/version", *planned.labels}), version)
    names = sorted(planned.containers) or ["app"]
    containers = [
        {"name": name, "image": f"registry.example/{name}:{version}@{_digest(name, intended=intended)}"}
        for name in names
    ]
    metadata: Json = {"labels": {**labels, **_selector(planned)}}
    if planned.annotations:
        metadata["annotations"] = dict.fromkeys(sorted(planned.annotations), version)
    return {"metadata": metadata, "spec": {"containers": containers, "restartPolicy": "Always"}}


def _condition(kind: str, reason: str) -> Json:
    at = rfc3339(START + READY)
    return {"type": kind, "status": "True", "reason": reason, "lastUpdateTime": at, "lastTransitionTime": at}


def _deployment(planned: PlannedWorkload) -> Json:
    counters = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
    metadata = _metadata("Deployment", planned, planned.name, generation=2, annotations={REVISION: "2"})
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata,
        "spec": {
            "replicas": planned.replicas,
            "selector": {"matchLabels": _selector(planned)},
            "strategy": {"type": "RollingUpdate"},
            "template": template(planned),
        },
        "status": {
            "observedGeneration": 2,
            **dict.fromkeys(counters, planned.replicas),
            "conditions": [
                _condition("Available", "MinimumReplicasAvailable"),
                _condition("Progressing", "NewReplicaSetAvailable"),
            ],
        },
    }


def _replica_set(planned: PlannedWorkload, *, intended: bool) -> Json:
    made = template(planned, intended=intended)
    made["metadata"]["labels"][TEMPLATE_HASH] = _HASHES[intended]
    name = f"{planned.name}-{_HASHES[intended]}"
    annotations = {REVISION: "2" if intended else "1"}
    owner = _owner("Deployment", planned, planned.name)
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": _metadata("ReplicaSet", planned, name, annotations=annotations, ownerReferences=owner),
        "spec": {"replicas": planned.replicas if intended else 0, "template": made},
    }


def _pod(planned: PlannedWorkload, number: int, address: str) -> Json:
    made = copy.deepcopy(template(planned))
    statuses = [
        {
            "name": one["name"],
            "image": one["image"],
            "imageID": f"registry.example/{one['name']}@{_digest(one['name'], intended=True)}",
            "ready": True,
            "restartCount": 0,
            "state": {"running": {"startedAt": rfc3339(START + READY)}},
        }
        for one in made["spec"]["containers"]
    ]
    owner = f"{planned.name}-{_HASHES[True]}"
    labels = {**made["metadata"]["labels"], TEMPLATE_HASH: _HASHES[True]}
    owned = _owner("ReplicaSet", planned, owner)
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": _metadata("Pod", planned, f"{owner}-{number}", labels=labels, ownerReferences=owned),
        "spec": {"containers": made["spec"]["containers"]},
        "status": {
            "phase": "Running",
            "conditions": [_condition("Ready", "")],
            "podIPs": [{"ip": address}],
            "containerStatuses": statuses,
        },
    }


def _ports(asked: list[str]) -> list[Json]:
    """The ports of a Service, each asked for once, by name or number."""
    ports: list[Json] = []
    free = (number for number in range(80, 65536) if str(number) not in asked)
    for one in dict.fromkeys(asked or ["http"]):
        number, name = (int(one), f"port-{one}") if one.isdigit() else (next(free), one)
        ports.append({"name": name, "port": number, "protocol": "TCP"})
    return ports


def _service(planned: PlannedWorkload, name: str, asked: list[str]) -> Json:
    spec = {"type": "ClusterIP", "selector": _selector(planned), "ports": _ports(asked)}
    return {"apiVersion": "v1", "kind": "Service", "metadata": _metadata("Service", planned, name), "spec": spec}


def _slice(planned: PlannedWorkload, name: str, asked: list[str], pods: list[Json]) -> Json:
    endpoints = [
        {
            "addresses": [pod["status"]["podIPs"][0]["ip"]],
            "conditions": {"ready": True, "serving": True, "terminating": False},
            "targetRef": {"kind": "Pod", **{key: pod["metadata"][key] for key in ("namespace", "name", "uid")}},
        }
        for pod in pods
    ]
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": _metadata("EndpointSlice", planned, f"{name}-1", labels={SERVICE_NAME: name}),
        "addressType": "IPv4",
        "endpoints": endpoints,
        "ports": [{**port, "port": 8080 + index} for index, port in enumerate(_ports(asked))],
    }


def make_objects(planned: PlannedWorkload, first: int) -> list[Json]:
    """Everything of this workload, its intended release rolled out; ``first`` numbers the first of its Pods."""
    numbers = range(first, first + planned.replicas)
    pods = [_pod(planned, number, f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}") for number in numbers]
    sets = [_replica_set(planned, intended=intended) for intended in (False, True)]
    made = [_deployment(planned), *sets, *pods]
    for name, asked in planned.services.items():
        made += [_service(planned, name, asked), _slice(planned, name, asked, pods)]
    return made
