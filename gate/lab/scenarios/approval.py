"""Scenarios about `gate approve`: stored evidence counts, and so does what is there now."""

from gate.lab.applications import ARGOCD_NAMESPACE
from gate.lab.repository import BRANCH
from gate.lab.scenarios.act import PASSED, Act, Expected, Scenario, begin_released
from gate.lab.stage import ENVIRONMENT, PRODUCTION, Stage

RELEASED = "released"
"""The note under which the commit stands whose promotion is to be approved."""
PROMOTING = {"branch": BRANCH, "promotes-to": PRODUCTION}
_REPLICAS = {"group": "apps", "kind": "Deployment", "jsonPointers": ["/spec/replicas"]}


def begin_left_alone(stage: Stage) -> str:
    """A first release; Argo CD leaves the number of replicas to an autoscaler, as is usual where there is one.

    A promotion needs the gate's status.
    """
    stage.github.require_status(PRODUCTION, f"gate/{ENVIRONMENT}")
    sha = begin_released(stage)
    stage.patch("Application", ARGOCD_NAMESPACE, stage.name, {"spec": {"ignoreDifferences": [_REPLICAS]}})
    return sha


def _scaled(stage: Stage, replicas: int) -> str:
    stage.scale(replicas)
    return stage.notes[RELEASED]


APPROVED = Act(
    "approved",
    "Approval is asked for: the evidence holds, and the service is as it was",
    lambda stage: stage.notes[RELEASED],
    PASSED,
    approval=True,
)
NOT_APPROVED = Act(
    "not-approved",
    "Scaled to zero behind its back: same commit, same evidence, Argo CD says Synced and Healthy",
    lambda stage: _scaled(stage, 0),
    Expected("held", "ScaledToZero", "readiness", ("spec.replicas is 0",)),
    approval=True,
)
APPROVAL = Scenario(
    "approval",
    "an approval rests on the evidence of a check and on a second look: given, refused, given again",
    (
        Act("checked", "A good release", lambda stage: stage.pin(stage.release("1.1.0", note=RELEASED)), PASSED),
        APPROVED,
        NOT_APPROVED,
        Act("approved-again", "Scaled up again", lambda stage: _scaled(stage, 1), PASSED, approval=True),
    ),
    begin=begin_left_alone,
    settings=PROMOTING,
)
