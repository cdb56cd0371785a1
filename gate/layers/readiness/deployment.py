"""Is a Deployment's rollout finished, in progress, or finally failed? Pure.

Rules of the Deployment controller: counters are omitted when zero, so an absent one is 0 only
where ``observedGeneration`` is present and equals ``generation``; ``status.replicas`` does not
count terminating Pods; the new ReplicaSet is the one of the Deployment's own Pod template.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from gate.facts.cluster import Cluster
from gate.facts.release import Release
from gate.facts.upstream import condition
from gate.facts.workload import REVISION, Deployment, DeploymentStatus, Pod, ReplicaSet
from gate.layers.finding import Finding, Missing, failed, held, need, pending, seen
from gate.reasons import Reason

_NAMED_SET = re.compile(r'ReplicaSet "([^"]+)"')


@dataclass(frozen=True)
class Rollout:
    """A Deployment whose generation is observed, with the replicas asked for."""

    deployment: Deployment
    status: DeploymentStatus
    replicas: int
    what: str


def read_release(cluster: Cluster, deployment: Deployment, what: str) -> Release:
    """The Deployment with its ReplicaSets and Pods; raises Missing when they cannot be read."""
    namespace = need(deployment.metadata.namespace, what, "metadata.namespace")
    uid = need(deployment.metadata.uid, what, "metadata.uid")
    template = need(deployment.spec.template, what, "spec.template")
    sets = [one for one in seen(cluster.all_of(ReplicaSet, namespace)) if one.metadata.controller_uid == uid]
    new = _new_set(deployment, sets, template.bare)
    previous = tuple(one for one in sets if one is not new)
    new_uid = None if new is None else new.metadata.uid
    pods = seen(cluster.all_of(Pod, namespace))
    old_uids = {one.metadata.uid for one in previous}
    mine = [pod for pod in pods if pod.metadata.controller_uid is not None]
    return Release(
        what=what,
        deployment=deployment,
        new=new,
        previous=previous,
        current=tuple(
            pod for pod in mine if pod.metadata.controller_uid == new_uid and pod.metadata.deletion_timestamp is None
        ),
        old=tuple(
            pod
            for pod in mine
            if pod.metadata.controller_uid in old_uids
            or (pod.metadata.controller_uid == new_uid and pod.metadata.deletion_timestamp is not None)
        ),
    )


def _new_set(deployment: Deployment, sets: list[ReplicaSet], template: dict[str, object]) -> ReplicaSet | None:
    """The ReplicaSet of this very template and of the Deployment's revision annotation; None if not made."""
    revision = deployment.metadata.annotation(REVISION)
    matches = [
        one
        for one in sets
        if one.spec.template is not None
        and one.spec.template.bare == template
        and revision is not None
        and one.metadata.annotation(REVISION) == revision
        and one.metadata.uid is not None
    ]
    return matches[0] if len(matches) == 1 else None


def _observed(deployment: Deployment, what: str) -> Finding | None:
    generation = need(deployment.metadata.generation, what, "metadata.generation")
    status = need(deployment.status, what, "status")
    observed = need(status.observed_generation, what, "status.observedGeneration")
    if observed != generation:
        return pending(
            Reason.GENERATION_NOT_OBSERVED,
            f"{what}: status.observedGeneration is {observed}; expected metadata.generation {generation}",
        )
    return None


def _standstill(deployment: Deployment, what: str) -> Iterator[Finding]:
    if deployment.metadata.deletion_timestamp is not None:
        yield held(Reason.WORKLOAD_DELETING, f"{what} is being deleted")
    if deployment.spec.paused is True:
        yield held(Reason.PAUSED, f"{what} is paused (spec.paused): its rollout does not go on", final=True)
    if need(deployment.spec.replicas, what, "spec.replicas") == 0:
        yield held(
            Reason.SCALED_TO_ZERO, f"{what}: spec.replicas is 0: nothing runs, so nothing can be proved", final=True
        )


def _of_another_set(message: str, new: ReplicaSet | None) -> bool:
    """Whether a condition's message names a ReplicaSet, and not the new one."""
    named = _NAMED_SET.search(message)
    return named is not None and (new is None or named.group(1) != new.metadata.name)


def _deadline(rollout: Rollout, new: ReplicaSet | None, started_at: datetime | None) -> Finding | None:
    """ProgressDeadlineExceeded counts only when it is newer than the start of the intended operation, and its own.

    While hooks or earlier waves run, or old Pods end, the release before may still exceed its deadline.
    """
    progressing = condition(rollout.status.conditions, "Progressing")
    if progressing is None or progressing.reason != "ProgressDeadlineExceeded" or progressing.status != "False":
        return None
    at = progressing.last_update_time
    message = f"{rollout.what}: {progressing.message or 'the progress deadline was exceeded'}"
    if started_at is None or at is None or at <= started_at:
        return pending(
            Reason.ROLLOUT_IN_PROGRESS,
            f"{rollout.what}: ProgressDeadlineExceeded is older than the operation at the intended commit",
        )
    if _of_another_set(message, new):
        return pending(Reason.ROLLOUT_IN_PROGRESS, f"{message}: that is not the new ReplicaSet")
    return failed(Reason.PROGRESS_DEADLINE_EXCEEDED, message)


