"""Did the operation that applies the intended commit run, whole, and end well? Pure.

Rules read from Argo CD's controller: ``Running`` with ``finishedAt`` set is a back-off between
retries; a partial operation (``operation.sync.resources``) writes no history and runs no hooks;
a commit that changes nothing for the Application starts no operation at all.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from gate.facts.application import Application, ManagedResource, OperationState, SyncedResource, SyncResult
from gate.facts.upstream import is_full_id, normal
from gate.layers.finding import Finding, Missing, failed, held, need, pending
from gate.layers.sources import Sources, revisions
from gate.reasons import Reason

_COMPLETED = ("Succeeded", "Failed", "Error")
_APPLIED = ("Synced", "Pruned")


@dataclass(frozen=True)
class Operation:
    """The running or last operation, as far as it could be understood.

    ``at`` are the revisions it works at (None: it does not say). ``intended``: it is at the
    revisions that are expected. ``complete``: it has ended.
    """

    state: OperationState
    at: tuple[str, ...] | None
    intended: bool
    complete: bool
    phase: str

    @property
    def shown(self) -> str:
        """Its revisions for messages."""
        return "an unknown revision" if self.at is None else " ".join(self.at)


def _at(state: OperationState, sources: Sources, what: str) -> tuple[str, ...] | None:
    """The operation's revisions: of its result, else of what it was asked to do."""
    result = state.sync_result
    asked = None if state.operation is None else state.operation.sync
    for part, where in ((result, "syncResult"), (asked, "operation.sync")):
        if part is not None:
            try:
                return revisions(part.revision, part.revisions, sources, what, f"status.operationState.{where}")
            except Missing:
                continue
    return None


def read_operation(app: Application, sources: Sources, expected: tuple[str, ...], what: str) -> Operation:
    """The operation of this Application; raises Missing when there is none to see."""
    status = need(app.status, what, "status")
    state = need(status.operation_state, what, "status.operationState")
    phase = need(state.phase, what, "status.operationState.phase")
    at = _at(state, sources, what)
    return Operation(state, at, intended=at == expected, complete=phase in _COMPLETED, phase=phase)


def _running(operation: Operation, what: str) -> Finding:
    state = operation.state
    said = f": {state.message}" if state.message else ""
    if not operation.intended:
        return pending(
            Reason.OTHER_OPERATION_RUNNING,
            f"{what}: an operation at {operation.shown} is {operation.phase}{said}; it blocks the intended commit",
        )
    if state.finished_at is not None or (state.retry_count or 0) > 0:
        return pending(
            Reason.OPERATION_RETRYING,
            f"{what}: the operation is waiting for retry {state.retry_count or 1}{said}",
            bad=True,
        )
    return pending(Reason.OPERATION_RUNNING, f"{what}: the operation is {operation.phase}{said}")


def _entry(entry: SyncedResource) -> str:
    return f"{entry.kind} {entry.namespace}/{entry.name}"


def _failure(operation: Operation, what: str) -> Finding:
    result = operation.state.sync_result
    entries = (None if result is None else result.resources) or ()
    for entry in entries:
        if entry.hook_type is not None and entry.hook_phase in ("Failed", "Error"):
            said = entry.message or "no message"
            return failed(Reason.HOOK_FAILED, f"{what}: {entry.hook_type} hook {_entry(entry)} failed: {said}")
    for entry in entries:
        if entry.status == "SyncFailed":
            said = entry.message or "no message"
            return failed(Reason.RESOURCE_SYNC_FAILED, f"{what}: {_entry(entry)} was refused: {said}")
    said = operation.state.message or "no message"
    return failed(Reason.OPERATION_FAILED, f"{what}: the operation ended {operation.phase}: {said}")


def check_operation(operation: Operation, what: str) -> Finding | None:
    """A finding while the operation runs, or once it failed at the intended commit."""
    if not operation.complete:
        return _running(operation, what)
    if operation.phase != "Succeeded" and operation.intended:
        return _failure(operation, what)
    return None


def _whole(operation: Operation, what: str) -> Finding | None:
    asked = None if operation.state.operation is None else operation.state.operation.sync
    if asked is None:
        return held(Reason.EVIDENCE_MISSING, f"{what}: status.operationState.operation.sync is not there")
    if asked.dry_run is True:
        return held(Reason.OPERATION_NOT_A_PROOF, f"{what}: the operation was a dry run")
    if asked.manifests is not None and len(asked.manifests) > 0:
        return held(Reason.OPERATION_NOT_A_PROOF, f"{what}: the operation applied local manifests, not Git's")
    return None


def is_partial(operation: Operation) -> bool:
    """Whether the operation was asked for some resources only."""
    asked = None if operation.state.operation is None else operation.state.operation.sync
    return asked is not None and asked.resources is not None and len(asked.resources) > 0


