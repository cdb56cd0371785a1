"""Pods in the laboratory: how they are probed, what is said of them, and which goes first."""

from typing import Any

import pytest

from gate.lab.cluster.controllers.pods import first_to_go
from gate.lab.cluster.controllers.probes import probe_failure
from gate.lab.cluster.store import Object
from tests.support.lab_workloads import NAMESPACE, World

CONTAINER = {"name": "web", "ports": [{"name": "http", "containerPort": 8080}]}
POD = {
    "metadata": {"name": "orders-1"},
    "spec": {"containers": [CONTAINER]},
    "status": {"podIP": "10.244.0.3", "containerStatuses": [{"name": "web", "state": {"running": {}}}]},
}


@pytest.mark.parametrize(
    "probe",
    [
        {"httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"}},
        {"httpGet": {"path": "/version", "port": "http"}},
        {"tcpSocket": {"port": "http"}},
    ],
)
def test_a_probe_that_is_answered(probe: Object) -> None:
    assert probe_failure(POD, CONTAINER, probe) is None


@pytest.mark.parametrize(
    ("probe", "words"),
    [
        ({"httpGet": {"path": "/x", "port": 8080}}, "HTTP probe failed with statuscode: 404"),
        (
            {"httpGet": {"path": "/healthz", "port": 8081}},
            'Get "http://10.244.0.3:8081/healthz": dial tcp 10.244.0.3:8081: connect: connection refused',
        ),
        (
            {"httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTPS"}},
            'Get "https://10.244.0.3:8080/healthz": http: server gave HTTP response to HTTPS client',
        ),
        ({"tcpSocket": {"port": 8081}}, "dial tcp 10.244.0.3:8081: connect: connection refused"),
        ({"exec": {"command": ["true"]}}, "the laboratory has no such probe"),
    ],
)
def test_a_probe_that_fails_says_why(probe: Object, words: str) -> None:
    assert probe_failure(POD, CONTAINER, probe) == words


def test_the_same_failure_is_one_event_that_is_counted() -> None:
    world = World()
    world.release("1.0.0", readiness_path="/not-there", seconds=10)
    (event,) = [one for one in world.all("Event") if one["reason"] == "Unhealthy"]
    count = event["count"]
    world.timers.pass_by(3)
    (later,) = [one for one in world.all("Event") if one["reason"] == "Unhealthy"]
    assert later["metadata"]["uid"] == event["metadata"]["uid"]
    assert later["count"] == count + 3
    assert later["lastTimestamp"] > event["lastTimestamp"] > event["firstTimestamp"] == later["firstTimestamp"]


def test_an_event_that_somebody_deleted_is_written_anew() -> None:
    world = World()
    world.release("1.0.0", readiness_path="/not-there", seconds=10)
    (event,) = [one for one in world.all("Event") if one["reason"] == "Unhealthy"]
    world.store.delete("Event", NAMESPACE, event["metadata"]["name"])
    world.timers.pass_by(2)
    (later,) = [one for one in world.all("Event") if one["reason"] == "Unhealthy"]
    assert later["count"] == 2


def test_a_pod_becomes_ready_only_after_its_delay_and_so_many_successes() -> None:
    world = World()
    world.release("1.0.0", seconds=0)

    def change(body: Object) -> None:
        probe = body["spec"]["template"]["spec"]["containers"][0]["readinessProbe"]
        probe |= {"initialDelaySeconds": 10, "successThreshold": 3}

    world.store.change("Deployment", NAMESPACE, "orders", change)
    world.timers.pass_by(12)
    assert "readyReplicas" not in world.get("Deployment")["status"]
    world.timers.pass_by(4)
    assert world.get("Deployment")["status"]["readyReplicas"] == 1


def test_pods_have_different_addresses() -> None:
    world = World()
    world.release("1.0.0", replicas=3)
    assert len({pod["status"]["podIP"] for pod in world.all("Pod")}) == 3


def _pod(
    *, node: bool = True, phase: str = "Running", ready: str = "", restarts: int = 0, created: str = "10"
) -> Object:
    at = "2026-12-01T12:00:{}Z"
    conditions = [{"type": "Ready", "status": "True", "lastTransitionTime": at.format(ready)}] if ready else []
    status: dict[str, Any] = {
        "phase": phase,
        "conditions": conditions,
        "containerStatuses": [{"restartCount": restarts}],
    }
    return {
        "metadata": {"creationTimestamp": at.format(created)},
        "spec": {"nodeName": "node1"} if node else {},
        "status": status,
    }


def test_pods_are_given_up_in_the_order_of_the_real_controller() -> None:
    order = (
        _pod(node=False, phase="Pending"),
        _pod(phase="Pending"),
        _pod(restarts=2),
        _pod(),
        _pod(ready="40"),
        _pod(ready="30", restarts=1),
        _pod(ready="30", created="20"),
        _pod(ready="30"),
    )
    mixed = [*order[4:], *order[:4]]
    assert sorted(mixed, key=first_to_go) == list(order)