def _replica_failure(rollout: Rollout) -> Finding | None:
    one = condition(rollout.status.conditions, "ReplicaFailure")
    if one is None or one.status != "True":
        return None
    message = f"{rollout.what}: ReplicaFailure {one.reason}: {one.message}"
    return pending(Reason.REPLICA_FAILURE, message, bad=True, grace=f"{rollout.what}|ReplicaFailure")


def _counters(rollout: Rollout) -> Iterator[Finding]:
    """Counters may be read as 0 when absent: the caller has shown that the generation is observed."""
    status, wanted = rollout.status, rollout.replicas
    counts = {
        "replicas": status.replicas or 0,
        "updatedReplicas": status.updated_replicas or 0,
        "readyReplicas": status.ready_replicas or 0,
        "availableReplicas": status.available_replicas or 0,
    }
    short = {name: count for name, count in counts.items() if count != wanted}
    unavailable = status.unavailable_replicas or 0
    terminating = status.terminating_replicas or 0
    if short or unavailable:
        shown = ", ".join(f"{name} {count}" for name, count in counts.items())
        bad = counts["updatedReplicas"] > 0 and unavailable > 0
        yield pending(
            Reason.ROLLOUT_IN_PROGRESS,
            f"{rollout.what}: {shown}, unavailableReplicas {unavailable}; expected {wanted} of each, none unavailable",
            bad=bad,
        )
    if terminating > 0:
        yield pending(Reason.OLD_PODS_SERVING, f"{rollout.what}: {terminating} Pods are still terminating")


def _conditions(rollout: Rollout) -> Iterator[Finding]:
    available = condition(rollout.status.conditions, "Available")
    progressing = condition(rollout.status.conditions, "Progressing")
    if available is None or available.status != "True":
        yield pending(Reason.ROLLOUT_IN_PROGRESS, f"{rollout.what}: condition Available is not True")
    if progressing is None or progressing.status != "True" or progressing.reason != "NewReplicaSetAvailable":
        said = "not there" if progressing is None else f"{progressing.status} {progressing.reason}"
        yield pending(
            Reason.ROLLOUT_IN_PROGRESS,
            f"{rollout.what}: condition Progressing is {said}; expected True NewReplicaSetAvailable",
        )


def _rollout(release: Release) -> Rollout | None:
    """The rollout when its generation is observed; None while the status is about an older spec."""
    deployment, what = release.deployment, release.what
    if _observed(deployment, what) is not None:
        return None
    status = need(deployment.status, what, "status")
    return Rollout(deployment, status, need(deployment.spec.replicas, what, "spec.replicas"), what)


def check_standing(release: Release, started_at: datetime | None) -> Iterator[Finding]:
    """What stands in the way of the rollout: deletion, pause, an unobserved spec, a failure condition."""
    deployment, what = release.deployment, release.what
    yield from _standstill(deployment, what)
    stale = _observed(deployment, what)
    if stale is not None:
        yield stale
    rollout = _rollout(release)
    if rollout is not None:
        for finding in (_deadline(rollout, release.new, started_at), _replica_failure(rollout)):
            if finding is not None:
                yield finding


def check_counters(release: Release) -> Iterator[Finding]:
    """Counters, conditions and the new ReplicaSet of an observed generation."""
    rollout = _rollout(release)
    if rollout is None:
        return
    _shaped(release)
    yield from _counters(rollout)
    yield from _conditions(rollout)
    if release.new is None:
        yield pending(
            Reason.REPLICA_SET_ABSENT,
            f"{release.what}: no single ReplicaSet has its Pod template and its revision annotation",
        )
        return
    yield from _scaled(release, release.new, rollout.replicas)


def _scaled(release: Release, new: ReplicaSet, replicas: int) -> Iterator[Finding]:
    """Only the new ReplicaSet is asked for Pods, and it is there to stay."""
    if new.metadata.deletion_timestamp is not None:
        yield held(Reason.WORKLOAD_DELETING, f"{release.what}: ReplicaSet {new.metadata.name} is being deleted")
    for one in (new, *release.previous):
        name = f"{release.what}: ReplicaSet {one.metadata.name}"
        asked = need(one.spec.replicas, name, "spec.replicas")
        if one is new and asked != replicas:
            yield pending(Reason.ROLLOUT_IN_PROGRESS, f"{name}: spec.replicas is {asked}; expected {replicas}")
        elif one is not new and asked > 0:
            yield pending(Reason.OLD_PODS_SERVING, f"{name} is an older one, and spec.replicas is {asked}; expected 0")


def _shaped(release: Release) -> None:
    """What the API server always has; raises Missing for a Deployment without it."""
    spec, what = release.deployment.spec, release.what
    selector = need(spec.selector, what, "spec.selector")
    if selector.match_labels is None or len(selector.match_labels) == 0:
        need(selector.match_expressions, what, "spec.selector.matchLabels")
    labels = need(spec.template, what, "spec.template").labels
    for key, value in (selector.match_labels or {}).items():
        if labels.get(key) != value:
            message = f"{what}: spec.selector.matchLabels[{key}] is {value!r}, its template's label {labels.get(key)!r}"
            raise Missing(held(Reason.EVIDENCE_MISSING, message))
    need(need(spec.strategy, what, "spec.strategy").type, what, "spec.strategy.type")
