"""What has to stand in the cluster for a configuration to pass: read off the configuration alone. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from gate.config.model import ApplicationTarget, Environment, Request
from gate.config.templates import Template
from gate.facts.workload import TEMPLATE_HASH

MOST = 3
"""Replicas, and Applications of one selector, that are made up at most: more of the same shows nothing more."""

ENTRIES = 5
"""Entries of ``applications`` that are made up at most."""

_REPLICAS = 2


@dataclass
class PlannedWorkload:
    """A Deployment with its Services, and what its templates have to give values for.

    ``services`` maps the names of Services to the ports that requests ask them for.
    """

    namespace: str
    name: str
    replicas: int = _REPLICAS
    services: dict[str, list[str]] = field(default_factory=dict)
    labels: set[str] = field(default_factory=set)
    annotations: set[str] = field(default_factory=set)
    containers: set[str] = field(default_factory=set)

    def learn(self, templates: Iterable[Template]) -> None:
        """Note what these templates need."""
        for one in templates:
            if one.argument is None:
                continue
            if one.name == "annotation":
                self.annotations.add(one.argument)
            elif one.name == "label" and one.argument != TEMPLATE_HASH:
                self.labels.add(one.argument)
            elif one.name.startswith("image."):
                self.containers.add(one.argument)


@dataclass
class PlannedApplication:
    """An Application: ``chosen`` are the sources that targets choose in it (index or name), ``labels`` its own."""

    namespace: str
    name: str
    labels: dict[str, str] = field(default_factory=dict)
    chosen: list[int | str] = field(default_factory=list)
    workloads: list[PlannedWorkload] = field(default_factory=list)


def made_smaller(settings: Environment) -> tuple[Environment, tuple[str, ...]]:
    """The settings with no more of anything than is worth making up, and what was made smaller, in words."""
    said: list[str] = []
    targets, workloads = [], []
    count = len(settings.applications)
    said += [f"the first {ENTRIES} of {count} entries of applications were rehearsed"] if count > ENTRIES else []
    for target in settings.applications[:ENTRIES]:
        many = target.minimum is not None and target.minimum > MOST
        targets.append(target.model_copy(update={"minimum": MOST}) if many else target)
        said += [f"minimum {target.minimum} of a selector was rehearsed with {MOST}"] if many else []
    for wanted in settings.workloads:
        many = wanted.replicas is not None and wanted.replicas > MOST
        workloads.append(wanted.model_copy(update={"replicas": MOST}) if many else wanted)
        said += [f"{wanted.identified} was rehearsed with {MOST} of its {wanted.replicas} replicas"] if many else []
    return settings.model_copy(update={"applications": tuple(targets), "workloads": tuple(workloads)}), tuple(said)


def plan_applications(settings: Environment) -> list[PlannedApplication]:
    """Every Application that the configuration asks for, each with at least one workload."""
    found: list[PlannedApplication] = []
    for target in settings.applications:
        namespace = settings.argocd.namespace if target.namespace is None else target.namespace
        if target.name is not None:
            found.append(PlannedApplication(namespace, target.name))
    for number, target in enumerate(settings.applications):
        namespace = settings.argocd.namespace if target.namespace is None else target.namespace
        labels = {} if target.selector is None else dict(target.selector.match_labels)
        taken = {one.name for one in found if one.namespace == namespace}
        free = (name for name in (f"selected-{number}-{index}" for index in range(10_000)) if name not in taken)
        wanted = 0 if target.selector is None else target.minimum or 1
        found += [PlannedApplication(namespace, next(free), labels) for _ in range(wanted)]
    for target in settings.applications:
        for one in found:
            if target.source is not None and _means(target, one, settings.argocd.namespace):
                one.chosen.append(target.source)
    _share(found, _workloads(settings))
    return found


def _means(target: ApplicationTarget, one: PlannedApplication, default: str) -> bool:
    if one.namespace != (default if target.namespace is None else target.namespace):
        return False
    if target.selector is None:
        return target.name == one.name
    return target.selector.match_labels.items() <= one.labels.items()


def _workloads(settings: Environment) -> list[PlannedWorkload]:
    """The Deployments that requests reach and that are expected, each once."""
    found: dict[tuple[str, str], PlannedWorkload] = {}

    def one(namespace: str, name: str) -> PlannedWorkload:
        return found.setdefault((namespace, name), PlannedWorkload(namespace, name))

    for request in settings.requests:
        if request.workload is not None:
            one(request.workload.namespace, request.workload.name).learn(request.expect.templates)
    for request in settings.requests:
        if request.service is not None:
            planned = _behind(request, found) or one(request.service.namespace, request.service.name)
            planned.services.setdefault(request.service.name, []).append(request.service.port)
            planned.learn(request.expect.templates)
    home = next((namespace for namespace, _ in found), "default")
    for wanted in settings.workloads:
        matches = [made for made in found.values() if made.name == wanted.name]
        matches = [made for made in matches if wanted.namespace in (None, made.namespace)]
        for made in matches or [one(wanted.namespace or home, wanted.name)]:
            made.replicas = made.replicas if wanted.replicas is None else wanted.replicas
    return list(found.values())


def _behind(request: Request, found: dict[tuple[str, str], PlannedWorkload]) -> PlannedWorkload | None:
    """The workload whose Service this is already."""
    if request.service is None:
        return None
    place, name = request.service.namespace, request.service.name
    return next((one for one in found.values() if one.namespace == place and name in one.services), None)


def _share(applications: list[PlannedApplication], workloads: list[PlannedWorkload]) -> None:
    """Give each workload to the Application of its name or namespace, else to the first; one to each at least."""
    for workload in workloads:
        named = (one for one in applications if one.name in (workload.name, workload.namespace))
        next(named, applications[0]).workloads.append(workload)
    for one in applications:
        if not one.workloads:
            one.workloads.append(PlannedWorkload(_home(one), one.name))
        for workload in one.workloads:
            if not workload.services:
                workload.services[workload.name.replace(".", "-")] = []


def _home(one: PlannedApplication) -> str:
    """A namespace for what nobody asks for."""
    return one.name.replace(".", "-")[:63].strip("-")
