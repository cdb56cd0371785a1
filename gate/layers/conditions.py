"""An Application's conditions: which of them are errors, and whose. Pure."""

from collections.abc import Iterator
from dataclasses import replace

from gate.facts.application import Application, ApplicationCondition
from gate.facts.upstream import FULL_ID
from gate.layers.finding import Finding, failed, held, need, pending
from gate.reasons import Reason


def _about_another(text: str, intended: str) -> bool:
    """Whether a condition's text names commits, and the intended one is not among them."""
    named = FULL_ID.findall(text)
    return len(named) > 0 and intended not in named


def _condition(one: ApplicationCondition, intended: str, what: str) -> Finding | None:
    text = one.message or "no message"
    message = f"{what}: condition {one.type}: {text}"
    grace = f"{what}|{one.type}"
    match one.type:
        case "InvalidSpecError":
            # Seen for a moment on sound Applications while a controller starts and knows no project yet.
            return pending(Reason.INVALID_SPEC, message, bad=True, grace=grace)
        case "DeletionError":
            return held(Reason.DELETION_ERROR, message)
        case "ComparisonError":
            return replace(held(Reason.COMPARISON_ERROR, message), bad=True, grace=grace)
        case "SyncError" if _about_another(text, intended):
            return pending(Reason.SYNC_ERROR, f"{message} (about another commit than the intended one)")
        case "SyncError" if intended in text:
            return failed(Reason.SYNC_ERROR, message)
        case "SyncError":
            return pending(Reason.SYNC_ERROR, message, bad=True, grace=grace)
        case str(other) if other.endswith("Error"):  # Argo CD's own rule for what is an error
            return held(Reason.UNKNOWN_ERROR, message)
        case _:
            return None


def check_conditions(app: Application, intended: str, what: str, *, sync_errors: bool) -> Iterator[Finding]:
    """SyncErrors apart from the rest: what the operation itself says is more exact, and is there earlier."""
    status = need(app.status, what, "status")
    for one in status.conditions or ():
        need(one.type, what, "status.conditions[].type")
        if (one.type == "SyncError") is not sync_errors:
            continue
        finding = _condition(one, intended, what)
        if finding is not None:
            yield finding
