"""The tales of Deployments end in the laboratory as they were recorded on the real cluster, field by field."""

from collections.abc import Callable

import pytest

from gate.lab.cluster.store import Object
from gate.lab.manifests import web_release
from tests.support.lab_comparison import comparable, recorded
from tests.support.lab_workloads import NAMESPACE, World

BROKEN = "/not-there"
Play = Callable[[World], None]


def _objects(world: World) -> list[Object]:
    return [
        one
        for kind in ("Deployment", "ReplicaSet", "Pod", "Service", "EndpointSlice", "Event")
        for one in world.all(kind)
    ]


def _slow(world: World, version: str, seconds: float) -> None:
    for body in web_release("orders", version, strategy="RollingUpdate", environment={"LINGER": "8"}):
        if body["kind"] == "Deployment":
            body["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = 20
        world.apply(body, 0)
    world.timers.pass_by(seconds)


def _missing_image(world: World) -> None:
    for body in web_release("orders", "1.2.0", progress_deadline=600):
        if body["kind"] == "Deployment":
            one = body["spec"]["template"]["spec"]["containers"][0]
            one |= {"image": "promotion-gate.test/web:not-there", "imagePullPolicy": "IfNotPresent"}
        world.apply(body, 0)
    world.timers.pass_by(4)


def _stray(world: World) -> None:
    template = world.get("Deployment")["spec"]["template"]
    metadata = {"name": "stray", "labels": dict(template["metadata"]["labels"])}
    world.apply({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]})
    world.release("1.3.0")


def _stray_gone(world: World) -> None:
    world.store.delete("Pod", NAMESPACE, "stray")
    world.release("1.4.0")


TALES: dict[str, dict[str, Play]] = {
    "recreate": {
        "first-release": lambda world: world.release("1.0.0"),
        "story-recreate-normal": lambda world: world.release("1.1.0"),
        "story-recreate-broken": lambda world: world.release("1.1.0", readiness_path=BROKEN, seconds=15),
        "story-recreate-recovered": lambda world: world.release("1.1.0"),
    },
    "rolling": {
        "": lambda world: world.release("1.0.0", strategy="RollingUpdate"),
        "story-rolling-normal": lambda world: world.release("1.1.0", strategy="RollingUpdate"),
        "story-rolling-broken-progressing": lambda world: world.release(
            "1.1.0", strategy="RollingUpdate", readiness_path=BROKEN
        ),
        "story-rolling-broken-deadline": lambda world: world.timers.pass_by(12),
        "story-rolling-recovered": lambda world: world.release("1.1.0", strategy="RollingUpdate"),
        "rolling-none-left": lambda world: world.release(
            "1.3.0", strategy="RollingUpdate", readiness_path=BROKEN, max_unavailable=1, max_surge=0, seconds=15
        ),
    },
    "lingering": {
        "": lambda world: _slow(world, "1.0.0", 4),
        "old-pod-serving": lambda world: _slow(world, "1.1.0", 4),
        " ": lambda world: world.timers.pass_by(8),
        "old-pod-gone": lambda world: _slow(world, "1.2.0", 14),
    },
    "standstill": {
        "": lambda world: world.release("1.0.0"),
        "replicas-0": lambda world: world.release("1.1.0", replicas=0),
        "paused": lambda world: world.release("1.2.0", paused=True),
        "going-on": lambda world: world.release("1.2.0"),
    },
    "containers": {
        "": lambda world: world.release("1.0.0"),
        "crash-loop": lambda world: world.release("1.1.0", environment={"EXIT": "3"}, progress_deadline=600, seconds=6),
        "image-pull-failing": _missing_image,
        "containers-recovered": lambda world: world.release("1.3.0"),
    },
    "answers": {
        "": lambda world: world.release("1.0.0"),
        "body-of-another-release": lambda world: world.release("1.1.0", answer="1.0.0"),
        "server-error": lambda world: world.release("1.1.1", environment={"STATUS": "500"}),
        "no-endpoints": lambda world: world.release("1.2.0", selector={"app": "nobody"}),
        "stray-pod": _stray,
        "stray-pod-gone": _stray_gone,
    },
}


@pytest.mark.parametrize("tale", TALES)
def test_every_act_ends_as_it_was_recorded(tale: str) -> None:
    world = World()
    for act, play in TALES[tale].items():
        play(world)
        if act.strip():
            assert comparable(_objects(world)) == comparable(recorded(act)), act
