"""OutOfSync at the intended revision: a moment's state, or something only a person can mend? Pure."""

from collections.abc import Iterator
from datetime import datetime

from gate.facts.application import Application, ManagedResource
from gate.facts.bundle import Asked, Facts
from gate.facts.project import AppProject
from gate.layers.finding import Finding, held, need, pending
from gate.layers.operation import Operation
from gate.layers.sources import Sources
from gate.layers.windows import closed_until
from gate.observed import Present
from gate.outcomes import Outcome
from gate.reasons import Reason


def _different(app: Application) -> tuple[ManagedResource, ...]:
    resources = (app.status.resources if app.status is not None else None) or ()
    return tuple(entry for entry in resources if entry.status == "OutOfSync")


def _named(entries: tuple[ManagedResource, ...]) -> str:
    shown = [f"{entry.kind} {entry.namespace}/{entry.name}" for entry in entries[:3]]
    return ", ".join(shown) or "no resource by name"


def _unpruned(app: Application) -> bool:
    """Whether all that differs waits to be pruned, and nothing prunes it."""
    automated, different = app.spec.automated, _different(app)
    only_pruning = len(different) > 0 and all(entry.requires_pruning is True for entry in different)
    return only_pruning and (automated is None or automated.prune is not True)


def _rolled_back(app: Application, operation: Operation, expected: tuple[str, ...]) -> bool:
    """Whether the expected revisions were deployed, and then again what had been deployed before them.

    An operation at a newer commit is none: then the Application was pinned to it, and is now pinned back.
    """
    history = (app.status.history if app.status is not None else None) or ()
    deployed = [entry.revisions or (entry.revision,) for entry in history][:-1]
    if operation.intended or expected not in deployed:
        return False
    return operation.at in deployed[: deployed.index(expected)]


def _after_success(app: Application, what: str) -> Finding:
    automated = app.spec.automated
    unpruned = _unpruned(app)
    nobody = automated is None or automated.self_heal is not True or unpruned
    message = (
        f"{what}: status.sync.status is OutOfSync although the operation at the intended revision Succeeded "
        f"({_named(_different(app))}); expected Synced"
    )
    if not nobody:
        return pending(Reason.OUT_OF_SYNC, f"{message}; self-heal should mend it")
    reason = Reason.PRUNE_NEEDED if unpruned else Reason.NOT_MENDED
    why = "pruning is off" if unpruned else "automated sync or selfHeal is off, so nothing will mend it"
    return Finding(Outcome.PENDING, reason, f"{message}; {why}", twice=f"{what}|{reason}", twice_outcome=Outcome.HELD)


def _window(facts: Facts, asked: Asked, app: Application, what: str) -> Finding | None:
    name, namespace = app.spec.project, app.metadata.namespace
    if name is None or namespace is None:
        return None
    project = facts.cluster.one(AppProject, namespace, name)
    if not isinstance(project, Present):
        return None
    until: datetime | bool | None = closed_until(project.value, app, facts.now)
    if until is False:
        return None
    final = asked.deadline_at is not None and (
        until is True or (isinstance(until, datetime) and until > asked.deadline_at)
    )
    shown = f"until {until.isoformat()}" if isinstance(until, datetime) else "and no opening is known"
    return held(
        Reason.SYNC_WINDOW_CLOSED,
        f"{what}: a sync window of AppProject {namespace}/{name} is closed {shown}; automated sync does not start",
        final=final,
    )


def check_difference(
    facts: Facts,
    asked: Asked,
    app: Application,
    sources: Sources,
    operation: Operation | None,
    what: str,
) -> Finding:
    """The finding for OutOfSync at the intended revisions; ``operation`` of None: none is to be seen."""
    expected = sources.expected(asked.intended)
    automated = app.spec.automated
    if operation is not None and operation.intended:
        return _after_success(app, what)
    if operation is not None and _rolled_back(app, operation, expected):
        return held(
            Reason.ROLLED_BACK,
            f"{what}: OutOfSync: an operation at {operation.shown} came after {asked.intended} was deployed: "
            "a rollback inside Argo CD, while Git still says the intended commit",
            final=automated is None,
        )
    message = f"{what}: OutOfSync at {asked.intended} and no operation at it has run"
    if automated is None:
        return held(
            Reason.AUTOSYNC_OFF,
            f"{message}; spec.syncPolicy.automated is off, so a person has to start the sync",
            final=True,
        )
    if _unpruned(app):
        named = _named(_different(app))
        return held(Reason.PRUNE_NEEDED, f"{message}; only pruning is left ({named}) and prune is off", final=True)
    window = _window(facts, asked, app, what)
    return window if window is not None else pending(Reason.SYNC_NOT_STARTED, message)


def check_resources(app: Application, what: str) -> Iterator[Finding]:
    """Held when a Synced Application manages nothing, or a resource of it is not Synced."""
    status = need(app.status, what, "status")
    if status.resources is None or len(status.resources) == 0:
        yield held(Reason.NO_RESOURCES, f"{what}: status.resources is empty: it manages nothing, which proves nothing")
    for entry in status.resources or ():
        where = f"{what}: resource {entry.kind} {entry.namespace}/{entry.name}"
        if entry.hook is True or entry.requires_pruning is True:
            continue
        if entry.kind is None or entry.name is None or entry.status is None:
            yield held(Reason.EVIDENCE_MISSING, f"{where}: kind, name or status is not there")
        elif entry.status != "Synced":
            yield held(Reason.OUT_OF_SYNC, f"{where}: status is {entry.status}; expected Synced")
