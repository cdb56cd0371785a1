"""Deployments in the laboratory: what people do to them, beside a plain release."""

import pytest

from gate.lab.cluster.controllers.surge import max_surge, max_unavailable
from gate.lab.cluster.store import Object
from tests.support.lab_workloads import NAMESPACE, World


def _change(world: World, seconds: float = 5, **spec: object) -> None:
    """A hand edit of the live Deployment's spec."""
    world.store.change("Deployment", NAMESPACE, "orders", lambda body: body["spec"].update(spec))
    world.timers.pass_by(seconds)


def _progressing(world: World) -> Object:
    conditions = {one["type"]: one for one in world.get("Deployment")["status"]["conditions"]}
    found: Object = conditions["Progressing"]
    return found


@pytest.mark.parametrize(
    ("surge", "unavailable", "replicas", "expected"),
    [
        ("25%", "25%", 1, (1, 0)),
        ("25%", "25%", 4, (1, 1)),
        ("25%", "25%", 10, (3, 2)),
        (0, 1, 1, (0, 1)),
        (2, 0, 1, (2, 0)),
        (0, 5, 3, (0, 3)),
        ("0%", "0%", 3, (0, 1)),
        ("0%", "10%", 3, (0, 1)),
        ("100%", "0%", 3, (3, 0)),
    ],
)
def test_surge_is_rounded_up_and_unavailable_down_and_one_of_them_is_above_zero(
    surge: int | str, unavailable: int | str, replicas: int, expected: tuple[int, int]
) -> None:
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}
    deployment = {"spec": {"replicas": replicas, "strategy": strategy}}
    assert (max_surge(deployment), max_unavailable(deployment)) == expected


def test_a_recreate_has_no_bounds() -> None:
    deployment = {"spec": {"replicas": 3, "strategy": {"type": "Recreate"}}}
    assert (max_surge(deployment), max_unavailable(deployment)) == (0, 0)


def test_a_hand_edit_of_the_live_object_rolls_out() -> None:
    world = World()
    world.release("1.0.0")
    template = world.get("Deployment")["spec"]["template"]
    template["spec"]["containers"][0]["env"] = [{"name": "RELEASE", "value": "by-hand"}]
    _change(world, template=template)
    (pod,) = world.all("Pod")
    assert pod["spec"]["containers"][0]["env"] == [{"name": "RELEASE", "value": "by-hand"}]
    assert world.get("Deployment")["metadata"]["annotations"]["deployment.kubernetes.io/revision"] == "2"


def test_scaling_down_gives_up_the_newest_pods_and_changes_no_revision() -> None:
    world = World()
    world.release("1.0.0")
    first = world.all("Pod")[0]["metadata"]["name"]
    _change(world, replicas=3)
    assert world.get("Deployment")["status"]["availableReplicas"] == 3
    _change(world, replicas=1)
    assert [pod["metadata"]["name"] for pod in world.all("Pod")] == [first]
    assert world.get("Deployment")["metadata"]["annotations"]["deployment.kubernetes.io/revision"] == "1"


def test_a_deployment_scaled_in_the_middle_of_a_rollout_shares_the_replicas_out() -> None:
    world = World()
    world.release("1.0.0", strategy="RollingUpdate", replicas=4)
    world.release("1.1.0", strategy="RollingUpdate", replicas=4, readiness_path="/not-there")
    assert [one["spec"]["replicas"] for one in _by_revision(world)] == [3, 2]
    _change(world, replicas=8)
    assert [one["spec"]["replicas"] for one in _by_revision(world)] == [6, 4]


def _by_revision(world: World) -> list[Object]:
    sets = world.all("ReplicaSet")
    return sorted(sets, key=lambda one: int(one["metadata"]["annotations"]["deployment.kubernetes.io/revision"]))


