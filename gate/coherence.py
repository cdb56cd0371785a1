"""Do the layers speak of one moment, and do two bundles agree? Pure.

One bundle is: Application read, cluster reads, requests, Application read again. If anything
that identifies the release moved in between, the bundle is void. A pass needs two agreeing
bundles ``settle`` apart with nothing else in between.
"""

import hashlib
import json
from collections.abc import Iterator

from gate.facts.application import Application, OperationState
from gate.facts.bundle import ApplicationFacts, Facts
from gate.facts.release import Release
from gate.facts.upstream import normal
from gate.facts.workload import Deployment
from gate.layers.finding import Finding, Missing, held, pending, seen
from gate.observed import Present
from gate.reasons import Reason


def _operation(state: OperationState | None) -> object:
    """What identifies an operation: the whole state but its message and the progress of its resources."""
    if state is None:
        return None
    shown = state.model_dump(mode="json", exclude={"message": True, "sync_result": {"resources"}})
    return normal(shown)


def _identity(app: Application) -> dict[str, object]:
    """What must not move within a bundle, nor between two agreeing ones.

    Generation and resourceVersion are not among it: the Application has no status subresource,
    so that both move with every status write.
    """
    sync = None if app.status is None else app.status.sync
    return {
        "metadata.uid": app.metadata.uid,
        "spec": normal(app.spec.model_dump(mode="json")),
        "operation": normal(app.operation),
        "status.sync.revision": None if sync is None else [sync.revision, list(sync.revisions or ())],
        "status.operationState": _operation(None if app.status is None else app.status.operation_state),
    }


def _moved(one: ApplicationFacts) -> str | None:
    """The first field of an Application that moved between its two reads; None when all stood still."""
    if one.again is None:
        return "the second read"
    before, after = _identity(seen(one.first)), _identity(seen(one.again))
    return next((name for name, value in before.items() if after[name] != value), None)


def _counters(deployment: Deployment) -> object:
    """What the status says beside its conditions."""
    status = deployment.status
    return None if status is None else status.model_dump(exclude={"conditions"})


def _workloads_moved(facts: Facts, releases: tuple[Release, ...]) -> Iterator[Finding]:
    """What a second read says of the workloads; a recording may be without one."""
    if facts.cluster_again is None:
        return
    for release in releases:
        metadata = release.deployment.metadata
        try:
            again = seen(facts.cluster_again.one(Deployment, metadata.namespace or "", metadata.name or ""))
        except Missing as missing:
            yield missing.finding
            continue
        if (again.metadata.uid, again.metadata.generation) != (metadata.uid, metadata.generation):
            yield pending(Reason.BUNDLE_MOVED, f"{release.what}: its generation moved while the evidence was read")
        elif _counters(again) != _counters(release.deployment):
            yield pending(Reason.BUNDLE_MOVED, f"{release.what}: its counters moved while the evidence was read")


def check_bundle(facts: Facts, releases: tuple[Release, ...]) -> Finding | None:
    """Why this bundle is void: it was not closed, or something moved in it. None when it holds."""
    for one in facts.applications:
        if one.again is None:
            return held(Reason.BUNDLE_NOT_CLOSED, f"{one.what} was not read again after the requests")
        try:
            moved = _moved(one)
        except Missing as missing:
            return missing.finding
        if moved is not None:
            return pending(Reason.BUNDLE_MOVED, f"{one.what}: {moved} moved while the evidence was read")
    return next(_workloads_moved(facts, releases), None)


def fingerprint(facts: Facts, releases: tuple[Release, ...]) -> str:
    """A digest of what two agreeing bundles must share: Applications, and workloads with their generations.

    A Pod that was replaced within the same ReplicaSet is no disagreement.
    """
    apps = [_identity(one.first.value) for one in facts.applications if isinstance(one.first, Present)]
    workloads = [
        [
            release.what,
            release.deployment.metadata.uid,
            release.deployment.metadata.generation,
            None if release.new is None else release.new.metadata.uid,
        ]
        for release in releases
    ]
    text = json.dumps([apps, workloads], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
