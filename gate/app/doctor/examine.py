"""The whole look at one environment: configuration, GitHub, the cluster's rights, Applications, requests."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gate.app.doctor.applications import examine_applications
from gate.app.doctor.requests import examine_identity, examine_requests, missing_variables
from gate.app.options import CheckOptions
from gate.config.advice import advise
from gate.config.load import named_environment, read_configuration
from gate.config.model import Configuration, Environment
from gate.errors import AccessError, GateError
from gate.facts.bundle import Asked, Facts, read_facts
from gate.facts.moment import GitRecord, Moment
from gate.layers.finding import Missing, seen
from gate.layers.sources import read_sources
from gate.pin.manifest import read_pin
from gate.pin.promotion import pinned_in
from gate.render.findings import Checkup, Finding, ok, problem, warning

if TYPE_CHECKING:  # PyGithub and kubernetes are slow to import
    from gate.app.clusters import Clusters
    from gate.observe import Observer

_TIME = 120.0
"""Seconds after which nothing more is read from a cluster."""


@dataclass(frozen=True)
class Place:
    """Where on GitHub: ``owner/name``, and the branch that is promoted into; None: not given."""

    repository: str | None
    branch: str | None


async def examine(options: CheckOptions, place: Place, environ: Mapping[str, str]) -> Checkup:
    """Look at everything that a check needs. Writes nothing.

    Raises ConfigurationError and UsageError where there is no environment to look at.
    """
    configuration = read_configuration(Path(options.config))
    name, settings = named_environment(configuration, options.environment or None)
    findings = [*_configuration(options, configuration, name, settings)]
    findings += await _github(options, place, name, settings, environ)
    findings += await _cluster(options, name, settings, environ)
    findings += examine_identity(name, settings)
    return Checkup(environment=name, findings=tuple(findings))


def _configuration(
    options: CheckOptions, configuration: Configuration, name: str, settings: Environment
) -> Iterable[Finding]:
    yield ok("configuration", f"{options.config} is valid; looked at is {name}, the commit status is gate/{name}.")
    yield from (
        warning("configuration", said) for said in advise(configuration) if said.startswith(f"environment {name}:")
    )
    folder = Path(options.repo if options.repo is not None else Path(options.config).parent)
    yield from _pins(folder, settings)
    after = configuration.environments.get(settings.promotes_to or "")
    if after is None:
        return
    if not after.apart(settings):  # else they are on another branch
        yield from _pins(folder, after)
    if not pinned_in(after):
        said = f"{settings.promotes_to} has no pin.file: what a pull request promotes to it cannot be told."
        yield warning("configuration", said, "pin: {file: FILE}", to=f"add to Applications of {settings.promotes_to}")


def _pins(folder: Path, settings: Environment) -> Iterable[Finding]:
    """Whether each pin.file of an environment can be read below a folder."""
    for target in settings.applications:
        if target.pin is None or target.name is None:
            continue
        file = folder / target.pin.file
        try:
            pin = read_pin(file.read_text(encoding="utf-8"), target.name, target.source, target.pin.file)
            yield ok("configuration", f"{target.pin.file} pins {target.name} to {pin}.")
        except OSError:
            said = f"The manifest {target.pin.file} of {target.name} is not below {folder}."
            yield warning("configuration", said, "--repo DIRECTORY", to="give, or correct pin.file")
        except (GateError, UnicodeDecodeError) as error:
            yield problem("configuration", getattr(error, "happened", f"{target.pin.file} is not UTF-8 text."))


async def _github(
    options: CheckOptions, place: Place, name: str, settings: Environment, environ: Mapping[str, str]
) -> list[Finding]:
    if place.repository is None or not options.has_github:
        missing = "GITHUB_TOKEN is not set" if place.repository is not None else "no repository is named"
        lines = ("GITHUB_TOKEN=... gate doctor --repository OWNER/NAME",)
        return [warning("GitHub", f"Not looked at: {missing}.", *lines, to="run")]
    from gate.adapters.github.reading import GitHubRepository
    from gate.app.connecting import connect_github
    from gate.app.doctor.github import OnGitHub, examine_github

    client = connect_github(options, None, {**environ, "GITHUB_REPOSITORY": place.repository})
    try:
        repository = GitHubRepository(client, place.repository)
        acts_as = options.app_id if options.app_private_key is not None else None
        config = Path(options.config).name if Path(options.config).is_absolute() else options.config
        return await examine_github(OnGitHub(repository, name, settings, config, place.branch, acts_as))
    finally:
        client.close()


async def _cluster(
    options: CheckOptions, name: str, settings: Environment, environ: Mapping[str, str]
) -> list[Finding]:
    from gate.app.clusters import open_clusters

    async with AsyncExitStack() as stack:
        late = time.monotonic() + _TIME
        try:
            clusters = await stack.enter_async_context(open_clusters(settings, options.cluster, environ, late))
        except AccessError as error:
            return [problem("cluster", error.happened, error.change, to="to change")]
        findings = [warning(f"cluster {clusters.workloads.host}", f"{note}.") for note in clusters.notes]
        return [*findings, *await _release(clusters, name, settings, environ)]


async def _release(clusters: Clusters, name: str, settings: Environment, environ: Mapping[str, str]) -> list[Finding]:
    """Rights, Applications and requests, by one moment of the cluster."""
    from gate.app.doctor.rights import examine_rights
    from gate.app.requests import make_send, resolve_headers
    from gate.observe import Observer

    missing = {request.name: [*missing_variables(request, environ)] for request in settings.requests}
    skipped = frozenset(name for name, found in missing.items() if found)
    sent = tuple(request for request in settings.requests if request.name not in skipped)
    answering = settings.model_copy(update={"requests": sent})
    headers = resolve_headers(answering, environ)
    send = make_send(answering, clusters.workloads, headers, environ)
    observer = Observer(answering, clusters.argocd, clusters.workloads, send, headers)
    first = await observer.read_projects(await observer.read_applications())
    bundle = await observer.read_bundle(first)
    moment = bundle.model_copy(update={"objects": (*first.objects, *bundle.objects)})
    facts = read_facts(Asked("", name, settings), moment, GitRecord())
    findings = await examine_rights(clusters, settings, _namespaces(observer, settings, moment))
    findings += [
        problem(f"cluster {clusters.workloads.host}", f"{read.what} cannot be read: {read.error}.")
        for read in moment.unreadable
        if not read.what.startswith("App")  # that is told of each Application
    ]
    findings += examine_applications(facts, settings.policy.unjudged_kinds)
    findings += [one for found in missing.values() for one in found]
    return [*findings, *examine_requests(Asked(_live_pin(facts), name, settings), facts, skipped)]


def _namespaces(observer: Observer, settings: Environment, moment: Moment) -> set[str]:
    """Where workloads are, and where they are to go."""
    found = observer.namespaces(moment.applications)
    for raw in moment.applications:
        spec = raw.get("spec")
        destination = spec.get("destination") if isinstance(spec, dict) else None
        namespace = destination.get("namespace") if isinstance(destination, dict) else None
        if isinstance(namespace, str) and namespace:
            found.add(namespace)
    found |= {one.service.namespace for one in settings.requests if one.service is not None}
    return found


def _live_pin(facts: Facts) -> str:
    """What the first Application that can be read is pinned to; empty where none can."""
    for one in facts.applications:
        try:
            return read_sources(seen(one.first), one.source, "", one.what).gated[0].pin
        except Missing:
            continue
    return ""