def test_a_revert_uses_the_older_replica_set_again_with_a_raised_revision() -> None:
    world = World()
    world.release("1.0.0")
    (first,) = world.all("ReplicaSet")
    world.release("1.1.0")
    world.release("1.0.0")
    again = _by_revision(world)[-1]
    assert again["metadata"]["uid"] == first["metadata"]["uid"]
    notes = again["metadata"]["annotations"]
    assert notes["deployment.kubernetes.io/revision"] == "3"
    assert notes["deployment.kubernetes.io/revision-history"] == "1"
    assert len(world.all("ReplicaSet")) == 2


def test_old_replica_sets_are_forgotten_beyond_the_limit() -> None:
    world = World()
    world.release("1.0.0")
    _change(world, revisionHistoryLimit=1)
    for version in ("1.1.0", "1.2.0", "1.3.0"):
        world.release(version, seconds=0)
        _change(world, revisionHistoryLimit=1)
    revisions = [one["metadata"]["annotations"]["deployment.kubernetes.io/revision"] for one in _by_revision(world)]
    assert revisions == ["3", "4"]


def test_the_deadline_counts_from_the_last_step_and_not_from_the_beginning() -> None:
    world = World()
    world.release("1.0.0", strategy="RollingUpdate", replicas=3)
    template = world.get("Deployment")["spec"]["template"]
    template["spec"]["containers"][0]["readinessProbe"]["initialDelaySeconds"] = 6
    _change(world, template=template, progressDeadlineSeconds=10, seconds=15)
    assert _progressing(world)["reason"] == "ReplicaSetUpdated"
    world.timers.pass_by(15)
    assert _progressing(world)["reason"] == "NewReplicaSetAvailable"


def test_without_a_deadline_nothing_is_said_of_progress() -> None:
    world = World()
    world.release("1.0.0", readiness_path="/not-there", seconds=0)
    _change(world, progressDeadlineSeconds=2**31 - 1, seconds=60)
    assert [one["type"] for one in world.get("Deployment")["status"]["conditions"]] == ["Available"]


def test_a_deadline_that_is_set_later_finds_the_replica_set_that_is_there() -> None:
    world = World()
    world.release("1.0.0", readiness_path="/not-there", seconds=0)
    _change(world, progressDeadlineSeconds=2**31 - 1)
    _change(world, progressDeadlineSeconds=10, seconds=1)
    found = _progressing(world)
    name = world.all("ReplicaSet")[0]["metadata"]["name"]
    assert (found["reason"], found["message"]) == ("FoundNewReplicaSet", f'Found new replica set "{name}"')
    world.timers.pass_by(12)
    assert _progressing(world)["reason"] == "ProgressDeadlineExceeded"


def test_a_paused_deployment_does_not_run_into_its_deadline() -> None:
    world = World()
    world.release("1.0.0", readiness_path="/not-there", paused=True, seconds=60)
    assert _progressing(world)["reason"] == "DeploymentPaused"
    assert world.all("ReplicaSet") == []


def test_pods_are_available_only_when_they_have_been_ready_for_long_enough() -> None:
    world = World()
    world.release("1.0.0", seconds=0)
    _change(world, minReadySeconds=5, seconds=4)
    status = world.get("Deployment")["status"]
    assert status["readyReplicas"] == 1
    assert "availableReplicas" not in status
    world.timers.pass_by(5)
    assert world.get("Deployment")["status"]["availableReplicas"] == 1


def test_a_pod_that_is_deleted_is_made_again() -> None:
    world = World()
    world.release("1.0.0")
    (pod,) = world.all("Pod")
    world.store.delete("Pod", NAMESPACE, pod["metadata"]["name"])
    world.timers.pass_by(4)
    (other,) = world.all("Pod")
    assert other["metadata"]["uid"] != pod["metadata"]["uid"]
    assert world.get("Deployment")["status"]["availableReplicas"] == 1


def test_nothing_waits_when_nothing_moves() -> None:
    world = World()
    world.release("1.0.0", replicas=2)
    world.timers.pass_by(30)
    assert world.timers.waiting == 0
    world.forget()
    world.timers.pass_by(3600)
    assert world.log == []
