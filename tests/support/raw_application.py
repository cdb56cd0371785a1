"""Raw Argo CD Applications as the API gives them, and the names, ids and times that every raw object shares."""

from datetime import UTC, datetime, timedelta
from typing import Any

Json = dict[str, Any]

OLDER, OLD, NEW, NEWER, APART = ("0" * 40, "1" * 40, "2" * 40, "3" * 40, "4" * 40)
COMMITS = {"older": OLDER, "old": OLD, "new": NEW, "newer": NEWER, "apart": APART}
TREES = {commit: letter * 40 for commit, letter in zip(COMMITS.values(), "abcde", strict=True)}
VERSIONS = {OLDER: "0.9.0", OLD: "1.0.0", NEW: "2.0.0", NEWER: "3.0.0", APART: "2.1.0"}
UIDS = {"application": "a", "deployment": "d", "service": "5", OLD: "e1", NEW: "e2"}

NAMESPACE = "shop"
REPOSITORY = "https://git.example/shop/environments.git"
CHARTS = "https://charts.example/shop"
SERVER = "https://kubernetes.default.svc"
START = datetime(2026, 5, 4, 10, 0, 0, tzinfo=UTC)
STARTED, FINISHED, READY = 5, 6, 8
FIRST_MOMENT = 20
TRACKED = "argocd.argoproj.io/tracking-id"


def at(seconds: float) -> str:
    """RFC 3339 text, that many seconds after the story's start; whole seconds as the APIs write them."""
    time = START + timedelta(seconds=seconds)
    return time.isoformat(timespec="microseconds" if time.microsecond else "seconds").replace("+00:00", "Z")


def uid(kind: str, number: int = 0) -> str:
    """A uid of the usual shape, always the same for the same object."""
    return f"{UIDS.get(kind, 'f'):0>8}-0000-4000-8000-{number:012d}"


def sources(commit: str, *, multi: bool = False) -> Json:
    """``source`` or ``sources`` of a spec pinned to this commit."""
    git = {"repoURL": REPOSITORY, "targetRevision": commit}
    if not multi:
        return {"source": {**git, "path": "apps/shop"}}
    chart = {"repoURL": CHARTS, "chart": "shop", "targetRevision": "1.2.3"}
    return {"sources": [{**git, "path": "apps/shop"}, chart, {**git, "ref": "values"}]}


def revisions(commit: str, *, multi: bool = False) -> Json:
    """``revision``, or for several sources ``revisions`` beside an empty ``revision``."""
    return {"revision": "", "revisions": [commit, "1.2.3", commit]} if multi else {"revision": commit}


def hook_result(phase: str = "Succeeded") -> Json:
    """A PostSync hook in an operation's result: it has no ``status``."""
    return {
        "group": "batch",
        "version": "v1",
        "kind": "Job",
        "namespace": NAMESPACE,
        "name": "smoke",
        "hookType": "PostSync",
        "hookPhase": phase,
        "syncPhase": "PostSync",
        "message": "Reached expected number of succeeded pods" if phase == "Succeeded" else "Job has failed",
    }


def _managed(kind: str, group: str) -> Json:
    one = {"kind": kind, "version": "v1", "namespace": NAMESPACE, "name": "web", "status": "Synced"}
    return {"group": group, **one} if group else one


def _applied(kind: str, group: str) -> Json:
    one = {**_managed(kind, group), "group": group, "hookPhase": "Running", "syncPhase": "Sync"}
    return {**one, "message": f"{kind.lower()}/web configured"}


def operation_state(commit: str = NEW, *, multi: bool = False, hook: bool = False, **changes: Any) -> Json:
    """The finished operation that applied this commit."""
    empty = {"source": {"repoURL": ""}} if multi else {}
    made: Json = {
        "phase": "Succeeded",
        "message": "successfully synced (all tasks run)",
        "startedAt": at(STARTED),
        "finishedAt": at(FINISHED),
        "operation": {
            "initiatedBy": {"automated": True},
            "retry": {"limit": 5},
            "sync": {"prune": True, **revisions(commit, multi=multi), **sources(commit, multi=multi)},
        },
        "syncResult": {
            **revisions(commit, multi=multi),
            **empty,
            **sources(commit, multi=multi),
            "resources": [_applied("Service", ""), _applied("Deployment", "apps"), *([hook_result()] if hook else [])],
        },
    }
    return made | changes


def history_entry(commit: str, number: int, *, multi: bool = False) -> Json:
    """One entry of ``status.history``."""
    seconds = FINISHED if commit == NEW else -600
    several = {} if not multi else {"source": {"repoURL": ""}}
    shown = {key: value for key, value in revisions(commit, multi=multi).items() if value != ""}
    made = {**shown, **several, **sources(commit, multi=multi), "deployStartedAt": at(seconds - 1)}
    return {"id": number, "initiatedBy": {"automated": True}, **made, "deployedAt": at(seconds)}


def application(
    *, pin: str = NEW, synced: str = NEW, multi: bool = False, hook: bool = False, previous: bool = True, **changes: Any
) -> Json:
    """The Application, Synced and Healthy at ``synced``; ``changes`` replace keys of ``status``."""
    destination = {"server": SERVER, "namespace": NAMESPACE}
    job = {"group": "batch", "kind": "Job", "version": "v1", "namespace": NAMESPACE, "name": "smoke", "hook": True}
    status: Json = {
        "controllerNamespace": "argocd",
        "health": {"status": "Healthy", "lastTransitionTime": at(READY)},
        "history": [
            history_entry(one, number, multi=multi)
            for number, one in enumerate([OLD, synced] if previous else [synced])
        ],
        "operationState": operation_state(synced, multi=multi, hook=hook),
        "reconciledAt": at(FINISHED),
        "resourceHealthSource": "appTree",
        "resources": [_managed("Service", ""), _managed("Deployment", "apps"), *([job] if hook else [])],
        "sourceHydrator": {},
        "summary": {"images": [f"registry.example/web:{VERSIONS[synced]}"]},
        "sync": {
            "status": "Synced",
            **revisions(synced, multi=multi),
            "comparedTo": {**sources(synced, multi=multi), "destination": destination},
        },
    }
    metadata = {"name": "shop", "namespace": "argocd", "uid": uid("application"), "generation": 9}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {**metadata, "resourceVersion": "475", "creationTimestamp": at(-3600)},
        "spec": {
            "project": "default",
            "destination": destination,
            **sources(pin, multi=multi),
            "syncPolicy": {"automated": {"prune": True, "selfHeal": True}},
        },
        "status": status | changes,
    }
