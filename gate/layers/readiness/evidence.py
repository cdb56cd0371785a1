"""What layer 3 saw of one release, as evidence rows. Pure."""

from collections.abc import Iterator

from gate.facts.release import Release, image_of, name_of, pinned_digest
from gate.facts.workload import Event
from gate.layers.readiness.pods import probe_failures
from gate.verdict import Evidence

_MOST_PODS = 10


def _counters(release: Release) -> Iterator[tuple[str, str, str | None]]:
    deployment, status = release.deployment, release.deployment.status
    wanted = str(deployment.spec.replicas)
    yield "metadata.generation", str(deployment.metadata.generation), None
    strategy = deployment.spec.strategy
    yield "spec.strategy.type", str(None if strategy is None else strategy.type), None
    if status is None:
        return
    yield "status.observedGeneration", str(status.observed_generation), str(deployment.metadata.generation)
    for name, count in (
        ("status.replicas", status.replicas),
        ("status.updatedReplicas", status.updated_replicas),
        ("status.readyReplicas", status.ready_replicas),
        ("status.availableReplicas", status.available_replicas),
    ):
        yield name, "not there" if count is None else str(count), wanted
    for one in status.conditions or ():
        yield f"status.conditions[{one.type}]", f"{one.status} {one.reason}", None


def _images(release: Release) -> Iterator[Evidence]:
    for pod in release.current[:_MOST_PODS]:
        statuses = () if pod.status is None else (pod.status.container_statuses or ())
        for one in statuses:
            image = image_of(release.deployment, one.name or "") or "not in the spec"
            pinned = pinned_digest(release.deployment, one.name or "") is not None
            field = f"status.containerStatuses[{one.name}].imageID"
            value = one.image_id or "not there"
            shown = value if pinned else f"{value} for {image} (tag, content not pinned)"
            expected = image if pinned else None
            yield Evidence(label="observed", subject=name_of(pod), field=field, value=shown, expected=expected)


def release_evidence(release: Release, events: tuple[Event, ...]) -> Iterator[Evidence]:
    """Counters, strategy, conditions, the new ReplicaSet, Pods, images and probe failures."""
    yield Evidence(
        label="declared", subject=release.what, field="spec.replicas", value=str(release.deployment.spec.replicas)
    )
    for field, value, expected in _counters(release):
        yield Evidence(label="observed", subject=release.what, field=field, value=value, expected=expected)
    new = "not made yet" if release.new is None else str(release.new.metadata.name)
    yield Evidence(label="observed", subject=release.what, field="new ReplicaSet", value=new)
    pods = [f"{name_of(pod)} (current)" for pod in release.current]
    pods += [f"{name_of(pod)} ({'terminating' if release.is_new(pod) else 'old'})" for pod in release.old]
    yield Evidence(label="observed", subject=release.what, field="Pods", value=", ".join(pods[:_MOST_PODS]) or "none")
    yield from _images(release)
    for message in list(probe_failures(release, events))[-3:]:
        yield Evidence(label="observed", subject=release.what, field="probe failure", value=message)
