"""Health words of live objects, by Argo CD's built-in rules."""

from typing import Any

import pytest

from gate.lab.argocd.annotations import HOOK_FINALIZER
from gate.lab.argocd.health import resource_health, worse
from gate.lab.cluster.store import Object


def live(kind: str, spec: Object, status: Object, **metadata: Any) -> Object:
    group = {"Deployment": "apps/v1", "ReplicaSet": "apps/v1", "StatefulSet": "apps/v1", "DaemonSet": "apps/v1"}
    version = {**group, "Job": "batch/v1"}.get(kind, "v1")
    named = {"name": "web", "generation": 2, **metadata}
    return {"apiVersion": version, "kind": kind, "metadata": named, "spec": spec, "status": status}


def word(body: Object) -> str | None:
    health = resource_health(body)
    return None if health is None else health.status


DONE = {"observedGeneration": 2, "replicas": 2, "updatedReplicas": 2, "readyReplicas": 2, "availableReplicas": 2}
EXCEEDED = [{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}]


@pytest.mark.parametrize(
    ("spec", "status", "expected"),
    [
        ({"replicas": 2}, DONE, "Healthy"),
        ({"replicas": 2}, {**DONE, "observedGeneration": 1}, "Progressing"),
        ({"replicas": 2}, {**DONE, "updatedReplicas": 1}, "Progressing"),
        ({"replicas": 2}, {**DONE, "replicas": 3}, "Progressing"),
        ({"replicas": 2}, {**DONE, "availableReplicas": 1}, "Progressing"),
        ({"replicas": 2}, {**DONE, "conditions": EXCEEDED}, "Degraded"),
        ({"replicas": 2}, {**DONE, "conditions": EXCEEDED, "observedGeneration": 1}, "Progressing"),
        ({"replicas": 2, "paused": True}, {}, "Suspended"),
        ({"replicas": 0}, {"observedGeneration": 2}, "Healthy"),
    ],
)
def test_a_deployment(spec: Object, status: Object, expected: str) -> None:
    assert word(live("Deployment", spec, status)) == expected


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ([], "Progressing"),
        ([{"type": "Complete", "status": "True"}], "Healthy"),
        ([{"type": "Failed", "status": "True", "message": "no"}], "Degraded"),
        ([{"type": "Suspended", "status": "True"}], "Suspended"),
        ([{"type": "Suspended", "status": "False"}], "Healthy"),  # so it is in Argo CD: a resumed Job that runs
        ([{"type": "SuccessCriteriaMet", "status": "True"}], "Progressing"),
    ],
)
def test_a_job(conditions: list[Object], expected: str) -> None:
    assert word(live("Job", {}, {"conditions": conditions})) == expected


@pytest.mark.parametrize(
    ("spec", "status", "expected"),
    [
        ({"replicas": 1, "updateStrategy": {"type": "OnDelete"}}, {"readyReplicas": 1}, "Healthy"),
        ({"replicas": 1, "updateStrategy": {"type": "OnDelete"}}, {}, "Progressing"),
        ({"replicas": 1}, {"readyReplicas": 1, "updateRevision": "b", "currentRevision": "a"}, "Progressing"),
        ({"replicas": 1}, {"readyReplicas": 1, "updateRevision": "b", "currentRevision": "b"}, "Healthy"),
        ({"replicas": 1}, {"readyReplicas": 1, "observedGeneration": 1}, "Progressing"),
        (
            {"replicas": 3, "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}},
            {"readyReplicas": 3, "updatedReplicas": 1},
            "Progressing",
        ),
        (
            {"replicas": 3, "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}},
            {"readyReplicas": 3, "updatedReplicas": 2},
            "Healthy",
        ),
    ],
)
def test_a_stateful_set(spec: Object, status: Object, expected: str) -> None:
    assert word(live("StatefulSet", spec, {"observedGeneration": 2, **status})) == expected


def waiting(reason: str) -> Object:
    return {"containerStatuses": [{"name": "web", "state": {"waiting": {"reason": reason}}}], "phase": "Pending"}


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (waiting("CrashLoopBackOff"), "Degraded"),
        (waiting("ErrImagePull"), "Degraded"),
        (waiting("CreateContainerConfigError"), "Degraded"),
        (waiting("ContainerCreating"), "Progressing"),
        ({"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}, "Healthy"),
        ({"phase": "Running"}, "Progressing"),
        ({"phase": "Running", "containerStatuses": [{"lastState": {"terminated": {"exitCode": 3}}}]}, "Degraded"),
        ({"phase": "Succeeded"}, "Healthy"),
        ({"phase": "Failed"}, "Degraded"),
        ({}, "Unknown"),
    ],
)
def test_a_pod(status: Object, expected: str) -> None:
    assert word(live("Pod", {"restartPolicy": "Always"}, status)) == expected


def test_a_failed_pod_says_how_it_ended() -> None:
    ended = {"name": "web", "state": {"terminated": {"exitCode": 3}}}
    found = resource_health(live("Pod", {}, {"phase": "Failed", "containerStatuses": [ended]}))
    assert found == ("Degraded", 'container "web" failed with exit code 3')


def test_others() -> None:
    assert word(live("ReplicaSet", {"replicas": 1}, {"observedGeneration": 2})) == "Progressing"
    assert word(live("ReplicaSet", {"replicas": 1}, {"observedGeneration": 2, "availableReplicas": 1})) == "Healthy"
    assert word(live("Service", {"type": "LoadBalancer"}, {})) == "Progressing"
    assert word(live("Service", {"type": "ClusterIP"}, {})) == "Healthy"
    done = {"observedGeneration": 2, "desiredNumberScheduled": 1, "updatedNumberScheduled": 1}
    assert word(live("DaemonSet", {}, {**done, "numberAvailable": 1})) == "Healthy"
    assert word(live("DaemonSet", {}, done)) == "Progressing"
    assert word(live("ConfigMap", {}, {})) is None


def test_what_is_being_deleted_progresses_unless_a_hook_holds_it() -> None:
    job = {"conditions": [{"type": "Complete", "status": "True"}]}
    gone = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
    assert word(live("Job", {}, job, **gone)) == "Progressing"
    assert word(live("Job", {}, job, **gone, finalizers=[HOOK_FINALIZER])) == "Healthy"


def test_the_worse_word() -> None:
    assert worse("Healthy", "Progressing") == "Progressing"
    assert worse("Degraded", "Missing") == "Degraded"
    assert worse("Suspended", "Healthy") == "Suspended"
