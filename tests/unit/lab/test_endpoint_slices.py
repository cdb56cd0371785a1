"""EndpointSlices in the laboratory: which Pods stand behind a Service, and how."""

from typing import Any

from gate.lab.cluster.store import Object
from tests.support.lab_workloads import NAMESPACE, World


def _service(world: World, **spec: Any) -> None:
    world.store.change("Service", NAMESPACE, "orders", lambda body: body["spec"].update(spec))
    world.timers.pass_by(1)


def _endpoints(world: World) -> list[Object]:
    (one,) = world.all("EndpointSlice")
    return one["endpoints"] or []


def test_a_service_without_pods_has_a_slice_without_endpoints_and_ports() -> None:
    world = World()
    world.release("1.0.0", selector={"app": "nobody"})
    (one,) = world.all("EndpointSlice")
    assert (one["endpoints"], one["ports"]) == (None, None)


def test_a_named_target_port_is_that_of_the_container() -> None:
    world = World()
    world.release("1.0.0")
    _service(world, ports=[{"name": "web", "port": 80, "targetPort": "http", "protocol": "TCP"}])
    (one,) = world.all("EndpointSlice")
    assert one["ports"] == [{"name": "web", "protocol": "TCP", "port": 8080}]
    _service(world, ports=[{"name": "web", "port": 80, "targetPort": "metrics", "protocol": "TCP"}])
    assert world.all("EndpointSlice")[0]["ports"] == []


def test_the_generation_moves_with_what_is_in_it_and_not_with_its_labels() -> None:
    world = World()
    world.release("1.0.0")
    before = world.all("EndpointSlice")[0]["metadata"]["generation"]
    world.store.change("Service", NAMESPACE, "orders", lambda body: body["metadata"]["labels"].update(new="label"))
    world.timers.pass_by(1)
    (one,) = world.all("EndpointSlice")
    assert (one["metadata"]["labels"]["new"], one["metadata"]["generation"]) == ("label", before)
    _service(world, selector={"app": "nobody"})
    assert world.all("EndpointSlice")[0]["metadata"]["generation"] == before + 1


def test_pods_that_are_not_ready_are_ready_endpoints_only_where_the_service_says_so() -> None:
    world = World()
    world.release("1.0.0", readiness_path="/not-there")
    assert [one["conditions"]["ready"] for one in _endpoints(world)] == [False]
    _service(world, publishNotReadyAddresses=True)
    assert _endpoints(world)[0]["conditions"] == {"ready": True, "serving": False, "terminating": False}


def test_a_slice_goes_with_its_service_and_with_its_selector() -> None:
    world = World()
    world.release("1.0.0")
    _service(world, selector=None)
    assert world.all("EndpointSlice") == []
    _service(world, selector={"app": "orders"})
    assert len(_endpoints(world)) == 1
    world.store.delete("Service", NAMESPACE, "orders")
    world.timers.pass_by(1)
    assert world.all("EndpointSlice") == []


def test_a_pod_that_ends_at_the_limit_of_its_grace_is_killed_and_goes() -> None:
    world = World()
    world.release("1.0.0", environment={"LINGER": "8"})
    (pod,) = world.all("Pod")
    world.forget()
    world.store.delete("Deployment", NAMESPACE, "orders")
    world.timers.pass_by(5)
    (last,) = [one for one in world.log if (one.kind, one.type) == ("Pod", "DELETED")]
    assert last.body["metadata"]["uid"] == pod["metadata"]["uid"]
    assert last.body["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 137
