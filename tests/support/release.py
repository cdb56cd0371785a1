"""One release as the four layers saw it: with a readiness path that does not exist, and when it is right."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from gate.outcomes import LAYERS, Layer, Outcome
from gate.reasons import Reason
from gate.verdict import Changes, CommitSummary, Evidence, LayerResult, Transition

GOOD = "27263c2b595175eb50dde6b0532a9d18be364666"
BAD = "c7581a78778e71a8bc6599b6cc68639be988fe46"
NEWER = "dc6b6b757d2ea3784f129f865d9710d6f7ec828d"
REPORTED = "1527d52bf6d3b01e32e6cd3275d73bf3eac90108"
AT = datetime(2026, 12, 1, 5, 39, 18, tzinfo=UTC)


def commit(**changes: Any) -> CommitSummary:
    """The commit that changed the readiness path."""
    values: dict[str, Any] = {
        "id": BAD,
        "tree": "9f8960b1cf372b28bb5fbde7b4ae95b42af8e152",
        "parents": (GOOD,),
        "subject": "Release 2.1.0: readiness path that does not exist",
        "author": "Release Manager",
        "committed_at": AT - timedelta(seconds=30),
    }
    return CommitSummary(**(values | changes))


def changes(**others: Any) -> Changes:
    """What that commit changed since the good release."""
    values: dict[str, Any] = {
        "since": GOOD,
        "relation": "ahead",
        "commits": (commit(),),
        "files": ("workloads/orders/deployment.yaml",),
    }
    return Changes(**(values | others))


def observed(subject: str, field: str, value: str, expected: str | None = None) -> Evidence:
    """A piece of evidence from a live object."""
    return Evidence(label="observed", subject=subject, field=field, value=value, expected=expected)


APPLICATION = "Application argocd/orders"
DEPLOYMENT = "Deployment shop/orders"

INTENT = LayerResult(
    layer=Layer.INTENT,
    outcome=Outcome.PASSED,
    reason=Reason.PINNED_TO_INTENDED,
    message=f"{APPLICATION} is pinned to {BAD}",
    since=AT - timedelta(seconds=17),
    evidence=(
        Evidence(label="declared", subject=APPLICATION, field="spec.source.targetRevision", value=BAD, expected=BAD),
        Evidence(label="declared", subject=f"commit {BAD}", field="tree", value=commit().tree),
    ),
)
SYNC = LayerResult(
    layer=Layer.SYNC,
    outcome=Outcome.PASSED,
    reason=Reason.SYNCED_AT_INTENDED,
    message=f"{APPLICATION} is Synced at {BAD}",
    since=AT - timedelta(seconds=16),
    evidence=(
        observed(APPLICATION, "status.sync.status", "Synced", "Synced"),
        observed(APPLICATION, "status.sync.revision", BAD, BAD),
        observed(APPLICATION, "status.operationState.phase", "Succeeded", "Succeeded"),
    ),
)


def _deployment(replicas: str) -> tuple[Evidence, ...]:
    return (
        Evidence(label="declared", subject=DEPLOYMENT, field="spec.replicas", value="1"),
        observed(DEPLOYMENT, "status.observedGeneration", "2", "2"),
        observed(DEPLOYMENT, "status.replicas", replicas, "1"),
        observed(DEPLOYMENT, "status.readyReplicas", "1", "1"),
        observed(DEPLOYMENT, "status.conditions[Progressing]", "False ProgressDeadlineExceeded"),
        observed(
            DEPLOYMENT,
            "Pods",
            "Pod shop/orders-7667fd7fc7-45z2f (current), Pod shop/orders-dbbdd858f-xjtg7 (old)",
        ),
        observed(
            "Pod shop/orders-7667fd7fc7-45z2f",
            "status.containerStatuses[web].imageID",
            "sha256:fac12f2f11360d11a31cf6d49de5e157daf27ae035586a65c23807525e0acac7",
            None,
        ),
    )


READY = LayerResult(
    layer=Layer.READINESS,
    outcome=Outcome.PASSED,
    reason=Reason.REPLICAS_READY,
    message=f"{DEPLOYMENT}: 1 of 1 replicas ready",
    since=AT - timedelta(seconds=9),
    evidence=_deployment("1"),
)
NOT_READY = LayerResult(
    layer=Layer.READINESS,
    outcome=Outcome.FAILED,
    reason=Reason.PROGRESS_DEADLINE_EXCEEDED,
    message=(
        f'{DEPLOYMENT}: ReplicaSet "orders-7667fd7fc7" has timed out progressing.'
        "; also: Pod shop/orders-7667fd7fc7-45z2f: Readiness probe failed: HTTP probe failed with statuscode: 404"
        "; also: Service shop/orders: Pod shop/orders-dbbdd858f-xjtg7 of an older release still serves"
    ),
    final=True,
    bad=True,
    since=AT - timedelta(seconds=6),
    evidence=_deployment("2"),
)
ANSWERED = LayerResult(
    layer=Layer.REQUEST,
    outcome=Outcome.PASSED,
    reason=Reason.EXPECTED_ANSWER,
    message="version by service-proxy: every sample is of the intended release",
    since=AT - timedelta(seconds=5),
    evidence=(
        observed("request version by service-proxy", "status", "200", "200"),
        observed("request version by service-proxy", "samples that match", "3", "3"),
        observed("request version by service-proxy", "$.release", "2.1.0", "2.1.0"),
    ),
)


def behind(layer: Layer, reason: Reason) -> LayerResult:
    """A layer that waits for the one before it."""
    message = f"not judged before {LAYERS[LAYERS.index(layer) - 1]} has passed"
    return LayerResult(
        layer=layer,
        outcome=Outcome.PENDING,
        reason=reason,
        message=message,
        since=AT - timedelta(seconds=17),
    )


WAITING: Mapping[Layer, LayerResult] = {
    Layer.SYNC: behind(Layer.SYNC, Reason.AWAITING_INTENT),
    Layer.READINESS: behind(Layer.READINESS, Reason.AWAITING_SYNC),
    Layer.REQUEST: behind(Layer.REQUEST, Reason.AWAITING_READINESS),
}
TIMELINE = (
    Transition(at=AT - timedelta(seconds=18), layer=Layer.INTENT, outcome=Outcome.PENDING, reason=Reason.NOT_PINNED),
    Transition(
        at=AT - timedelta(seconds=17), layer=Layer.INTENT, outcome=Outcome.PASSED, reason=Reason.PINNED_TO_INTENDED
    ),
    Transition(
        at=AT - timedelta(seconds=17), layer=Layer.SYNC, outcome=Outcome.PENDING, reason=Reason.OPERATION_RUNNING
    ),
    Transition(
        at=AT - timedelta(seconds=16), layer=Layer.SYNC, outcome=Outcome.PASSED, reason=Reason.SYNCED_AT_INTENDED
    ),
    Transition(
        at=AT - timedelta(seconds=16), layer=Layer.READINESS, outcome=Outcome.PENDING, reason=Reason.PROBE_FAILING
    ),
    Transition(
        at=AT - timedelta(seconds=6),
        layer=Layer.READINESS,
        outcome=Outcome.FAILED,
        reason=Reason.PROGRESS_DEADLINE_EXCEEDED,
    ),
)
