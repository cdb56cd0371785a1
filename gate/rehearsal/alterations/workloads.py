"""What the controllers say of one Deployment, its ReplicaSets and its Pods: alterations for layer 3."""

from collections.abc import Callable, Iterator
from typing import Any

from gate.facts.release import pinned_digest
from gate.rehearsal.alterations.pods import container, new_set
from gate.rehearsal.names import START, other_text, rfc3339
from gate.rehearsal.scene import Alteration, DoesNotApply, Json, Scene
from gate.rehearsal.subjects import WorkloadSubject

Change = Callable[[Scene, WorkloadSubject], None]


def _deployment(change: Callable[[Json], object]) -> Change:
    def altered(scene: Scene, workload: WorkloadSubject) -> None:
        for raw in scene.objects("Deployment", workload.place):
            change(raw)

    return altered


def _spec(key: str, value: Any) -> Change:
    return _deployment(lambda raw: raw["spec"].__setitem__(key, value))


def _unobserved(raw: Json) -> None:
    raw["metadata"]["generation"] += 1


def _not_updated(raw: Json) -> None:
    raw["status"]["updatedReplicas"] -= 1


def _unavailable(raw: Json) -> None:
    raw["status"]["availableReplicas"] -= 1
    raw["status"]["unavailableReplicas"] = 1


def _deleting(raw: Json) -> None:
    raw["metadata"]["deletionTimestamp"] = rfc3339(START)


def _deadline(scene: Scene, workload: WorkloadSubject) -> None:
    name = new_set(workload)[1]
    for raw in scene.objects("Deployment", workload.place):
        for one in raw["status"]["conditions"]:
            if one["type"] == "Progressing":
                one |= {
                    "status": "False",
                    "reason": "ProgressDeadlineExceeded",
                    "message": f'ReplicaSet "{name}" has timed out progressing.',
                    "lastUpdateTime": scene.moments[0]["now"],
                }


def _other_template(scene: Scene, workload: WorkloadSubject) -> None:
    for raw in scene.objects("ReplicaSet", new_set(workload)):
        raw["spec"]["template"]["metadata"].setdefault("annotations", {})["rehearsed"] = "another template"


def _absent(scene: Scene, workload: WorkloadSubject) -> None:
    scene.remove("Deployment", *workload.place)


def _unreadable(kind: str, error: str, status: int | None) -> Change:
    def change(scene: Scene, workload: WorkloadSubject) -> None:
        scene.remove(kind, workload.place[0])
        scene.refuse(f"{kind} {workload.place[0]}/", error, status)

    return change


def _no_pods(scene: Scene, workload: WorkloadSubject) -> None:
    for pod in workload.release.current:
        scene.remove("Pod", pod.metadata.namespace or "", pod.metadata.name)


def _not_ready(scene: Scene, workload: WorkloadSubject) -> None:
    for raw in scene.pods(workload.release, 0):
        for one in raw["status"]["conditions"]:
            if one["type"] == "Ready":
                one["status"] = "False"


def _crashing(scene: Scene, workload: WorkloadSubject) -> None:
    for raw in scene.pods(workload.release, 0):
        one = _named(raw["status"]["containerStatuses"], container(workload))
        one |= {"ready": False, "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off restarting"}}}


def _edited(scene: Scene, workload: WorkloadSubject) -> None:
    for raw in scene.pods(workload.release, 0):
        _named(raw["spec"]["containers"], container(workload))["image"] = "registry.example/edited:by-hand"


def _digest_differs(scene: Scene, workload: WorkloadSubject) -> None:
    """The content that runs is not the one that the digest names."""
    template = workload.release.deployment.spec.template
    images = {} if template is None else template.images
    pinned = [name for name in images if pinned_digest(workload.release.deployment, name) is not None]
    if not pinned:
        raise DoesNotApply(f"{workload.what} names no image by digest")
    for raw in scene.pods(workload.release, 0):
        _move(_named(raw["status"]["containerStatuses"], pinned[0]))


def _named(entries: list[Json], name: str) -> Json:
    return next(one for one in entries if one.get("name") == name)


def _move(status: Json) -> None:
    name, colon, digest = status["imageID"].rpartition(":")
    status["imageID"] = f"{name}{colon}{other_text(digest)}"


def _tag_moved(scene: Scene, workload: WorkloadSubject) -> None:
    """One Pod runs another content than the others, under one tag."""
    if len(workload.release.current) < 2:
        said = f"{workload.what} has one Pod, so that there is no other content to compare with"
        raise DoesNotApply(f"{said}; an image by digest would show what runs")
    for raw in _of_release(scene, workload):
        if raw["kind"] != "Pod":
            _by_tag(raw["spec"]["template"]["spec"])
        else:
            _by_tag(raw["spec"])
    for raw in scene.pods(workload.release, 0):
        _move(_named(raw["status"]["containerStatuses"], container(workload)))


def _by_tag(spec: Json) -> None:
    for one in spec["containers"]:
        name, at, _ = one["image"].partition("@")
        plain = name if ":" in name.rpartition("/")[2] else f"{name}:rehearsed"
        one["image"] = plain if at else one["image"]


def _of_release(scene: Scene, workload: WorkloadSubject) -> Iterator[Json]:
    """The Deployment, its new ReplicaSet and its Pods, in every moment."""
    yield from scene.objects("Deployment", workload.place)
    yield from scene.objects("ReplicaSet", new_set(workload))
    for number in range(len(workload.release.current)):
        yield from scene.pods(workload.release, number)


WORKLOADS: tuple[Alteration[WorkloadSubject], ...] = (
    Alteration("workload-absent", "the Deployment is not in the cluster", _absent),
    Alteration("workload-being-deleted", "the Deployment has a deletionTimestamp", _deployment(_deleting)),
    Alteration("generation-not-observed", "observedGeneration is behind generation", _deployment(_unobserved)),
    Alteration("pods-not-updated", "one replica less is updated than asked for", _deployment(_not_updated)),
    Alteration("pods-unavailable", "one replica is unavailable", _deployment(_unavailable)),
    Alteration("progress-deadline-exceeded", "the rollout has exceeded its progress deadline", _deadline),
    Alteration("rollout-paused", "spec.paused is true", _spec("paused", value=True)),
    Alteration("scaled-to-zero", "spec.replicas is 0", _spec("replicas", value=0)),
    Alteration("template-not-rolled-out", "no ReplicaSet has the Deployment's Pod template", _other_template),
    Alteration("no-pods", "the list of its Pods is empty", _no_pods),
    Alteration("pods-unreadable", "the Pods cannot be read", _unreadable("Pod", "the connection was reset", None)),
    Alteration("pods-forbidden", "reading the Pods is forbidden", _unreadable("Pod", "forbidden", 403)),
    Alteration(
        "endpoint-slices-unreadable", "the EndpointSlices cannot be read", _unreadable("EndpointSlice", "500", 500)
    ),
    Alteration("pod-not-ready", "a Pod is not ready, whatever the counters say", _not_ready),
    Alteration("container-crashing", "a container is in CrashLoopBackOff", _crashing),
    Alteration("pod-image-edited", "a Pod's image was changed in place", _edited),
    Alteration("image-digest-differs", "another content runs than the digest names", _digest_differs),
    Alteration("image-moved-under-tag", "two Pods run different contents of one tag", _tag_moved),
)
