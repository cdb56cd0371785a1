"""Older Pods that are still there, or still answer: alterations for layer 3."""

import copy
from collections.abc import Iterator
from datetime import timedelta

from gate.facts.workload import REVISION
from gate.rehearsal.alterations.pods import ADDRESS, READY, current_pods, new_set, put_behind
from gate.rehearsal.names import rfc3339, uid
from gate.rehearsal.scene import Alteration, DoesNotApply, Json, Scene, place_of, time_of
from gate.rehearsal.subjects import WorkloadSubject

_OLD = "rehearsed-before"
_HOUR = timedelta(hours=1)


def _older(scene: Scene, workload: WorkloadSubject, replicas: int) -> Iterator[tuple[int, Json]]:
    """Put an older ReplicaSet into every moment; (moment, its Pod to be)."""
    place = new_set(workload)
    known = {
        number: next(one for one in moment["objects"] if one.get("kind") == "ReplicaSet" and place_of(one) == place)
        for number, moment in enumerate(scene.moments)
    }
    for number, raw in known.items():
        older = copy.deepcopy(raw)
        older["metadata"] |= {"name": _OLD, "uid": uid(_OLD)}
        older["metadata"]["annotations"] = {REVISION: "0"}
        older["spec"]["replicas"] = replicas
        older["spec"]["template"]["spec"]["containers"][0]["image"] = "registry.example/app:before"
        scene.add(number, older)
    for number, raw in list(current_pods(scene, workload)):
        pod = copy.deepcopy(raw)
        pod["metadata"] |= {"name": f"{_OLD}-pod", "uid": uid(_OLD, "pod")}
        owner = next(one for one in pod["metadata"]["ownerReferences"] if one.get("controller") is True)
        owner |= {"name": _OLD, "uid": uid(_OLD)}
        pod["status"]["podIPs"] = [{"ip": ADDRESS}]
        yield number, pod


def _behind(scene: Scene, number: int, workload: WorkloadSubject, pod: Json, conditions: Json) -> None:
    """Put a Pod behind the first Service of the workload, in one moment."""
    if not workload.services:
        raise DoesNotApply(f"no Service leads to {workload.what}")
    put_behind(scene, number, workload.services[0], pod, conditions)


def _old_serving(scene: Scene, workload: WorkloadSubject) -> None:
    for number, pod in list(_older(scene, workload, 1)):
        scene.add(number, pod)
        _behind(scene, number, workload, pod, READY)


def _old_draining(scene: Scene, workload: WorkloadSubject) -> None:
    for number, pod in list(_older(scene, workload, 0)):
        pod["metadata"]["deletionTimestamp"] = rfc3339(time_of(scene.moments[-1]["now"]) + _HOUR)
        scene.add(number, pod)
        _behind(scene, number, workload, pod, {"ready": False, "serving": True, "terminating": True})


def _old_left(scene: Scene, workload: WorkloadSubject) -> None:
    for number, pod in list(_older(scene, workload, 0)):
        scene.add(number, pod)


def _old_scaled(scene: Scene, workload: WorkloadSubject) -> None:
    list(_older(scene, workload, 1))


OLDER: tuple[Alteration[WorkloadSubject], ...] = (
    Alteration("old-pods-serving", "a Pod of an older ReplicaSet is a ready endpoint", _old_serving),
    Alteration("old-pods-draining", "a Pod of an older ReplicaSet terminates and still serves", _old_draining),
    Alteration("old-pods-left", "a Pod of an older ReplicaSet is still there", _old_left),
    Alteration("old-replicas-wanted", "an older ReplicaSet is still asked for Pods", _old_scaled),
)
