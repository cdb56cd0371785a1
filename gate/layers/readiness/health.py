"""Argo CD's own word on health: a hint that must agree, never enough. Pure."""

from gate.facts.application import Application
from gate.layers.finding import Finding, held, need, pending
from gate.layers.readiness.kinds import managed
from gate.reasons import Reason

_WAITED_FOR = ("Ingress", "PersistentVolumeClaim", "Service", "HorizontalPodAutoscaler")
"""Kinds without a rule of ours whose state Argo CD waits for: an address, a volume, a metric."""


def _others(app: Application) -> str:
    """What else the word may be about, by name."""
    names = [f"{one.kind} {one.namespace}/{one.name}" for one in managed(app) if one.kind in _WAITED_FOR]
    return f"; beside its workloads it also waits for {', '.join(names[:3])}" if names else ""


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
            return pending(Reason.HEALTH_PROGRESSING, f"{message}{_others(app)}")
        case "Missing":
            return pending(Reason.HEALTH_MISSING, message)
        case "Suspended":
            return held(Reason.HEALTH_SUSPENDED, f"{message}; a person has to resume it", final=True)
        case "Degraded":
            return pending(Reason.HEALTH_DEGRADED, message, bad=True, grace=f"{what}|Degraded")
        case _:
            return held(Reason.HEALTH_UNKNOWN, message)
