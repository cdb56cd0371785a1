"""What is seen in between: the states that a rollout goes through, in their order, from the log of writes."""

from itertools import pairwise
from typing import Any

from gate.lab.cluster.store import Object
from tests.support.lab_workloads import World

COUNTERS = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas")


def distinct(values: list[Any]) -> list[Any]:
    """The values without repetitions side by side."""
    return [values[0], *(after for before, after in pairwise(values) if after != before)] if values else []


def progress(world: World) -> list[str]:
    found = [one for one in world.states("Deployment") if "conditions" in one.get("status", {})]
    conditions = [{one["type"]: one for one in body["status"]["conditions"]} for body in found]
    return distinct([one["Progressing"]["reason"] for one in conditions if "Progressing" in one])


def counters(body: Object) -> dict[str, int]:
    return {name: body["status"][name] for name in COUNTERS if name in body["status"]}


def test_a_recreate_has_no_counters_while_no_pod_is_there() -> None:
    world = World()
    world.release("1.0.0")
    world.forget()
    world.release("1.1.0")
    observed = [one for one in world.states("Deployment") if one["status"].get("observedGeneration") == 2]
    assert distinct([counters(one) for one in observed]) == [
        {"replicas": 1, "readyReplicas": 1, "availableReplicas": 1},
        {},
        {"unavailableReplicas": 1},
        {"replicas": 1, "updatedReplicas": 1, "unavailableReplicas": 1},
        {"replicas": 1, "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1},
    ]


def test_a_recreate_makes_its_new_replica_set_when_the_last_old_pod_is_gone() -> None:
    world = World()
    world.release("1.0.0", replicas=2)
    world.forget()
    world.release("1.1.0", replicas=2)
    steps = [(one.kind, one.type) for one in world.log]
    assert steps.count(("Pod", "DELETED")) == 2
    last_gone = max(at for at, step in enumerate(steps) if step == ("Pod", "DELETED"))
    assert steps.index(("ReplicaSet", "ADDED")) > last_gone


def test_a_rolling_update_has_no_updated_replicas_at_first_and_keeps_the_old_pod_until_the_new_one_is_ready() -> None:
    world = World()
    world.release("1.0.0", strategy="RollingUpdate")
    world.forget()
    world.release("1.1.0", strategy="RollingUpdate")
    observed = [one for one in world.states("Deployment") if one["status"].get("observedGeneration") == 2]
    assert distinct([counters(one) for one in observed]) == [
        {"replicas": 1, "readyReplicas": 1, "availableReplicas": 1, "unavailableReplicas": 1},
        {"replicas": 2, "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1, "unavailableReplicas": 1},
        {"replicas": 2, "updatedReplicas": 1, "readyReplicas": 2, "availableReplicas": 2},
        {"replicas": 1, "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1},
    ]


def test_a_rolling_update_never_has_more_or_fewer_pods_than_its_bounds_allow() -> None:
    world = World()
    world.release("1.0.0", strategy="RollingUpdate", replicas=4)
    world.forget()
    world.release("1.1.0", strategy="RollingUpdate", replicas=4, seconds=20)
    states = [one["status"] for one in world.states("Deployment") if "replicas" in one["status"]]
    assert max(one["replicas"] for one in states) == 5
    assert min(one.get("availableReplicas", 0) for one in states) == 3
    assert states[-1]["updatedReplicas"] == states[-1]["availableReplicas"] == states[-1]["replicas"] == 4


def test_progress_of_a_first_a_broken_and_a_reverted_release() -> None:
    world = World()
    world.release("1.0.0")
    assert progress(world) == ["NewReplicaSetCreated", "ReplicaSetUpdated", "NewReplicaSetAvailable"]
    world.forget()
    world.release("1.1.0", readiness_path="/not-there", seconds=15)
    assert progress(world) == [
        "NewReplicaSetAvailable",
        "NewReplicaSetCreated",
        "ReplicaSetUpdated",
        "ProgressDeadlineExceeded",
    ]
    world.forget()
    world.release("1.0.0")
    assert progress(world) == ["ProgressDeadlineExceeded", "ReplicaSetUpdated", "NewReplicaSetAvailable"]


def test_an_endpoint_that_goes_serves_on_while_its_pod_does_and_is_no_longer_ready() -> None:
    world = World()
    world.release("1.0.0", strategy="RollingUpdate", environment={"LINGER": "1"})
    old = world.all("Pod")[0]["metadata"]["uid"]
    world.forget()
    world.release("1.1.0", strategy="RollingUpdate", environment={"LINGER": "1"})
    seen = [
        tuple(endpoint["conditions"].values())
        for one in world.states("EndpointSlice")
        for endpoint in one["endpoints"] or ()
        if endpoint["targetRef"]["uid"] == old
    ]
    assert distinct(seen) == [(True, True, False), (False, True, True)]


def _reasons(world: World) -> list[str]:
    """What the newest Pods' container was waiting for, or how it was."""
    found = []
    for pod in world.states("Pod"):
        for one in pod["status"].get("containerStatuses", ()):
            ((state, body),) = one["state"].items()
            found.append(f"{state} {body.get('reason', '')}".strip())
    return distinct(found)


def test_a_container_that_ends_is_started_once_more_and_then_waits_longer_each_time() -> None:
    world = World()
    world.release("1.0.0", environment={"EXIT": "3", "AFTER": "1"}, progress_deadline=600, seconds=40)
    begin, *rest = _reasons(world)
    assert begin == "waiting ContainerCreating"
    assert rest[:4] == ["running", "terminated Error", "running", "terminated Error"]
    assert rest[4:8] == ["waiting CrashLoopBackOff", "running", "terminated Error", "waiting CrashLoopBackOff"]
    waits = [
        one["state"]["waiting"]["message"].split()[1]
        for pod in world.states("Pod")
        for one in pod["status"].get("containerStatuses", ())
        if one["state"].get("waiting", {}).get("reason") == "CrashLoopBackOff"
    ]
    assert distinct(waits) == ["10s", "20s", "40s"]


def test_an_image_that_is_not_there_is_pulled_again_and_again() -> None:
    world = World()
    world.release("1.0.0", seconds=0)
    world.store.change("Deployment", "shop", "orders", _ask_for_a_missing_image)
    world.forget()
    world.timers.pass_by(16)
    assert _reasons(world) == [
        "waiting ContainerCreating",
        "waiting ErrImagePull",
        "waiting ImagePullBackOff",
        "waiting ErrImagePull",
    ]


def _ask_for_a_missing_image(body: Object) -> None:
    one = body["spec"]["template"]["spec"]["containers"][0]
    one |= {"image": "promotion-gate.test/web:not-there", "imagePullPolicy": "IfNotPresent"}


def test_an_image_that_must_not_be_pulled_is_said_to_be_missing() -> None:
    world = World()
    world.release("1.0.0", seconds=0)

    def change(body: Object) -> None:
        body["spec"]["template"]["spec"]["containers"][0]["image"] = "promotion-gate.test/web:not-there"

    world.store.change("Deployment", "shop", "orders", change)
    world.timers.pass_by(3)
    (pod,) = world.all("Pod")
    (one,) = pod["status"]["containerStatuses"]
    assert one["state"]["waiting"]["reason"] == "ErrImageNeverPull"
    assert pod["status"]["phase"] == "Pending"
