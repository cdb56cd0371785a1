"""What is told to Argo CD, and what Argo CD says of it: alterations of one Application (layers 1 and 2, and health)."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from gate.rehearsal.alterations.commits import deployed_before, newer_commit, pin, write_revision
from gate.rehearsal.names import rfc3339
from gate.rehearsal.scene import Alteration, Scene, managed_deployments, place_of, time_of
from gate.rehearsal.subjects import ApplicationSubject

Change = Callable[[Scene, ApplicationSubject], None]

_SECOND = timedelta(seconds=1)
_BRANCH = "main"


def _status(*way: str, value: Any) -> Change:
    """A change of one field of its status, in both reads."""

    def change(scene: Scene, app: ApplicationSubject) -> None:
        for raw in scene.applications(app.place):
            node = raw["status"]
            for step in way[:-1]:
                node = node.setdefault(step, {})
            node[way[-1]] = value

    return change


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
        write_revision(raw["status"]["sync"], app, deployed_before(scene))


def _compared_other_spec(scene: Scene, app: ApplicationSubject) -> None:
    for raw in scene.applications(app.place):
        raw["status"]["sync"]["comparedTo"]["destination"] = {"namespace": "somewhere-else"}


def _compared_too_early(scene: Scene, app: ApplicationSubject) -> None:
    for raw in scene.applications(app.place):
        status = raw["status"]
        status["reconciledAt"] = rfc3339(time_of(status["operationState"]["finishedAt"]) - _SECOND)


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
        managed_deployments(raw["status"])[0]["status"] = "OutOfSync"


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
