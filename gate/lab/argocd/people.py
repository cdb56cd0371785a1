"""What a person asks of Argo CD's API: sync, rollback, terminate."""

from gate.lab.argocd.applications import Applications
from gate.lab.argocd.autosync import is_automated, retry_of
from gate.lab.argocd.sources import Repositories
from gate.lab.argocd.states import sources_of
from gate.lab.argocd.windows import can_sync
from gate.lab.cluster.store import Object
from gate.lab.pace import now


class RefusedError(Exception):
    """Argo CD's API refuses; the text is its answer."""


async def sync(
    applications: Applications,
    repositories: Repositories,
    name: str,
    *,
    revision: str | None = None,
    prune: bool = False,
) -> None:
    """Start a sync, of one source at ``revision`` where that is given. Raises RefusedError and RepositoryError."""
    app = _found(applications, name)
    sources, several = sources_of(app["spec"])
    if several and revision is not None:
        raise RefusedError("when syncing multi-source applications, a single revision cannot be given")
    asked = [revision or str(source.get("targetRevision") or "HEAD") for source in sources]
    pairs = zip(sources, asked, strict=True)
    commits = [await repositories.resolve(source["repoURL"], wanted) for source, wanted in pairs]
    wanted: Object = {"syncStrategy": {"hook": {}}, **_options(app), **({"prune": True} if prune else {})}
    if several:
        wanted.update(sources=sources, revisions=commits)
    else:
        wanted.update(source=sources[0], revision=commits[0])
    if not can_sync(applications.project(app) or {}, app, now(), manual=True):
        raise RefusedError("cannot sync: blocked by sync window")
    _start(applications, name, {"initiatedBy": {}, "retry": retry_of(app), "sync": wanted})


def roll_back(applications: Applications, name: str, history_id: int) -> None:
    """Start an operation at an entry of the history. Raises RefusedError."""
    app = _found(applications, name)
    if is_automated(app):
        raise RefusedError("rollback cannot be initiated when auto-sync is enabled")
    history = app.get("status", {}).get("history") or ()
    entry = next((one for one in history if one["id"] == history_id), None)
    if entry is None:
        raise RefusedError(f"application {name} does not have deployment with id {history_id}")
    fields = ("revision", "revisions", "source", "sources")
    wanted = {field: entry[field] for field in fields if field in entry}
    wanted.update(syncStrategy={"apply": {}}, **_options(app))
    _start(applications, name, {"initiatedBy": {}, "retry": {}, "sync": wanted})


def terminate(applications: Applications, name: str) -> None:
    """Mark the operation in progress as Terminating. Raises RefusedError."""
    app = _found(applications, name)
    state = app.get("status", {}).get("operationState")
    if "operation" not in app or state is None:
        raise RefusedError("Unable to terminate operation. No operation is in progress")
    state["phase"] = "Terminating"
    applications.replace(app)


def _found(applications: Applications, name: str) -> Object:
    app = applications.find(name)
    if app is None:
        raise RefusedError("permission denied")
    if "deletionTimestamp" in app["metadata"]:
        raise RefusedError("application is deleting")
    return app


def _options(app: Object) -> Object:
    options = (app["spec"].get("syncPolicy") or {}).get("syncOptions")
    return {"syncOptions": options} if options else {}


def _start(applications: Applications, name: str, operation: Object) -> None:
    if not applications.start(name, operation):
        raise RefusedError("another operation is already in progress")
