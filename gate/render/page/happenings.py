"""What happened when, as the recorded looks tell: operations, Pods, endpoints, probes, samples. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from gate.facts.application import Application, OperationState
from gate.facts.cluster import Cluster
from gate.facts.endpoints import EndpointSlice
from gate.facts.moment import Moment, RawResponse
from gate.facts.upstream import parse
from gate.facts.workload import Deployment, Event, Pod
from gate.observed import Present
from gate.outcomes import Outcome
from gate.render.words import short_ids
from gate.verdict import Verdict

MOST = 200
"""Lines of the timeline; the newest are kept."""


@dataclass(frozen=True)
class Happening:
    """One line of the timeline. ``bad`` and ``good`` are shown with a word, not by colour alone."""

    at: datetime
    kind: str
    what: str
    outcome: Outcome | None = None


@dataclass(frozen=True)
class Look:
    """One recorded look, its objects understood once: those that could be."""

    moment: Moment
    applications: tuple[Application, ...]
    objects: tuple[object, ...]

    @property
    def deployments(self) -> tuple[Deployment, ...]:
        """The Deployments among the objects."""
        return tuple(one for one in self.objects if isinstance(one, Deployment))


def look_of(moment: Moment) -> Look:
    """A moment, understood."""
    facts = [parse(Application, raw, "Application") for raw in moment.applications]
    entries = Cluster(moment.objects).entries
    return Look(
        moment=moment,
        applications=tuple(fact.value for fact in facts if isinstance(fact, Present)),
        objects=tuple(one.fact.value for one in entries if isinstance(one.fact, Present)),
    )


def endpoints(look: Look) -> dict[str, tuple[int, int]]:
    """For each Service with a slice: how many of its endpoints are ready, and how many there are."""
    found: dict[str, tuple[int, int]] = {}
    for one in look.objects:
        if isinstance(one, EndpointSlice) and one.service is not None:
            name = f"{one.metadata.namespace}/{one.service}"
            ready, every = found.get(name, (0, 0))
            listed = one.endpoints or ()
            now = sum(1 for end in listed if end.conditions is not None and end.conditions.ready is True)
            found[name] = (ready + now, every + len(listed))
    return found


def operations(looks: Iterable[Look]) -> Iterator[tuple[Application, OperationState]]:
    """Every operation that was seen, in the latest state it was seen in."""
    found: dict[tuple[str | None, datetime | None], tuple[Application, OperationState]] = {}
    for look in looks:
        for app in look.applications:
            state = app.status.operation_state if app.status is not None else None
            if state is not None:
                found[(app.metadata.uid, state.started_at)] = (app, state)
    yield from found.values()


def _revision(state: OperationState) -> str:
    result = state.sync_result
    asked = state.operation.sync if state.operation is not None else None
    for part in (result, asked):
        if part is not None:
            return part.revision or " ".join(part.revisions or ()) or "an unknown revision"
    return "an unknown revision"


def _of_operations(looks: tuple[Look, ...]) -> Iterator[Happening]:
    for app, state in operations(looks):
        where = f"Application {app.metadata.namespace}/{app.metadata.name}: operation at {_revision(state)}"
        if state.started_at is not None:
            yield Happening(state.started_at, "operation", f"{where} began")
        if state.finished_at is not None:
            outcome = Outcome.PASSED if state.phase == "Succeeded" else Outcome.FAILED
            yield Happening(state.finished_at, "operation", f"{where} ended: {state.phase}", outcome)


def _of_pod(pod: Pod, seen_at: datetime) -> Iterator[Happening]:
    name = f"Pod {pod.metadata.namespace}/{pod.metadata.name}"
    if pod.metadata.creation_timestamp is not None:
        yield Happening(pod.metadata.creation_timestamp, "Pod", f"{name} was created")
    if pod.metadata.deletion_timestamp is not None:
        yield Happening(seen_at, "Pod", f"{name} is being deleted")
    ready = pod.ready_condition
    if ready is not None and ready.status == "True" and ready.last_transition_time is not None:
        yield Happening(ready.last_transition_time, "Pod", f"{name} became ready", Outcome.PASSED)


def _of_objects(looks: tuple[Look, ...]) -> Iterator[Happening]:
    """Pods and failed probes; each is told once, by its first sight."""
    told: set[tuple[str, str]] = set()
    for look in looks:
        for one in look.objects:
            found: list[Happening] = []
            if isinstance(one, Pod):
                found = list(_of_pod(one, look.moment.now))
            elif isinstance(one, Event) and one.message:
                pod = f"Pod {one.involved_object.name}: {one.message}"
                found = [
                    Happening(one.last_timestamp or one.event_time or look.moment.now, "probe", pod, Outcome.FAILED)
                ]
            for happening in found:
                if (happening.kind, happening.what) not in told:
                    told.add((happening.kind, happening.what))
                    yield happening


def _of_endpoints(looks: tuple[Look, ...]) -> Iterator[Happening]:
    before: dict[str, tuple[int, int]] = {}
    for look in looks:
        now = endpoints(look)
        for name, (ready, every) in now.items():
            if before.get(name) != (ready, every):
                said = f"Service {name}: {ready} of {every} endpoints ready"
                yield Happening(look.moment.now, "endpoints", said, Outcome.PASSED if ready > 0 else Outcome.HELD)
        before = now or before


def milliseconds(responses: Iterable[RawResponse]) -> str:
    """The latencies of some samples: the least and the largest; empty text where they were not measured."""
    times = sorted(round(one.took * 1000) for one in responses if one.took is not None)
    if not times:
        return ""
    return f"{times[0]} ms" if times[0] == times[-1] else f"{times[0]} to {times[-1]} ms"


def said_by(response: RawResponse) -> str:
    """What one sample came to, in short."""
    if response.error is not None:
        return response.error
    values = (response.seen.json_values if response.seen is not None else None) or {}
    shown = [f"{path} is {one.text}" for path, one in values.items() if one.count == 1]
    return ", ".join([f"status {response.status}", *shown])


def _of_requests(looks: tuple[Look, ...]) -> Iterator[Happening]:
    for moment in (look.moment for look in looks):
        for name, route in dict.fromkeys((one.request, one.route) for one in moment.responses):
            samples = [one for one in moment.responses if (one.request, one.route) == (name, route)]
            said = "; ".join(dict.fromkeys(said_by(one) for one in samples))
            took = milliseconds(samples)
            what = f"request {name} by {route}: {len(samples)} samples: {said}{f' in {took}' if took else ''}"
            at = max((one.at for one in samples if one.at is not None), default=moment.now)
            yield Happening(at, "request", what)


def _of_layers(verdict: Verdict) -> Iterator[Happening]:
    for one in verdict.timeline:
        yield Happening(one.at, f"layer {one.layer.value}", f"{one.outcome.value}: {one.reason.value}", one.outcome)


def began(verdict: Verdict, looks: tuple[Look, ...]) -> datetime:
    """From when on the timeline tells: the first look, or the start of the last operation before it."""
    first = looks[0].moment.now if looks else verdict.at
    starts = [state.started_at for _, state in operations(looks) if state.started_at is not None]
    return min([first, *sorted(starts)[-1:]])


def happenings(verdict: Verdict, looks: tuple[Look, ...]) -> tuple[Happening, ...]:
    """Everything the looks tell of, in order of time; what is older than the operation is left out."""
    since = began(verdict, looks) - timedelta(seconds=1)
    found = [
        *_of_layers(verdict),
        *_of_operations(looks),
        *_of_objects(looks),
        *_of_endpoints(looks),
        *_of_requests(looks),
    ]
    kept = [Happening(one.at, one.kind, short_ids(one.what), one.outcome) for one in found if one.at >= since]
    return tuple(sorted(kept, key=lambda one: one.at)[-MOST:])
