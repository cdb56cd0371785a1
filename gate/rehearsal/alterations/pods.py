"""Pods of a release in the moments of a rehearsal, and how one more is put behind a Service."""

from collections.abc import Iterator

from gate.facts.endpoints import Service
from gate.rehearsal.scene import Json, Scene
from gate.rehearsal.subjects import Place, WorkloadSubject

ADDRESS = "192.0.2.1"
"""An address that no Pod has."""

READY = {"ready": True, "serving": True, "terminating": False}
"""The conditions of an endpoint that takes traffic."""


def new_set(workload: WorkloadSubject) -> Place:
    """The place of the ReplicaSet of the intended release. Raises LookupError without one, which cannot pass."""
    new = workload.release.new
    if new is None:
        raise LookupError(f"{workload.what} has no ReplicaSet of its own template")
    return new.metadata.namespace or "", new.metadata.name or ""


def current_pods(scene: Scene, workload: WorkloadSubject) -> Iterator[tuple[int, Json]]:
    """The first current Pod with the number of each moment that has it."""
    for raw in scene.pods(workload.release, 0):
        holds = (any(one is raw for one in moment["objects"]) for moment in scene.moments)
        yield from ((number, raw) for number, held in enumerate(holds) if held)


def container(workload: WorkloadSubject) -> str:
    """The name of its first container. Its Pods may have others before it, which were injected."""
    template = workload.release.deployment.spec.template
    if template is None or not template.images:
        raise LookupError(f"{workload.what} has no container")
    return next(iter(template.images))


def put_behind(scene: Scene, number: int, service: Service, pod: Json, conditions: Json) -> None:
    """Put a Pod with the made-up address behind a Service, in one moment and in every slice."""
    own = {"kind": "Pod", **{key: pod["metadata"][key] for key in ("namespace", "name", "uid")}}
    made = {"addresses": [ADDRESS], "conditions": dict(conditions), "targetRef": own}
    moment = scene.moments[number]["objects"]
    slices = list(scene.slices((service.metadata.namespace or "", service.metadata.name or "")))
    for one in slices:
        if any(one is raw for raw in moment):
            one["endpoints"] = [*(one["endpoints"] or ()), made]
