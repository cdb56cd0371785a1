"""What goes when its owner or its namespace goes, and how the controllers themselves run and end."""

import asyncio

import pytest

from gate.lab.cluster.apply import apply
from gate.lab.cluster.controllers import run_controllers
from gate.lab.cluster.store import Change, Store
from gate.lab.manifests import web_release
from gate.lab.pace import Pace
from tests.support.lab_workloads import NAMESPACE, World
from tests.support.loopback import asynchronous

EMPTY_NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}


def test_what_a_deployment_made_goes_with_it_and_nothing_else() -> None:
    world = World()
    world.release("1.0.0")
    world.store.delete("Deployment", NAMESPACE, "orders")
    world.timers.pass_by(5)
    assert [world.all(kind) for kind in ("ReplicaSet", "Pod")] == [[], []]
    assert len(world.all("Service")) == len(world.all("EndpointSlice")) == 1


def test_a_namespace_ends_when_its_last_pod_is_gone() -> None:
    world = World()
    world.release("1.0.0")
    world.store.delete("Namespace", "", NAMESPACE)
    world.timers.pass_by(0.1)
    assert world.store.get("Namespace", "", NAMESPACE)["status"] == {"phase": "Terminating"}
    assert len(world.all("Pod")) == 1
    world.timers.pass_by(5)
    assert world.store.find("Namespace", "", NAMESPACE) is None
    assert [one for kind in ("Pod", "ReplicaSet", "Service", "EndpointSlice", "Event") for one in world.all(kind)] == []


def test_a_namespace_of_that_name_can_be_made_again() -> None:
    world = World()
    world.release("1.0.0")
    world.store.delete("Namespace", "", NAMESPACE)
    world.timers.pass_by(5)
    world.apply(EMPTY_NAMESPACE)
    world.release("1.0.0")
    assert world.get("Deployment")["status"]["availableReplicas"] == 1


def test_another_namespace_is_left_alone() -> None:
    world = World()
    world.release("1.0.0")
    world.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}})
    world.store.delete("Namespace", "", "other")
    world.timers.pass_by(5)
    assert len(world.all("Pod")) == 1
    assert world.store.find("Namespace", "", "other") is None


def test_controllers_that_are_ended_do_nothing_more() -> None:
    world = World()
    world.end()
    world.release("1.0.0")
    assert world.all("ReplicaSet") == []


@asynchronous
async def test_controllers_run_on_the_event_loop_until_they_are_cancelled() -> None:
    store = Store()
    apply(store, EMPTY_NAMESPACE)
    there = asyncio.Event()

    def look(change: Change) -> None:
        if change.kind == "Deployment" and change.body["status"].get("availableReplicas") == 1:
            there.set()

    store.listen(look)
    for body in web_release("orders", "1.0.0", namespace=NAMESPACE):
        apply(store, body)
    task = asyncio.create_task(run_controllers(store, Pace(200)))
    await there.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    version = store.version
    store.delete("Deployment", NAMESPACE, "orders")
    await asyncio.sleep(0)
    assert store.version == version + 1


@asynchronous
async def test_an_error_of_a_controller_is_raised() -> None:
    store = Store()
    apply(store, EMPTY_NAMESPACE)
    task = asyncio.create_task(run_controllers(store, Pace(200)))
    await asyncio.sleep(0)
    broken = web_release("orders", "1.0.0", namespace=NAMESPACE)[1]
    broken["spec"]["replicas"] = "many"
    store.create(broken | {"metadata": broken["metadata"] | {"namespace": NAMESPACE}})
    with pytest.raises(ValueError, match="many"):
        await task
