"""What passing evidence is about, so that it can be altered: Applications, workloads, Services, requests. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from gate.config.model import Request
from gate.decide import Decision
from gate.facts.bundle import Asked
from gate.facts.endpoints import Service
from gate.facts.release import Release, selects
from gate.layers.finding import Missing, seen
from gate.layers.operation import is_partial, read_operation
from gate.layers.readiness.kinds import managed
from gate.layers.request.identity import template_values
from gate.layers.request.judge import identity_values
from gate.layers.sources import read_sources
from gate.observed import Present
from gate.rehearsal.answers import Values
from gate.rehearsal.conventions import kept, same, selected
from gate.rehearsal.names import other_values

Place = tuple[str, str]
"""Namespace and name."""


@dataclass(frozen=True)
class ApplicationSubject:
    """One Application. ``gated`` are the indices of the sources at the intended commit, None for a single source.

    ``whole``: its last operation is a whole one at the intended commit; ``partial`` one for some resources.
    """

    place: Place
    gated: tuple[int, ...] | None
    whole: bool
    partial: bool

    @property
    def what(self) -> str:
        """Its name in messages."""
        return f"Application {'/'.join(self.place)}"


@dataclass(frozen=True)
class WorkloadSubject:
    """One Deployment with its release, its place, and the Services that lead to it."""

    release: Release
    place: Place
    services: tuple[Service, ...]

    @property
    def what(self) -> str:
        """Its name in messages."""
        return self.release.what


@dataclass(frozen=True)
class ServiceSubject:
    """One judged Service. ``asked``: a request names it; ``only``: nothing else leads to what a url must reach."""

    service: Service
    place: Place
    releases: tuple[Release, ...]
    asked: bool
    only: bool

    @property
    def what(self) -> str:
        """Its name in messages."""
        return f"Service {'/'.join(self.place)}"


@dataclass(frozen=True)
class RequestSubject:
    """One request, with what the intended release calls itself, the release before it, and one that nobody knows.

    ``selected``: the keys of labels that select Pods, which no release can change. ``changed``: those of labels and
    annotations that had another value in the template of an earlier release.
    """

    request: Request
    ours: Values
    before: Values
    stranger: Values
    selected: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()

    @property
    def what(self) -> str:
        """Its name in messages."""
        return f"request {self.request.name}"


@dataclass(frozen=True)
class Subjects:
    """All that can be altered, in the order of the configuration."""

    applications: tuple[ApplicationSubject, ...]
    workloads: tuple[WorkloadSubject, ...]
    services: tuple[ServiceSubject, ...]
    requests: tuple[RequestSubject, ...]


def _place(what: str) -> Place:
    namespace, _, name = what.partition(" ")[2].partition("/")
    return namespace, name


def _applications(decision: Decision, asked: Asked) -> Iterator[ApplicationSubject]:
    known: set[str] = set()
    for one in decision.facts.applications:
        if one.what in known:
            continue
        known.add(one.what)
        app = seen(one.first)
        sources = read_sources(app, one.source, asked.intended, one.what)
        operation = read_operation(app, sources, sources.expected(asked.intended), one.what)
        gated = tuple(source.index for source in sources.gated) if sources.many else None
        partial = is_partial(operation)
        yield ApplicationSubject(_place(one.what), gated, operation.intended and not partial, partial)


def _service_names(decision: Decision, asked: Asked) -> list[Place]:
    """The Services that are judged: those of requests first, then the managed ones."""
    places = [(one.service.namespace, one.service.name) for one in asked.settings.requests if one.service is not None]
    for one in decision.facts.applications:
        entries = managed(seen(one.first))
        services = (entry for entry in entries if (entry.group or "", entry.kind) == ("", "Service"))
        places += [(entry.namespace or "", entry.name or "") for entry in services]
    return list(dict.fromkeys(places))


def _services(decision: Decision, asked: Asked) -> list[ServiceSubject]:
    requests = asked.settings.requests
    reached = {f"Deployment {one.workload}" for one in requests if one.workload is not None}
    named = {(one.service.namespace, one.service.name) for one in requests if one.service is not None}
    leading: list[tuple[Place, Service, tuple[Release, ...]]] = []
    for place in _service_names(decision, asked):
        found = decision.facts.cluster.one(Service, *place)
        if isinstance(found, Present):
            behind = tuple(one for one in decision.releases if selects(found.value, one))
            leading += [(place, found.value, behind)] if behind else []
    count: dict[str, int] = {}
    for _, _, behind in leading:
        for release in behind:
            count[release.what] = count.get(release.what, 0) + 1
    return [
        ServiceSubject(
            service,
            place,
            behind,
            asked=place in named,
            only=any(one.what in reached and count[one.what] == 1 for one in behind),
        )
        for place, service, behind in leading
    ]


def _behind(request: Request, decision: Decision) -> list[Release]:
    """The releases that the request reaches."""
    if request.service is None:
        return [one for one in decision.releases if one.what == f"Deployment {request.workload}"]
    service = decision.facts.cluster.one(Service, request.service.namespace, request.service.name)
    return [one for one in decision.releases if isinstance(service, Present) and selects(service.value, one)]


def _earlier(ours: Values, behind: list[Release]) -> Values:
    """What earlier releases, as far as they are known, called themselves otherwise."""
    made: dict[str, str | None] = {}
    for older in (one for release in behind for one in release.previous):
        known = template_values(older.spec.template, None, None)
        made |= {key: value for key, value in known.items() if value is not None and value != ours.get(key)}
    return made


def _requests(decision: Decision, asked: Asked) -> Iterator[RequestSubject]:
    for request in asked.settings.requests:
        try:
            ours = identity_values(request, decision.facts, asked, decision.releases)
        except Missing:  # judged by status alone, with the opt-in
            ours = {}
        behind = _behind(request, decision)
        fixed = selected(one.deployment for one in behind)
        unchanged = same(ours, fixed)
        earlier = _earlier(ours, behind)
        before = {**other_values(ours), **earlier}  # made up where it is not known, or is the same
        stranger = kept(other_values(before), ours, unchanged)
        yield RequestSubject(request, ours, kept(before, ours, unchanged), stranger, fixed, frozenset(earlier))


def find_subjects(decision: Decision, asked: Asked) -> Subjects:
    """The subjects of a moment that passes; raises Missing for one that does not."""
    services = _services(decision, asked)
    workloads = tuple(
        WorkloadSubject(
            release,
            _place(release.what),
            tuple(one.service for one in services if release in one.releases),
        )
        for release in {one.what: one for one in decision.releases}.values()
    )
    return Subjects(
        tuple(_applications(decision, asked)), workloads, tuple(services), tuple(_requests(decision, asked))
    )
