"""ReplicaSets as the Deployment controller reads and counts them."""

from collections.abc import Iterable, Sequence
from typing import Any

from gate.lab.cluster.store import Object

HASH = "pod-template-hash"
REVISION = "deployment.kubernetes.io/revision"
HISTORY = "deployment.kubernetes.io/revision-history"
DESIRED = "deployment.kubernetes.io/desired-replicas"
MAXIMUM = "deployment.kubernetes.io/max-replicas"
_NOT_COPIED = (
    "kubectl.kubernetes.io/last-applied-configuration",
    "deprecated.deployment.rollback.to",
    REVISION,
    HISTORY,
    DESIRED,
    MAXIMUM,
)


def annotations(body: Object) -> dict[str, str]:
    """Its annotations, to be changed in place."""
    found: dict[str, str] = body["metadata"].setdefault("annotations", {})
    return found


def revision(body: Object) -> int:
    """The revision of the rollout that it was last used by; 0 where it does not say."""
    return int(annotations(body).get(REVISION, 0))


def is_of(replica_set: Object, deployment: Object) -> bool:
    """Whether its template is that of the Deployment, but for the hash label."""
    return _bare(replica_set["spec"]["template"]) == _bare(deployment["spec"]["template"])


def replicas(sets: Iterable[Object]) -> int:
    """How many Pods they are to have."""
    return sum(int(one["spec"]["replicas"]) for one in sets)


def counted(sets: Iterable[Object], counter: str) -> int:
    """The sum of a counter of their statuses; what is not written there counts as 0."""
    return sum(int(one.get("status", {}).get(counter, 0)) for one in sets)


def active(sets: Iterable[Object]) -> list[Object]:
    """Those that are to have Pods."""
    return [one for one in sets if one["spec"]["replicas"] > 0]


def oldest_first(sets: Iterable[Object]) -> list[Object]:
    """By age; the revision tells those apart that were made in the same second."""
    return sorted(sets, key=lambda one: (one["metadata"]["creationTimestamp"], revision(one)))


def active_or_latest(new: Object | None, old: Sequence[Object]) -> Object | None:
    """The only one that is to have Pods, or else the newest; None where several are to have some."""
    known = [*old, *([new] if new is not None else [])]
    found = active(known)
    if len(found) > 1 or not known:
        return None
    return found[0] if found else new or oldest_first(old)[-1]


def note_replicas(replica_set: Object, desired: int, maximum: int) -> bool:
    """Write down how many replicas its Deployment wants, and at most; whether that changed anything."""
    noted = {DESIRED: str(desired), MAXIMUM: str(maximum)}
    changed = any(annotations(replica_set).get(key) != value for key, value in noted.items())
    annotations(replica_set).update(noted)
    return changed


def note_revision(replica_set: Object, deployment: Object, number: int) -> bool:
    """Give it the annotations of its Deployment, and this revision where it is higher; whether anything changed."""
    before = dict(annotations(replica_set))
    after = annotations(replica_set)
    after.update({key: value for key, value in annotations(deployment).items() if key not in _NOT_COPIED})
    if revision(replica_set) < number:
        after[REVISION] = str(number)
        if REVISION in before:
            after[HISTORY] = ",".join([*filter(None, [before.get(HISTORY)]), before[REVISION]])
    return after != before


def _bare(template: Object) -> dict[str, Any]:
    metadata = {key: value for key, value in (template.get("metadata") or {}).items() if value is not None}
    labels = {key: value for key, value in (metadata.get("labels") or {}).items() if key != HASH}
    return {"metadata": {**metadata, "labels": labels}, "spec": template["spec"]}
