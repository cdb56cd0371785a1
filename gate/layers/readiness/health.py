"""Argo CD's own word on health: a hint that must agree, never enough. Pure."""

from gate.facts.application import Application
from gate.layers.finding import Finding, held, need, pending
from gate.outcomes import Outcome
from gate.reasons import Reason


def check_health(app: Application, what: str) -> Finding | None:
    """A finding for any word but Healthy; Degraded becomes a failure only after its grace."""
    status = need(app.status, what, "status")
    health = need(status.health, what, "status.health")
    word = need(health.status, what, "status.health.status")
    said = f" ({health.message})" if health.message else ""
    message = f"{what}: status.health.status is {word}{said}; expected Healthy"
    match word:
        case "Healthy":
            return None
        case "Progressing":
            return pending(Reason.HEALTH_PROGRESSING, message)
        case "Missing":
            return pending(Reason.HEALTH_MISSING, message)
        case "Suspended":
            return held(Reason.HEALTH_SUSPENDED, f"{message}; a person has to resume it", final=True)
        case "Degraded":
            return Finding(Outcome.PENDING, Reason.HEALTH_DEGRADED, message, bad=True, grace=f"{what}|Degraded")
        case _:
            return held(Reason.HEALTH_UNKNOWN, message)
