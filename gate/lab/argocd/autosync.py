"""Automated sync: whether a comparison starts an operation, and which. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from gate.lab.argocd.comparison import Comparison
from gate.lab.cluster.store import Object

_COOLDOWN = 330.0
_FIRST_DELAY, _FACTOR, _LONGEST_DELAY = 2.0, 3.0, 300.0
COMPLETED = frozenset({"Succeeded", "Failed", "Error"})


@dataclass(frozen=True)
class Decision:
    """What comes of it: an operation, a SyncError, or a look again in so many seconds of the model."""

    operation: Object | None = None
    error: str = ""
    again: float = 0.0


_NOTHING = Decision()


def is_automated(app: Object) -> bool:
    """Whether the Application is synced without a person."""
    automated = (app["spec"].get("syncPolicy") or {}).get("automated")
    return automated is not None and automated.get("enabled") is not False


def go_on(app: Object, comparison: Comparison, now: datetime, speed: float = 1.0) -> Decision:
    """What automated sync does about a comparison; ``app`` is the Application as it was at its beginning.

    ``speed``: how many seconds of the model fit into one of the machine's clock.
    """
    if not is_automated(app) or "operation" in app or "deletionTimestamp" in app["metadata"]:
        return _NOTHING
    automated = app["spec"]["syncPolicy"]["automated"]
    if comparison.sync["status"] != "OutOfSync":
        return _NOTHING
    if not automated.get("prune") and all(
        one.get("status") == "Synced" or one.get("requiresPruning") for one in comparison.resources
    ):
        return _NOTHING
    operation = _operation(app, comparison.sync)
    revisions = comparison.sync.get("revisions") or [comparison.sync["revision"]]
    if _already_attempted(app, comparison.sync):
        decision = _attempted(app, comparison, operation, _Clock(now, speed))
        if decision is not None:
            return decision
    wiped = all(one.get("requiresPruning") for one in comparison.resources)
    if automated.get("prune") and not automated.get("allowEmpty") and wiped:
        what = "auto-sync will wipe out all resources"
        return Decision(error=f"Skipping sync attempt to {_listed(revisions)}: {what}")
    return Decision(operation)


@dataclass(frozen=True)
class _Clock:
    now: datetime
    speed: float

    def since(self, state: Object) -> float:
        """Seconds of the model since an operation ended."""
        ended = datetime.fromisoformat(state["finishedAt"])
        return (self.now - ended) / timedelta(seconds=1) * self.speed


def _operation(app: Object, sync: Object) -> Object:
    spec = app["spec"]
    policy = spec["syncPolicy"]
    wanted: Object = {}
    if "revisions" in sync:
        wanted.update(sources=spec["sources"], revisions=sync["revisions"])
    else:
        wanted.update(source=spec["source"], revision=sync["revision"])
    if policy["automated"].get("prune"):
        wanted["prune"] = True
    if policy.get("syncOptions"):
        wanted["syncOptions"] = policy["syncOptions"]
    return {"initiatedBy": {"automated": True}, "retry": retry_of(app, default=5), "sync": wanted}


def retry_of(app: Object, default: int = 0) -> Object:
    """The retry strategy of an operation, as it is stored: a limit of 0 is left out."""
    given = (app["spec"].get("syncPolicy") or {}).get("retry")
    retry = {"limit": default} if given is None else given
    return {name: value for name, value in retry.items() if value not in (0, None)}


def _already_attempted(app: Object, sync: Object) -> bool:
    state = app.get("status", {}).get("operationState")
    if state is None:
        return False
    result = state.get("syncResult")
    if result is None:
        return state["phase"] in COMPLETED
    if "revisions" in sync:
        return (result.get("revisions"), result.get("sources")) == (sync["revisions"], app["spec"]["sources"])
    return (result.get("revision"), result.get("source")) == (sync["revision"], app["spec"]["source"])


def _attempted(app: Object, comparison: Comparison, operation: Object, clock: _Clock) -> Decision | None:
    """What to do after an attempt at the same revisions; None: heal, by the operation that is changed here."""
    state = app["status"]["operationState"]
    if state["phase"] != "Succeeded":
        tried = state.get("syncResult", {}).get("revisions") or [state.get("syncResult", {}).get("revision", "")]
        return Decision(error=f"Failed last sync attempt to {_listed(tried)}: {state.get('message', '')}")
    if not app["spec"]["syncPolicy"]["automated"].get("selfHeal"):
        return _NOTHING
    attempts = 0
    if clock.since(state) < _COOLDOWN:
        attempts = state["operation"].get("sync", {}).get("autoHealAttemptsCount", 0)
    delay = min(_FIRST_DELAY * _FACTOR ** (attempts - 1), _LONGEST_DELAY) if attempts else 0.0
    left = delay - clock.since(state)
    if left > 0:
        return Decision(again=left)
    operation["sync"]["autoHealAttemptsCount"] = attempts + 1
    operation["sync"]["resources"] = [
        {name: one[name] for name in ("group", "kind", "name") if name in one}
        for one in comparison.resources
        if one.get("status") != "Synced"
    ]
    return None


def _listed(revisions: list[str]) -> str:
    return f"[{' '.join(revisions)}]"
