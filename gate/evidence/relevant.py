"""Which objects of a moment a decision looks at: the others, of whoever shares the namespaces, are not kept. Pure."""

from collections.abc import Iterable

from gate.config.model import Environment
from gate.facts.application import Application
from gate.facts.cluster import Entry
from gate.facts.endpoints import EndpointSlice, Service
from gate.facts.release import service_of
from gate.facts.workload import Deployment, Event, Pod, ReplicaSet
from gate.observed import Present

Place = tuple[str | None, str | None]


def _managed(applications: Iterable[Application], kind: str) -> set[Place]:
    return {
        (one.namespace, one.name)
        for app in applications
        for one in (app.status.resources if app.status is not None else None) or ()
        if one.kind == kind
    }


def _asked(settings: Environment) -> set[Place]:
    places = (service_of(request) for request in settings.requests)
    return {place[:2] for place in places if place is not None}


def _owned(entries: list[Entry], kind: str, owners: set[str | None]) -> set[str | None]:
    """The uids of this kind's objects whose managing owner is one of these."""
    found = set()
    for entry in entries:
        value = entry.fact.value if isinstance(entry.fact, Present) else None
        if entry.kind == kind and isinstance(value, ReplicaSet | Pod) and value.metadata.controller_uid in owners:
            found.add(value.metadata.uid)
    return found


def _targets(entries: list[Entry], services: set[Place]) -> set[str | None]:
    """The uids of the Pods that endpoints of these Services lead to."""
    slices = [entry.fact.value for entry in entries if isinstance(entry.fact, Present)]
    return {
        endpoint.target_ref.uid
        for one in slices
        if isinstance(one, EndpointSlice) and (one.metadata.namespace, one.service) in services
        for endpoint in one.endpoints or ()
        if endpoint.target_ref is not None
    }


def relevant(entries: Iterable[Entry], applications: Iterable[Application], settings: Environment) -> list[Entry]:
    """The entries that a decision about these Applications looks at, in order; all that could not be understood."""
    every, apps = list(entries), list(applications)
    deployments, services = _managed(apps, "Deployment"), _managed(apps, "Service") | _asked(settings)
    owners = {
        entry.fact.value.metadata.uid
        for entry in every
        if isinstance(entry.fact, Present) and isinstance(entry.fact.value, Deployment)
        if (entry.namespace, entry.name) in deployments
    }
    sets = _owned(every, "ReplicaSet", owners)
    pods = _owned(every, "Pod", sets) | _targets(every, services)

    def wanted(entry: Entry) -> bool:
        chosen = True  # an AppProject, and what could not be understood
        match entry.fact.value if isinstance(entry.fact, Present) else None:
            case Deployment():
                chosen = (entry.namespace, entry.name) in deployments
            case Service():
                chosen = (entry.namespace, entry.name) in services
            case EndpointSlice() as one:
                chosen = (entry.namespace, one.service) in services
            case ReplicaSet() as one:
                chosen = one.metadata.uid in sets
            case Pod() as one:
                chosen = one.metadata.uid in pods
            case Event() as one:
                chosen = one.reason == "Unhealthy" and one.involved_object.uid in pods
            case _:
                pass
        return chosen

    return [entry for entry in every if wanted(entry)]
