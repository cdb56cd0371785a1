"""What is told to Argo CD, and what Argo CD says of it: alterations of one Application (layers 1 and 2, and health)."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

from gate.rehearsal.alterations.commits import deployed_before, newer_commit
from gate.rehearsal.names import rfc3339
from gate.rehearsal.scene import Alteration, Json, NotApplicable, Scene, place_of, time_of
from gate.rehearsal.subjects import ApplicationSubject

Change = Callable[[Scene, ApplicationSubject], None]

_SECOND = timedelta(seconds=1)
_BRANCH = "main"


def pin(scene: Scene, app: ApplicationSubject, revision: str, *, again: bool | None = None) -> None:
    """Write another targetRevision into the gated sources of its spec."""
    for raw in scene.applications(app.place, again=again):
        spec = raw["spec"]
        for source in [spec["source"]] if app.gated is None else [spec["sources"][index] for index in app.gated]:
            source["targetRevision"] = revision


def _status(*way: str, value: Any) -> Change:
    """A change of one field of its status, in both reads."""

    def change(scene: Scene, app: ApplicationSubject) -> None:
        for raw in scene.applications(app.place):
            node = raw["status"]
            for step in way[:-1]:
                node = node.setdefault(step, {})
            node[way[-1]] = value

    return change


def _revisions(part: Json, app: ApplicationSubject, revision: str) -> None:
    """Write another revision of the gated sources into a part of a status."""
    if app.gated is None:
        part["revision"] = revision
    else:
        part["revisions"] = [
            revision if index in app.gated else before for index, before in enumerate(part["revisions"])
        ]


def _pin_other(scene: Scene, app: ApplicationSubject) -> None:
    pin(scene, app, deployed_before(scene))


def _pin_newer(scene: Scene, app: ApplicationSubject) -> None:
    pin(scene, app, newer_commit(scene))


def _pin_branch(scene: Scene, app: ApplicationSubject) -> None:
    pin(scene, app, _BRANCH)


def _pin_short(scene: Scene, app: ApplicationSubject) -> None:
    pin(scene, app, scene.asked.intended[:7])


def _deleting(scene: Scene, app: ApplicationSubject) -> None:
    for raw in scene.applications(app.place):
        raw["metadata"]["deletionTimestamp"] = scene.moments[0]["now"]


def _hydrated(scene: Scene, app: ApplicationSubject) -> None:
    for raw in scene.applications(app.place):
        raw["spec"]["sourceHydrator"] = {"drySource": {"targetRevision": _BRANCH}}


def _unreadable(scene: Scene, app: ApplicationSubject) -> None:
    for moment in scene.moments:
        for key in ("applications", "applications-again"):
            moment[key] = [one for one in moment[key] or () if place_of(one) != app.place]
    scene.refuse(f"Application {'/'.join(app.place)}", "the connection was reset")


def _compared_before(scene: Scene, app: ApplicationSubject) -> None:
    for raw in scene.applications(app.place):
        _revisions(raw["status"]["sync"], app, deployed_before(scene))


def _compared_other_spec(scene: Scene, app: ApplicationSubject) -> None:
    for raw in scene.applications(app.place):
        raw["status"]["sync"]["comparedTo"]["destination"] = {"namespace": "somewhere-else"}


def _compared_too_early(scene: Scene, app: ApplicationSubject) -> None:
    for raw in scene.applications(app.place):
        status = raw["status"]
        status["reconciledAt"] = rfc3339(time_of(status["operationState"]["finishedAt"]) - _SECOND)


def _operations(scene: Scene, app: ApplicationSubject) -> Iterator[Json]:
    """The state of its last operation in every read, said to be at the intended commit if it was at another."""
    for raw in scene.applications(app.place):
        state = raw["status"]["operationState"]
        if not (app.whole or app.partial):
            for part in (state.get("syncResult"), (state.get("operation") or {}).get("sync")):
                if part is not None:
                    _revisions(part, app, scene.asked.intended)
        yield state


def _ended(phase: str) -> Change:
    def change(scene: Scene, app: ApplicationSubject) -> None:
        for state in _operations(scene, app):
            state["phase"] = phase
            state["message"] = "one or more objects failed to apply"

    return change


def _running(scene: Scene, app: ApplicationSubject) -> None:
    for state in _operations(scene, app):
        state["phase"] = "Running"
        state.pop("finishedAt", None)


def _retrying(scene: Scene, app: ApplicationSubject) -> None:
    for state in _operations(scene, app):
        state |= {"phase": "Running", "retryCount": 1}


def _not_started(scene: Scene, app: ApplicationSubject) -> None:
    """Compared with the intended commit in the second in which an operation at the one before ended."""
    for raw in scene.applications(app.place):
        status = raw["status"]
        for part in (status["operationState"].get("syncResult"), status["operationState"]["operation"]["sync"]):
            if part is not None and ("revision" in part or "revisions" in part):
                _revisions(part, app, deployed_before(scene))
        status["reconciledAt"] = status["operationState"]["finishedAt"]


def _whole(scene: Scene, app: ApplicationSubject) -> Iterator[Json]:
    if not app.whole:
        raise NotApplicable(f"no whole operation at the intended commit is to be seen for {app.what}")
    yield from (raw["status"]["operationState"] for raw in scene.applications(app.place))


def _asked_for(key: str, value: Any) -> Change:
    def change(scene: Scene, app: ApplicationSubject) -> None:
        for state in _whole(scene, app):
            state["operation"]["sync"][key] = value

    return change


def _partial(scene: Scene, app: ApplicationSubject) -> None:
    for raw in scene.applications(app.place):
        asked = raw["status"]["operationState"].setdefault("operation", {}).setdefault("sync", {})
        asked["resources"] = [{"group": "apps", "kind": "Deployment", "name": "one-of-several"}]
        raw["status"]["history"] = []
    list(_operations(scene, app))


def _refused_resource(scene: Scene, app: ApplicationSubject) -> None:
    for state in _whole(scene, app):
        state["syncResult"]["resources"][0]["status"] = "SyncFailed"


def _failed_hook(scene: Scene, app: ApplicationSubject) -> None:
    hook = {"group": "batch", "kind": "Job", "namespace": "default", "name": "smoke-test", "hookType": "PostSync"}
    for state in _whole(scene, app):
        state["syncResult"]["resources"].append({**hook, "hookPhase": "Failed"})


def _condition(scene: Scene, app: ApplicationSubject) -> None:
    for raw in scene.applications(app.place):
        raw["status"]["conditions"] = [{"type": "ComparisonError", "message": "manifests could not be made"}]


def _refreshing(scene: Scene, app: ApplicationSubject) -> None:
    for raw in scene.applications(app.place):
        raw["metadata"].setdefault("annotations", {})["argocd.argoproj.io/refresh"] = "normal"


def _requested(scene: Scene, app: ApplicationSubject) -> None:
    for raw in scene.applications(app.place):
        raw["operation"] = {"sync": {"revision": scene.asked.intended}}


def _resource_differs(scene: Scene, app: ApplicationSubject) -> None:
    for raw in scene.applications(app.place):
        entry = next(one for one in raw["status"]["resources"] if one.get("kind") == "Deployment")
        entry["status"] = "OutOfSync"


def _no_rule(scene: Scene, app: ApplicationSubject) -> None:
    unjudged = scene.asked.settings.policy.unjudged_kinds
    kind = next(one for one in ("Rehearsal", "Rehearsed", "Rehearsing") if one not in unjudged)
    made = {"group": "rehearsal.example", "kind": kind, "namespace": "default", "name": "app", "status": "Synced"}
    for raw in scene.applications(app.place):
        raw["status"]["resources"].append(dict(made))
        result = raw["status"]["operationState"].get("syncResult") or {}
        if app.whole:
            result["resources"].append(dict(made))


APPLICATIONS: tuple[Alteration[ApplicationSubject], ...] = (
    Alteration("pinned-to-another-commit", "the live Application is pinned to the commit before", _pin_other),
    Alteration("pinned-to-a-newer-commit", "somebody pinned a descendant of the intended commit", _pin_newer),
    Alteration("pinned-to-a-branch", "targetRevision is a branch, which moves", _pin_branch),
    Alteration("pinned-to-a-short-id", "targetRevision is the intended commit cut to 7 digits", _pin_short),
    Alteration("application-being-deleted", "the Application has a deletionTimestamp", _deleting),
    Alteration("application-hydrated", "the Application deploys hydrated manifests, not the commit", _hydrated),
    Alteration("application-unreadable", "the Application cannot be read", _unreadable),
    Alteration("out-of-sync", "status.sync.status is OutOfSync", _status("sync", "status", value="OutOfSync")),
    Alteration("sync-unknown", "status.sync.status is Unknown", _status("sync", "status", value="Unknown")),
    Alteration("comparison-of-another-commit", "Synced, and status.sync.revision is the old commit", _compared_before),
    Alteration("comparison-of-another-spec", "status.sync.comparedTo is not what spec says", _compared_other_spec),
    Alteration("comparison-stale", "status.reconciledAt is before the end of the operation", _compared_too_early),
    Alteration("operation-failed", "the operation at the intended commit Failed", _ended("Failed")),
    Alteration("operation-in-error", "the operation at the intended commit ended in Error", _ended("Error")),
    Alteration("operation-running", "the operation at the intended commit is still Running", _running),
    Alteration("operation-retrying", "the operation waits between two attempts, with finishedAt set", _retrying),
    Alteration("operation-not-started", "the last operation applied the old commit, just now", _not_started),
    Alteration("operation-dry-run", "the operation was a dry run", _asked_for("dryRun", value=True)),
    Alteration("operation-local-manifests", "the operation applied somebody's files", _asked_for("manifests", ["{}"])),
    Alteration("operation-partial", "the operation was for some resources, no whole one is known", _partial),
    Alteration("resource-not-applied", "one resource of the operation has SyncFailed", _refused_resource),
    Alteration("hook-failed", "a PostSync hook of the operation failed", _failed_hook),
    Alteration("comparison-error", "the Application has the condition ComparisonError", _condition),
    Alteration("refresh-pending", "a refresh is requested and has not ended", _refreshing),
    Alteration("operation-pending", "an operation is requested and has not begun", _requested),
    Alteration("manages-nothing", "status.resources is empty", _status("resources", value=[])),
    Alteration("resource-out-of-sync", "Synced as a whole, and one Deployment is OutOfSync", _resource_differs),
    Alteration("synced-but-degraded", "health is Degraded", _status("health", value={"status": "Degraded"})),
    Alteration("synced-but-progressing", "health is Progressing", _status("health", value={"status": "Progressing"})),
    Alteration("synced-but-missing", "health is Missing", _status("health", value={"status": "Missing"})),
    Alteration("synced-but-suspended", "health is Suspended", _status("health", value={"status": "Suspended"})),
    Alteration("kind-without-rule", "a kind is managed for whose state there is no rule", _no_rule),
)
