"""The Pods of one Deployment: whose they are, whether they are ready, why they are not. Pure."""

from collections.abc import Iterator
from datetime import UTC, datetime

from gate.facts.release import Release, image_of, is_ready, name_of, pinned_digest, split_image
from gate.facts.workload import ContainerStatus, Event, Pod
from gate.layers.finding import Finding, held, need, pending
from gate.reasons import Reason

_PULL = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable")
_FAILING = ("CrashLoopBackOff", "CreateContainerConfigError", "CreateContainerError", "RunContainerError")


def probe_failures(release: Release, events: tuple[Event, ...]) -> Iterator[str]:
    """What the kubelet reported of failed probes of current Pods that are not ready, the newest last."""
    names = {pod.metadata.uid: name_of(pod) for pod in release.current if not is_ready(pod)}
    for event in sorted(events, key=_happened):
        uid = event.involved_object.uid
        if event.reason == "Unhealthy" and uid in names and event.message:
            yield f"{names[uid]}: {event.message}"


def _happened(event: Event) -> datetime:
    """When an Event was last seen; one that does not say counts as the oldest."""
    return event.last_timestamp or event.event_time or datetime.min.replace(tzinfo=UTC)


def _container(pod: Pod, one: ContainerStatus, what: str) -> Finding | None:
    waiting = None if one.state is None else one.state.waiting
    if waiting is None or waiting.reason is None:
        return None
    message = f"{name_of(pod)} container {one.name}: {waiting.reason}: {waiting.message or 'no message'}"
    if waiting.reason in _PULL:
        reason = Reason.IMAGE_PULL_FAILING
    elif waiting.reason in _FAILING:
        reason = Reason.CONTAINER_FAILING
    else:
        return None
    return pending(reason, message, bad=True, grace=f"{what}|{reason}")


def check_troubles(release: Release, events: tuple[Event, ...]) -> Iterator[Finding]:
    """Why the release is not there: old Pods that stay, containers that cannot start, probes that fail.

    Old Pods come first: as long as they stay, a Service that answers says nothing about the new ones.
    """
    staying = [pod for pod in release.old if pod.metadata.deletion_timestamp is None]
    if staying and release.new is not None:
        yield pending(
            Reason.OLD_PODS_SERVING,
            f"{release.what}: {name_of(staying[0])} of an older ReplicaSet is still there",
        )
    for pod in release.current:
        statuses = () if pod.status is None else (pod.status.container_statuses or ())
        inits = () if pod.status is None else (pod.status.init_container_statuses or ())
        for one in (*inits, *statuses):
            finding = _container(pod, one, release.what)
            if finding is not None:
                yield finding
    probes = list(probe_failures(release, events))
    if probes:
        yield pending(Reason.PROBE_FAILING, probes[-1], bad=True)
    for pod in release.current:
        conditions = () if pod.status is None else (pod.status.conditions or ())
        for claim in conditions:
            if claim.type == "PodScheduled" and claim.status == "False":
                yield pending(
                    Reason.PODS_NOT_READY, f"{name_of(pod)} is not scheduled: {claim.message or claim.reason}"
                )


def _containers(release: Release) -> tuple[str, ...]:
    template = need(release.deployment.spec.template, release.what, "spec.template")
    return need(tuple(template.images), release.what, "spec.template.spec.containers")


def _is_of(image: str, template: str) -> bool:
    """Whether a Pod's image is the template's; a webhook may have changed its registry or added its digest."""
    tag, digest = split_image(image)
    wanted_tag, wanted_digest = split_image(template)
    if wanted_digest is not None:
        return digest == wanted_digest
    return tag == wanted_tag or (tag is None and digest is not None)


def _edited(pod: Pod, release: Release, container: str) -> Finding | None:
    """A Pod's image can be changed in place, behind the back of its ReplicaSet."""
    what, field = name_of(pod), f"spec.containers[{container}]"
    containers = need(need(pod.spec, what, "spec").containers, what, "spec.containers")
    images = {one.name: one.image for one in containers}
    image = need(images.get(container), what, f"{field}.image")
    wanted = need(image_of(release.deployment, container), release.what, f"spec.template.{field}.image")
    if _is_of(image, wanted):
        return None
    return held(
        Reason.IMAGE_CONTENT_DIFFERS, f"{what}: {field}.image is {image}; expected {wanted}, as in the template"
    )


def check_images(release: Release) -> Iterator[Finding]:
    """Every ready Pod must say which content runs, and all must run the same."""
    running: dict[str, set[str]] = {}
    for pod in release.ready:
        what = name_of(pod)
        statuses = need(pod.status, what, "status").container_statuses
        known = {one.name: one for one in need(statuses, what, "status.containerStatuses")}
        for container in _containers(release):
            where = f"status.containerStatuses[{container}]"
            one = need(known.get(container), what, where)
            image_id = need(one.image_id, what, f"{where}.imageID")
            if one.ready is not True:
                yield pending(Reason.PODS_NOT_READY, f"{what}: container {container} is not ready")
            need(need(one.state, what, f"{where}.state").running, what, f"{where}.state.running")
            edited = _edited(pod, release, container)
            if edited is not None:
                yield edited
            running.setdefault(container, set()).add(image_id)
    for container, ids in running.items():
        if len(ids) > 1:
            yield held(
                Reason.IMAGE_CONTENT_DIFFERS,
                f"{release.what}: container {container} runs different contents: {', '.join(sorted(ids))}",
            )
        digest = pinned_digest(release.deployment, container)
        for image_id in sorted(ids):
            if digest is not None and "@" in image_id and not image_id.endswith(digest):
                yield held(
                    Reason.IMAGE_CONTENT_DIFFERS,
                    f"{release.what}: container {container} runs {image_id}; expected content {digest}",
                )


def check_pods(release: Release, replicas: int) -> Iterator[Finding]:
    """As many ready current Pods as were asked for."""
    for pod in (*release.current, *release.old):
        need(pod.metadata.uid, name_of(pod), "metadata.uid")
    if len(release.ready) != replicas or len(release.current) != replicas:
        yield pending(
            Reason.PODS_NOT_READY,
            f"{release.what}: {len(release.ready)} of {len(release.current)} Pods of the new ReplicaSet are ready; "
            f"expected {replicas}",
        )
