"""Scenarios about the systems that are asked: gone, refusing, leaving something out."""

from gate.errors import ExitCode
from gate.lab.scenarios.act import Act, Expected, Scenario
from gate.lab.stage import Stage

_AFTER_OUTAGE = Expected("passed", "AllLayersAgree", meanwhile=("EvidenceUnreadable",))


def _away(stage: Stage) -> str:
    sha = stage.pin(stage.release("1.1.0"))
    stage.api_server_away(20)
    return sha


def _forbidden(stage: Stage) -> str:
    sha = stage.pin(stage.release("1.1.0"))
    stage.forbid("Pod")
    return sha


def _left_out(stage: Stage) -> str:
    sha = stage.pin(stage.release("1.1.0"))
    stage.leave_out("Deployment", "status", "observedGeneration")
    return sha


def _github_refuses(stage: Stage) -> str:
    sha = stage.pin(stage.release("1.1.0"))
    stage.github_refuses()
    return sha


API_SERVER_AWAY = Scenario(
    "api-server-away",
    "the API server goes away for 20 s, comes back, and the release passes",
    (Act("away", "The API server is away for 20 s", _away, _AFTER_OUTAGE, timeout=60),),
)
FORBIDDEN = Scenario(
    "forbidden",
    "the account may not read Pods",
    (
        Act(
            "forbidden",
            "Reading Pods is forbidden",
            _forbidden,
            Expected("held", "AccessDenied", "readiness", ("403", "pods is forbidden")),
        ),
    ),
)
MISSING_FIELD = Scenario(
    "missing-field",
    "a field that the judgement needs is not there: missing is not zero, and no success",
    (
        Act(
            "left-out",
            "The Deployment has no status.observedGeneration",
            _left_out,
            Expected("held", "EvidenceMissing", "readiness", ("observedGeneration",), timed_out=True),
            timeout=10,
        ),
    ),
)
GITHUB_REFUSES = Scenario(
    "github-refusing",
    "the release passes, and GitHub refuses the status: nothing is promoted",
    (
        Act(
            "refused",
            "GitHub refuses what is published",
            _github_refuses,
            Expected("passed", "AllLayersAgree", code=ExitCode.COULD_NOT_PUBLISH),
        ),
    ),
)