def _proven_by_history(app: Application, sources: Sources, expected: tuple[str, ...], what: str) -> Finding | None:
    """A partial operation proves nothing: the full one must be the last entry of the history."""
    status = need(app.status, what, "status")
    resources = status.resources or ()
    why = f"{what}: the last operation was for some resources only"
    if any(entry.hook is True for entry in resources):
        return held(Reason.PARTIAL_OPERATION, f"{why}, and the full one, whose hooks matter, is no longer to be seen")
    if status.history is None or len(status.history) == 0:
        return held(Reason.PARTIAL_OPERATION, f"{why}, and status.history holds no full one")
    last = status.history[-1]
    where = f"status.history[{len(status.history) - 1}]"
    if revisions(last.revision, last.revisions, sources, what, where) != expected:
        return held(Reason.PARTIAL_OPERATION, f"{why}, and the last full one in status.history was at another revision")
    need(last.deployed_at, what, f"{where}.deployedAt")
    return _same_source(app, sources, last.source, last.sources, what, where)


def _same_source(
    app: Application, sources: Sources, single: object, several: object, what: str, where: str
) -> Finding | None:
    theirs = several if sources.many else single
    ours = app.spec.sources if sources.many else app.spec.source
    if theirs is None or normal(theirs) != normal(ours):
        return held(
            Reason.OPERATION_NOT_A_PROOF,
            f"{what}: {where} was made from other sources (path, repository or parameters) than spec says",
        )
    return None


def _entries(result: SyncResult, what: str) -> Iterator[Finding]:
    for entry in need(result.resources, what, "status.operationState.syncResult.resources"):
        where = f"{what}: result of {_entry(entry)}"
        need(entry.kind, where, "kind")
        need(entry.name, where, "name")
        if entry.hook_type is not None:
            need(entry.hook_type, where, "hookType")
            if entry.hook_phase != "Succeeded":
                yield held(Reason.SYNC_RESULT_INCOMPLETE, f"{where}: hookPhase is {entry.hook_phase or 'not there'}")
        elif entry.status == "PruneSkipped":
            yield held(Reason.PRUNE_NEEDED, f"{where}: pruning was skipped, the object is still there")
        elif entry.status not in _APPLIED:
            yield held(Reason.SYNC_RESULT_INCOMPLETE, f"{where}: status is {entry.status or 'not there'}")


def _covered(app: Application, operation: Operation, result: SyncResult, what: str) -> Iterator[Finding]:
    """What is managed and what was applied must be the same, unless only what differed was applied."""
    status = need(app.status, what, "status")
    applied = {_place(one) for one in result.resources or () if one.hook_type is None and one.status == "Synced"}
    managed = {_place(one) for one in status.resources or () if one.status is not None}
    policy = app.spec.sync_policy
    asked = None if operation.state.operation is None else operation.state.operation.sync
    options = [one.sync_options or () for one in (policy, asked) if one is not None]
    selective = any("ApplyOutOfSyncOnly=true" in one for one in options)
    for _, kind, namespace, name in sorted(() if selective else managed - applied):
        message = f"{what}: {kind} {namespace}/{name} is managed, but the operation did not apply it"
        yield held(Reason.SYNC_RESULT_INCOMPLETE, message)
    for _, kind, namespace, name in sorted(applied - managed):
        message = f"{what}: {kind} {namespace}/{name} was applied, but status.resources does not hold it"
        yield held(Reason.SYNC_RESULT_INCOMPLETE, message)


def _place(one: SyncedResource | ManagedResource) -> tuple[str, str, str, str]:
    return one.group or "", one.kind or "", one.namespace or "", one.name or ""


def check_proof(
    app: Application, operation: Operation, sources: Sources, expected: tuple[str, ...], what: str
) -> Iterator[Finding]:
    """What is missing for the operation to prove that the expected revisions were applied.

    Nothing is missing for an operation at older revisions: then it is the no-op rule's turn.
    """
    need(operation.state.finished_at, what, "status.operationState.finishedAt")
    need(operation.state.started_at, what, "status.operationState.startedAt")
    if operation.at is None or not all(
        source.chart or is_full_id(at) for source, at in zip(sources.items, operation.at, strict=True)
    ):
        yield held(Reason.EVIDENCE_MISSING, f"{what}: the last operation does not say at which full revision it was")
        return
    if not operation.intended:
        return
    finding = _whole(operation, what)
    if finding is not None:
        yield finding
        return
    if is_partial(operation):
        history = _proven_by_history(app, sources, expected, what)
        if history is not None:
            yield history
        return
    result = need(operation.state.sync_result, what, "status.operationState.syncResult")
    where = "status.operationState.syncResult"
    if revisions(result.revision, result.revisions, sources, what, where) != expected:
        yield held(Reason.EVIDENCE_MISSING, f"{what}: {where} is not at the intended revision")
    other = _same_source(app, sources, result.source, result.sources, what, where)
    if other is not None:
        yield other
    yield from _entries(result, what)
    yield from _covered(app, operation, result, what)
