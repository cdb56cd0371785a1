"""A planned Application as Argo CD would show it once the intended commit is synced. Pure."""

from datetime import datetime, timedelta
from typing import Any

from gate.facts.bundle import API_VERSION
from gate.rehearsal.names import FINISHED, INTENDED, PREVIOUS, READY, START, STARTED, rfc3339, uid
from gate.rehearsal.plan import PlannedApplication

Json = dict[str, Any]

_REPOSITORY = "https://git.example/environments.git"
_CHART = "1.2.3"


def _sources(planned: PlannedApplication, commit: str) -> list[Json]:
    """Its sources; what no target chooses is a chart, so that the intended commit is that of the chosen ones alone."""
    git = {"repoURL": _REPOSITORY, "path": f"apps/{planned.name}", "targetRevision": commit}
    if not planned.chosen:
        return [git]
    numbers = {one for one in planned.chosen if isinstance(one, int)}
    names = dict.fromkeys(one for one in planned.chosen if isinstance(one, str))
    chart = {"repoURL": "https://charts.example", "chart": planned.name, "targetRevision": _CHART}
    listed = [git if index in numbers else chart for index in range(max(numbers, default=-1) + 1)]
    listed += [{**git, "name": name} for name in names]
    return listed if len(listed) > 1 else [*listed, chart]


def _spoken(planned: PlannedApplication, commit: str) -> tuple[Json, Json]:
    """(sources, revisions) as spec and status spell them for one or for several sources."""
    sources = _sources(planned, commit)
    if not planned.chosen:
        return {"source": sources[0]}, {"revision": commit}
    return {"sources": sources}, {"revisions": [one["targetRevision"] for one in sources]}


def _managed(planned: PlannedApplication) -> list[Json]:
    found = []
    for workload in planned.workloads:
        one = {"version": "v1", "namespace": workload.namespace, "status": "Synced"}
        found.append({"group": "apps", "kind": "Deployment", "name": workload.name, **one})
        found += [{"kind": "Service", "name": name, **one} for name in workload.services]
    return found


def _operation(planned: PlannedApplication, managed: list[Json]) -> Json:
    sources, revisions = _spoken(planned, INTENDED)
    return {
        "phase": "Succeeded",
        "message": "successfully synced (all tasks run)",
        "startedAt": rfc3339(START + STARTED),
        "finishedAt": rfc3339(START + FINISHED),
        "operation": {"initiatedBy": {"automated": True}, "sync": {**revisions, **sources}},
        "syncResult": {**revisions, **sources, "resources": [{"syncPhase": "Sync", **one} for one in managed]},
    }


def _history(planned: PlannedApplication, commit: str, number: int, at: datetime) -> Json:
    sources, revisions = _spoken(planned, commit)
    return {"id": number, **revisions, **sources, "deployedAt": rfc3339(at)}


def make_application(planned: PlannedApplication) -> Json:
    """The Application, Synced and Healthy at the intended commit."""
    sources, revisions = _spoken(planned, INTENDED)
    managed = _managed(planned)
    destination = {"server": "https://kubernetes.default.svc", "namespace": planned.workloads[0].namespace}
    own = {"name": planned.name, "namespace": planned.namespace}
    compared = {**sources, "destination": destination}
    return {
        "apiVersion": API_VERSION,
        "kind": "Application",
        "metadata": {**own, "uid": uid("Application", *own.values()), "labels": planned.labels},
        "spec": {
            "project": "default",
            "destination": destination,
            **sources,
            "syncPolicy": {"automated": {"prune": True, "selfHeal": True}},
        },
        "status": {
            "sync": {"status": "Synced", **revisions, "comparedTo": compared},
            "health": {"status": "Healthy"},
            "operationState": _operation(planned, managed),
            "reconciledAt": rfc3339(START + READY),
            "resources": managed,
            "history": [
                _history(planned, PREVIOUS, 0, START - timedelta(days=1)),
                _history(planned, INTENDED, 1, START + FINISHED),
            ],
        },
    }
