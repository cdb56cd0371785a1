"""Jobs, StatefulSets and DaemonSets in the laboratory."""

from typing import Any

from gate.lab.cluster.store import Object
from gate.lab.manifests import daemon_release, hook_job, stateful_release
from tests.support.lab_comparison import comparable, recorded
from tests.support.lab_workloads import NAMESPACE, World


def _of_job(objects: list[Object]) -> list[Object]:
    found = [one for one in objects if one["kind"] == "Pod" and one["metadata"]["name"].startswith("after-")]
    return found + [one for one in objects if one["kind"] == "Event" and one["involvedObject"]["kind"] == "Job"]


def _words(job: Object) -> list[tuple[str, str, str, str]]:
    return [(one["type"], one["status"], one["reason"], one["message"]) for one in job["status"].get("conditions", ())]


def _job(world: World, passing: float, **job: Any) -> Object:
    world.apply(hook_job("after", hook=None, **job), passing)
    return world.get("Job", "after")


def test_a_job_that_ends_well_leaves_what_was_recorded() -> None:
    world = World()
    running = _job(world, 2, seconds=2)
    assert running["status"]["active"] == 1
    assert _words(running) == []
    world.timers.pass_by(5)
    status = world.get("Job", "after")["status"]
    reached = ("CompletionsReached", "Reached expected number of succeeded pods")
    assert _words(world.get("Job", "after")) == [
        ("SuccessCriteriaMet", "True", *reached),
        ("Complete", "True", *reached),
    ]
    assert (status["succeeded"], "active" in status, "failed" in status) == (1, False, False)
    assert comparable(_of_job(world.all("Pod"))) == comparable(_of_job(recorded("hook-succeeded")))


def test_a_job_that_fails_without_another_try_leaves_what_was_recorded() -> None:
    world = World()
    job = _job(world, 6, seconds=1, exit_code=1)
    exceeded = ("BackoffLimitExceeded", "Job has reached the specified backoff limit")
    assert _words(job) == [("FailureTarget", "True", *exceeded), ("Failed", "True", *exceeded)]
    assert job["status"]["failed"] == 1
    left = _of_job(world.all("Pod") + world.all("Event"))
    assert comparable(left) == comparable(_of_job(recorded("hook-failed")))


def test_a_job_with_more_tries_waits_between_them() -> None:
    world = World()
    job = _job(world, 6, exit_code=1, backoff_limit=1)
    assert (job["status"]["failed"], _words(job)) == (1, [])
    world.timers.pass_by(12)
    assert world.get("Job", "after")["status"]["failed"] == 2
    assert _words(world.get("Job", "after"))[-1][0] == "Failed"


def test_a_suspended_job_has_no_pod() -> None:
    world = World()
    body = hook_job("after", hook=None)
    body["spec"]["suspend"] = True
    world.apply(body)
    assert world.all("Pod") == []
    assert _words(world.get("Job", "after")) == [("Suspended", "True", "JobSuspended", "Job suspended")]


def _stateful(world: World, version: str, seconds: float = 8, **options: Any) -> Object:
    for body in stateful_release("orders", version, **options):
        world.apply(body, 0)
    world.timers.pass_by(seconds)
    return world.get("StatefulSet")


def test_a_stateful_set_that_updates_on_deletion_keeps_its_old_pod_as_recorded() -> None:
    world = World()
    first = _stateful(world, "1.0.0")["status"]
    assert first["currentRevision"] == first["updateRevision"]
    status = _stateful(world, "1.1.0")["status"]
    assert status["currentRevision"] == first["currentRevision"]
    assert status["updateRevision"] != status["currentRevision"]
    assert (status["replicas"], status["readyReplicas"], status["currentReplicas"]) == (1, 1, 1)
    assert "updatedReplicas" not in status
    kinds = ("Pod", "Service", "EndpointSlice")
    here = [one for kind in kinds for one in world.all(kind)]
    assert comparable(here) == comparable([one for one in recorded("stateful-on-delete") if one["kind"] in kinds])


def test_a_deleted_pod_of_it_comes_back_new() -> None:
    world = World()
    _stateful(world, "1.0.0")
    newest = _stateful(world, "1.1.0")["status"]["updateRevision"]
    world.store.delete("Pod", NAMESPACE, "orders-0")
    world.timers.pass_by(5)
    assert world.get("Pod", "orders-0")["metadata"]["labels"]["controller-revision-hash"] == newest
    assert world.get("StatefulSet")["status"]["updatedReplicas"] == 1


def test_a_rolling_stateful_set_replaces_its_pods_from_the_last_to_the_partition() -> None:
    world = World()
    _stateful(world, "1.0.0", update="RollingUpdate", replicas=3, partition=1)
    assert [pod["metadata"]["name"] for pod in world.all("Pod")] == ["orders-0", "orders-1", "orders-2"]
    world.forget()
    status = _stateful(world, "1.1.0", 20, update="RollingUpdate", replicas=3, partition=1)["status"]
    gone = [one.body["metadata"]["name"] for one in world.log if (one.kind, one.type) == ("Pod", "DELETED")]
    assert gone == ["orders-2", "orders-1"]
    assert (status["updatedReplicas"], status["currentReplicas"], status["readyReplicas"]) == (2, 1, 3)
    done = _stateful(world, "1.1.0", 20, update="RollingUpdate", replicas=3, partition=0)["status"]
    assert done["currentRevision"] == done["updateRevision"]
    assert done["updatedReplicas"] == done["currentReplicas"] == 3


def test_a_daemon_set_has_one_pod_on_the_one_node() -> None:
    world = World()
    for version in ("1.0.0", "1.1.0"):
        for body in daemon_release("orders", version):
            world.apply(body, 0)
        world.timers.pass_by(5)
    (pod,) = world.all("Pod")
    assert pod["metadata"]["labels"]["app.kubernetes.io/version"] == "1.1.0"
    status = world.get("DaemonSet")["status"]
    names = ("desiredNumberScheduled", "updatedNumberScheduled", "numberReady", "numberAvailable")
    assert [status[name] for name in names] == [1, 1, 1, 1]
    assert "numberUnavailable" not in status


def test_a_daemon_set_that_updates_on_deletion_keeps_its_old_pod() -> None:
    world = World()
    for version in ("1.0.0", "1.1.0"):
        for body in daemon_release("orders", version, update="OnDelete"):
            world.apply(body, 0)
        world.timers.pass_by(5)
    (pod,) = world.all("Pod")
    assert pod["metadata"]["labels"]["app.kubernetes.io/version"] == "1.0.0"
    assert "updatedNumberScheduled" not in world.get("DaemonSet")["status"]
