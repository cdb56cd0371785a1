"""Layer 2: was the intended commit applied, by an operation that ended well, and compared since? Pure.

What it does not prove: that Pods are ready or that requests work.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from gate.facts.application import Application, SyncResult, SyncStatus
from gate.facts.bundle import ApplicationFacts, Asked, Facts
from gate.facts.upstream import normal
from gate.layers.applied import Applied
from gate.layers.conditions import check_conditions
from gate.layers.difference import check_difference, check_resources
from gate.layers.finding import Clock, Finding, Missing, ask, choose, held, need, pending, seen
from gate.layers.noop import check_no_op
from gate.layers.operation import Operation, check_operation, check_proof, read_operation
from gate.layers.sources import Sources, read_sources, revisions
from gate.outcomes import Outcome
from gate.reasons import Reason
from gate.verdict import Evidence

_AWAITED = (Reason.OPERATION_PENDING, Reason.REFRESH_PENDING)
_SKIPPED = "argocd.argoproj.io/skip-reconcile"
_REQUESTED = ("argocd.argoproj.io/refresh", "argocd.argoproj.io/hydrate", "argocd.argoproj.io/refresh-timestamp")


def _compared(app: Application, what: str) -> Finding | None:
    if app.metadata.annotation(_SKIPPED) == "true":
        message = f"{what}: annotation {_SKIPPED} is true: Argo CD compares nothing, and the status stays as it was"
        return pending(Reason.COMPARISON_STALE, message)
    status = need(app.status, what, "status")
    sync = need(status.sync, what, "status.sync")
    compared = need(sync.compared_to, what, "status.sync.comparedTo")
    many = app.spec.sources is not None and len(app.spec.sources) > 0
    pairs: list[tuple[str, object, object]] = [
        ("sources", app.spec.sources, compared.sources) if many else ("source", app.spec.source, compared.source),
        ("destination", app.spec.destination, compared.destination),
        ("ignoreDifferences", app.spec.ignore_differences, compared.ignore_differences),
    ]
    need(app.spec.destination, what, "spec.destination")
    for name, ours, theirs in pairs:
        if normal({name: ours}) != normal({name: theirs}):
            return pending(
                Reason.COMPARISON_STALE,
                f"{what}: status.sync.comparedTo.{name} is not spec.{name}: the status is about an older spec",
            )
    return None


def _at_work(app: Application) -> bool:
    """Whether the operation that was requested has begun: ``.operation`` stays until it has ended."""
    state = app.status.operation_state if app.status is not None else None
    return state is not None and state.phase in ("Running", "Terminating")


def _requested(app: Application, what: str) -> Finding | None:
    if app.operation is not None and not _at_work(app):
        return pending(Reason.OPERATION_PENDING, f"{what}: an operation is requested and has not begun")
    for key in _REQUESTED:
        if app.metadata.annotation(key) is not None:
            return pending(Reason.REFRESH_PENDING, f"{what}: annotation {key} is set: a refresh has not ended")
    return None


def _fresh(app: Application, operation: Operation | None, what: str, *, strictly: bool = False) -> Iterator[Finding]:
    """Times are whole seconds: equal is fresh here, because a pass needs a second agreeing bundle.

    Not ``strictly``: where the operation applied another commit, the same second may hide that.
    """
    if operation is None:
        return
    status = need(app.status, what, "status")
    reconciled = need(status.reconciled_at, what, "status.reconciledAt")
    finished = need(operation.state.finished_at, what, "status.operationState.finishedAt")
    if reconciled < finished or (strictly and reconciled == finished):
        yield pending(
            Reason.COMPARISON_STALE,
            f"{what}: status.reconciledAt {reconciled.isoformat()} is not after the end of the operation "
            f"{finished.isoformat()}: the comparison is older than what was applied",
        )


def _judge(facts: Facts, asked: Asked, app: Application, sources: Sources, what: str) -> Iterator[Finding]:
    expected = sources.expected(asked.intended)
    status = need(app.status, what, "status")
    sync = need(status.sync, what, "status.sync")
    word = need(sync.status, what, "status.sync.status")
    if word == "Unknown":
        yield held(Reason.COMPARISON_UNKNOWN, f"{what}: status.sync.status is Unknown; expected Synced")
        return
    at = revisions(sync.revision, sync.revisions, sources, what, "status.sync")
    if at != expected:
        yield pending(
            Reason.WRONG_SYNC_REVISION,
            f"{what}: {word} at {' '.join(at)}; expected {' '.join(expected)}: this is about another commit",
        )
        return
    if word == "Synced":
        yield from check_resources(app, what)
    operation: Operation | None = None
    if status.operation_state is not None or word == "Synced":
        operation = read_operation(app, sources, expected, what)
        finding = check_operation(operation, what)
        if finding is not None:
            yield finding
            return
    if word == "OutOfSync":
        yield from _fresh(app, operation, what)
        yield check_difference(facts, asked, app, sources, operation, what)
    elif word != "Synced" or operation is None:
        yield held(Reason.COMPARISON_UNKNOWN, f"{what}: status.sync.status is {word!r}; expected Synced")
    else:
        yield from check_proof(app, operation, sources, expected, what)
        no_op = None if operation.intended else check_no_op(facts, asked, app, operation, sources, what)
        if no_op is not None:
            yield no_op
        another = not operation.intended and operation.phase == "Succeeded"
        yield from _fresh(app, operation, what, strictly=another)


def _not_yet(finding: Finding) -> Finding:
    """What a stale status says is neither final nor a failure of the intended commit."""
    outcome = Outcome.PENDING if finding.outcome is Outcome.FAILED else finding.outcome
    return replace(finding, outcome=outcome, final=False, bad=False, grace=None, twice=None)


def _shown(part: SyncStatus | SyncResult | None) -> str | None:
    """One revision, or all of them in order; None where there is none."""
    return None if part is None else part.revision or " ".join(part.revisions or ()) or None


def _evidence(app: Application, expected: tuple[str, ...], what: str) -> Iterator[Evidence]:
    status = app.status
    if status is None:
        return
    state, sync = status.operation_state, status.sync
    result = None if state is None else state.sync_result
    rows: list[tuple[str, object, str | None]] = [
        ("status.sync.status", None if sync is None else sync.status, "Synced"),
        ("status.sync.revision", _shown(sync), " ".join(expected)),
        ("status.reconciledAt", status.reconciled_at, None),
        ("status.operationState.phase", None if state is None else state.phase, "Succeeded"),
        ("status.operationState.finishedAt", None if state is None else state.finished_at, None),
        ("status.operationState.syncResult.revision", _shown(result), None),
    ]
    rows += [(f"status.conditions[{one.type}]", one.message, None) for one in status.conditions or ()]
    for field, value, expectation in rows:
        text = value.isoformat() if isinstance(value, datetime) else str(value)
        shown = "not there" if value is None or text == "" else text
        yield Evidence(label="observed", subject=what, field=field, value=shown, expected=expectation)


def judge_sync(facts: Facts, asked: Asked, one: ApplicationFacts, clock: Clock) -> Applied:
    """Judge one Application whose pin is the intended commit."""
    what = one.what
    try:
        app = seen(one.first, Reason.APPLICATION_ABSENT)
        sources = read_sources(app, one.source, asked.intended, what)
    except Missing as missing:
        return Applied(choose([missing.finding], missing.finding, clock))
    expected = sources.expected(asked.intended)
    found = ask(
        (
            lambda: _requested(app, what),
            lambda: _compared(app, what),
            lambda: check_conditions(app, asked.intended, what, sync_errors=False),
            lambda: _judge(facts, asked, app, sources, what),
        )
    )
    try:
        operation: Operation | None = read_operation(app, sources, expected, what)
    except Missing:
        operation = None
    errors = ask((lambda: check_conditions(app, asked.intended, what, sync_errors=True),))
    later = operation is not None and operation.intended and operation.phase not in ("Failed", "Error")
    found += [_not_yet(one) if later and one.final else one for one in errors]  # of an attempt before this operation
    stale = any(finding.reason is Reason.COMPARISON_STALE for finding in found)
    if stale or any(finding.reason in _AWAITED for finding in found):
        found = [_not_yet(finding) for finding in found]
    answer = choose(found, _passed(asked, operation, what), clock, _evidence(app, expected, what))
    return Applied(
        answer,
        running_at_intended=operation is not None and operation.intended and not operation.complete and not stale,
        no_op=answer.finding.reason is Reason.NO_OP_AT_INTENDED,
        started_at=None if operation is None else operation.state.started_at,
        finished_at=None if operation is None else operation.state.finished_at,
    )


def _passed(asked: Asked, operation: Operation | None, what: str) -> Finding:
    """What a pass of this layer says; a commit that changes nothing here is told apart."""
    if operation is None or operation.intended:
        message = f"{what} is Synced at {asked.intended}"
        return Finding(Outcome.PASSED, Reason.SYNCED_AT_INTENDED, message)
    message = (
        f"{what} is Synced at {asked.intended}, which changes nothing for it: the last operation, at "
        f"{operation.shown}, still stands"
    )
    return Finding(Outcome.PASSED, Reason.NO_OP_AT_INTENDED, message)
