"""Looking at a live Application: its workloads, their Services, and what these answer. Reads and GET requests only."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.adapters.failures import ReadFailed
from gate.adapters.kubernetes.kinds import ServiceTarget
from gate.app.doctor.requests import releases_of
from gate.app.init.identity import Told, find_identity, telling_values
from gate.config.model import Environment, Request
from gate.errors import AccessError, UsageError
from gate.facts.application import Application
from gate.facts.bundle import Asked, Facts, read_facts
from gate.facts.endpoints import Service, ServicePort
from gate.facts.moment import GitRecord, RawResponse
from gate.facts.release import Release, selects
from gate.facts.upstream import is_full_id
from gate.layers.finding import Missing
from gate.layers.readiness.kinds import check_kind, managed
from gate.layers.sources import read_sources
from gate.observe import Observer
from gate.observed import Absent, Present
from gate.reasons import Reason

if TYPE_CHECKING:
    from gate.app.clusters import Clusters

PATHS = ("/version", "/", "/api/version", "/version.json", "/info", "/actuator/info", "/status", "/health", "/healthz")
_MOST_REQUESTS = 40
_TIMEOUT = 3.0


@dataclass(frozen=True)
class Answered:
    """A path of a Service that answered with 2xx; ``told`` of None: nothing in the body tells the release."""

    namespace: str
    service: str
    port: str
    path: str
    status: int
    told: Told | None

    @property
    def address(self) -> str:
        """As a request in the configuration has it."""
        return f"{self.namespace}/{self.service}:{self.port}"


@dataclass(frozen=True)
class Workload:
    """A Deployment that the Application manages."""

    namespace: str
    name: str
    replicas: int | None


@dataclass(frozen=True)
class Looked:
    """What was seen. ``source`` is the one to choose of several; ``pin`` what is pinned now, as it stands there.

    ``unjudged`` are the kinds without a readiness rule; ``candidates`` what could tell releases apart, by template;
    ``services`` the addresses that were asked; ``missing`` what could not be found, in words.
    """

    application: str
    source: int | str | None
    pin: str
    workloads: tuple[Workload, ...]
    unjudged: tuple[str, ...]
    candidates: dict[str, str]
    services: tuple[str, ...]
    answered: Answered | None
    missing: tuple[str, ...]


async def look(clusters: Clusters, settings: Environment) -> Looked:
    """Everything about the one Application of the settings. Raises UsageError and AccessError."""
    name, namespace = str(settings.applications[0].name), settings.argocd.namespace
    observer = Observer(settings, clusters.argocd, clusters.workloads, _send_nothing)
    moment = await observer.read_bundle(await observer.read_applications())
    facts = read_facts(Asked("", "", settings), moment, GitRecord())
    found = facts.applications[0].first
    if isinstance(found, Absent):
        raise await _not_there(clusters, namespace, name)
    if not isinstance(found, Present):
        raise AccessError(
            f"Application {namespace}/{name} cannot be read: {found.error}.",
            change="give the credentials the rights of docs/rbac-read-only.yaml.",
        )
    missing = [f"{read.what} cannot be read: {read.error}" for read in moment.unreadable]
    return await _looked(clusters, facts, found.value, missing)


async def _looked(clusters: Clusters, facts: Facts, app: Application, missing: list[str]) -> Looked:
    name = str(app.metadata.name)
    source, pin, said = _source(app, name)
    missing += said
    releases = releases_of(facts)
    if not releases:
        missing.append(f"Application {name} manages no Deployment that can be read: nothing else is judged yet")
    candidates = {} if not releases else telling_values(releases[0], pin)
    answered, services, asked_for = await _ask(clusters, facts, releases, pin)
    if answered is None:
        where = ", ".join(services) if services else "none of its Services leads to one of its Deployments"
        missing.append(f"no path answered by the Service proxy: {where}")
    elif answered.told is None:
        missing.append(f"nothing in the answers tells the release (asked for {', '.join(asked_for)})")
    return Looked(
        application=name,
        source=source,
        pin=pin,
        workloads=tuple(
            Workload(
                str(one.deployment.metadata.namespace), str(one.deployment.metadata.name), one.deployment.spec.replicas
            )
            for one in releases
        ),
        unjudged=_unjudged(app),
        candidates=candidates,
        services=tuple(services),
        answered=answered,
        missing=tuple(missing),
    )


async def _send_nothing(_request: Request) -> RawResponse:
    raise AssertionError("no request is configured yet")


async def _not_there(clusters: Clusters, namespace: str, name: str) -> UsageError:
    try:
        listed = await clusters.argocd.list_objects("Application", namespace)
    except ReadFailed as failure:
        return AccessError(
            f"Application {namespace}/{name} is not there, and they cannot be listed: {failure.error}.",
            change="give --argocd-namespace, where Argo CD's Applications are elsewhere.",
        )
    names = sorted(str(one.get("metadata", {}).get("name")) for one in listed)
    near = difflib.get_close_matches(name, names, 1)
    there = f"there are {', '.join(names[:20])}" if names else "there is none at all"
    return UsageError(
        f"There is no Application {name} in {namespace}; {there}.",
        means="it is called otherwise, or stands in another namespace.",
        change=f"did you mean {near[0]}?" if near else "give --application and --argocd-namespace as they are.",
    )


def _source(app: Application, name: str) -> tuple[int | str | None, str, list[str]]:
    """The source to choose (None: no choice is needed), its pin, and what has to be said of it."""
    source: int | str | None = None
    try:
        sources = read_sources(app, None, "", name)
    except Missing as none:
        if none.finding.reason is not Reason.SOURCE_NOT_CHOSEN:
            return None, "", [none.finding.message]
        source, said = _guess(app), "several sources are pinned differently; one was chosen, which has to be checked"
        if source is None:
            return None, "", [none.finding.message]
        sources = read_sources(app, source, "", name)
        return source, sources.gated[0].pin, [said, *_moving(sources.gated[0].pin)]
    return source, sources.gated[0].pin, _moving(sources.gated[0].pin)


def _moving(pin: str) -> list[str]:
    if is_full_id(pin):
        return []
    return [f"targetRevision is {pin!r}, which can move: nothing passes before it is a full commit id (PinNotACommit)"]


def _guess(app: Application) -> int | str | None:
    """The source that is promoted, probably: of those from Git the one with a path that is pinned by an id."""
    git = [(index, one) for index, one in enumerate(app.spec.sources or ()) if not one.get("chart")]
    ranked = sorted(git, key=lambda one: (not is_full_id(str(one[1].get("targetRevision"))), not one[1].get("path")))
    if not ranked:
        return None
    index, best = ranked[0]
    named = best.get("name")
    return named if isinstance(named, str) and named else index


def _unjudged(app: Application) -> tuple[str, ...]:
    kinds = [
        f"{one.kind}.{one.group}" if one.group else str(one.kind)
        for one in managed(app)
        if (found := check_kind(one, (), "it")) is not None and found.reason is Reason.NO_READINESS_RULE
    ]
    return tuple(dict.fromkeys(kinds))


def _ways(facts: Facts, releases: tuple[Release, ...]) -> Iterator[tuple[Release, Service, str]]:
    """Each release with each port of each Service that leads to it, those for HTTP first."""
    for release in releases:
        found = facts.cluster.all_of(Service, str(release.deployment.metadata.namespace))
        for service in found.value if isinstance(found, Present) else ():
            if selects(service, release):
                ports = sorted(service.spec.ports or (), key=lambda one: "http" not in (one.name or ""))
                yield from ((release, service, _named(port)) for port in ports if port.protocol in (None, "TCP"))


def _named(port: ServicePort) -> str:
    return port.name or str(port.port)


async def _ask(
    clusters: Clusters, facts: Facts, releases: tuple[Release, ...], pin: str
) -> tuple[Answered | None, list[str], list[str]]:
    """The first answer that tells the release, else the first of all; the addresses asked, and the paths."""
    best: Answered | None = None
    addresses: dict[str, None] = {}
    paths: dict[str, None] = {}
    left = _MOST_REQUESTS
    for release, service, port in _ways(facts, releases):
        namespace, name = str(service.metadata.namespace), str(service.metadata.name)
        addresses[f"{namespace}/{name}:{port}"] = None
        values = telling_values(release, pin)
        for path in PATHS[: max(left, 0)]:
            left -= 1
            paths[path] = None
            target = ServiceTarget(namespace, name, port)
            reply = await clusters.workloads.send_by_proxy("version", target, path=path, timeout=_TIMEOUT)
            if reply.status is None or not 200 <= reply.status < 300:
                continue
            told = find_identity(reply.body or "", values)
            answered = Answered(namespace, name, port, path, reply.status, told)
            if told is not None:
                return answered, [*addresses], [*paths]
            best = answered if best is None else best
    return best, [*addresses], [*paths]
