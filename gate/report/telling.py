"""One evidence file as a report tells it: what its last look saw, in short. Pure."""

from collections.abc import Iterator
from datetime import datetime

from gate.evidence.moments import moment_of
from gate.evidence.record import EvidenceFile
from gate.facts.application import Application, OperationState
from gate.facts.moment import GitRecord, Moment
from gate.outcomes import Layer
from gate.render.page.happenings import Look, endpoints, look_of, milliseconds, operations, said_by
from gate.render.report.subject import LayerSaid, Role, Told

PROBE_FAILURE = "probe failure"


def _name(app: Application) -> str:
    return f"{app.metadata.namespace}/{app.metadata.name}"


def _revisions(look: Look) -> Iterator[str]:
    for app in look.applications:
        sync = None if app.status is None else app.status.sync
        if sync is not None:
            revision = sync.revision or " ".join(sync.revisions or ()) or "no revision"
            yield f"{_name(app)}: {sync.status or 'no status'} at {revision}"


def _health(look: Look) -> Iterator[str]:
    for app in look.applications:
        health = None if app.status is None else app.status.health
        yield f"{_name(app)}: {'not told' if health is None or health.status is None else health.status}"


def _answers(moment: Moment) -> Iterator[str]:
    for name, route in dict.fromkeys((one.request, one.route) for one in moment.responses):
        samples = [one for one in moment.responses if (one.request, one.route) == (name, route)]
        said = "; ".join(dict.fromkeys(said_by(one) for one in samples))
        took = milliseconds(samples)
        yield f"{name} by {route}: {len(samples)} samples: {said}{f' in {took}' if took else ''}"


def _is_at(state: OperationState, commit: str) -> bool:
    result = state.sync_result
    return result is not None and commit in (result.revision, *(result.revisions or ()))


def _began(looks: tuple[Look, ...], commit: str) -> datetime | None:
    starts = [state.started_at for _, state in operations(looks) if _is_at(state, commit)]
    return min((one for one in starts if one is not None), default=None)


def tell(role: Role, file: EvidenceFile, git: GitRecord) -> Told:
    """What the file says of its commit; ``git`` may know more of it than the file does."""
    verdict, objects = file.verdict, dict(enumerate(file.objects))
    looks = tuple(look_of(moment_of(poll, objects)) for poll in file.polls)
    last = looks[-1] if looks else look_of(Moment(now=verdict.at))
    raw = git.commits.get(verdict.intended)
    readiness = next((one for one in verdict.layers if one.layer is Layer.READINESS), None)
    rows = () if readiness is None else readiness.evidence
    return Told(
        role=role,
        commit=verdict.intended,
        subject=None if raw is None else raw.message.strip().partition("\n")[0],
        tree=None if raw is None else raw.tree,
        parents=None if raw is None else raw.parents,
        committed_at=None if raw is None else raw.committed_at,
        verdict=verdict.word,
        reason=verdict.reason,
        message=verdict.message,
        layers=tuple(LayerSaid(layer=one.layer, outcome=one.outcome, reason=one.reason) for one in verdict.layers),
        revisions=tuple(_revisions(last)),
        health=tuple(_health(last)),
        probes=tuple(one.value for one in rows if one.field == PROBE_FAILURE),
        endpoints=tuple(f"{name}: {ready} of {every} ready" for name, (ready, every) in endpoints(last).items()),
        answers=tuple(_answers(last.moment)),
        began_at=_began(looks, verdict.intended),
        first_look_at=looks[0].moment.now if looks else None,
        verdict_at=verdict.at,
        run=file.run.id,
        run_url=file.run.url,
        evidence_digest=file.digest,
        settings_digest=file.asked.settings_digest,
    )
