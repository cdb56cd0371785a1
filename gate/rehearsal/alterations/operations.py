"""How the intended commit was applied: alterations of one Application's last operation (layer 2)."""

from collections.abc import Callable, Iterator
from typing import Any

from gate.rehearsal.alterations.commits import deployed_before, write_revision
from gate.rehearsal.scene import Alteration, DoesNotApply, Json, Scene, managed_deployments
from gate.rehearsal.subjects import ApplicationSubject

Change = Callable[[Scene, ApplicationSubject], None]

_HOOK = {"group": "batch", "kind": "Job", "namespace": "default", "name": "smoke-test", "hookType": "PostSync"}
_UNSUCCESSFUL = "one or more synchronization tasks completed unsuccessfully"


def _succeeded_at(state: Json, app: ApplicationSubject, revision: str) -> None:
    """Make it an operation that Succeeded at this revision, whatever it was."""
    state["phase"] = "Succeeded"
    state.pop("retryCount", None)
    result = state.get("syncResult")
    for part in (result, (state.get("operation") or {}).get("sync")):
        if part is not None and ("revision" in part or "revisions" in part):
            write_revision(part, app, revision)
    if result is not None:
        entries = result.get("resources") or ()
        result["resources"] = [one for one in entries if one.get("hookType") is None and one.get("status") == "Synced"]


def _operations(scene: Scene, app: ApplicationSubject) -> Iterator[Json]:
    """Its last operation in every read; one at another commit is made one that Succeeded at the intended one."""
    for raw in scene.applications(app.place):
        state = raw["status"]["operationState"]
        if not (app.whole or app.partial):
            _succeeded_at(state, app, scene.asked.intended)
        yield state


def _whole(scene: Scene, app: ApplicationSubject) -> Iterator[Json]:
    """Its last operation in every read. Raises DoesNotApply where that is no whole one at the intended commit."""
    if not app.whole:
        raise DoesNotApply(f"no whole operation at the intended commit is to be seen for {app.what}")
    yield from (raw["status"]["operationState"] for raw in scene.applications(app.place))


def _ended(phase: str) -> Change:
    def change(scene: Scene, app: ApplicationSubject) -> None:
        for state in _operations(scene, app):
            state |= {"phase": phase, "message": _UNSUCCESSFUL}

    return change


def _running(scene: Scene, app: ApplicationSubject) -> None:
    for state in _operations(scene, app):
        state["phase"] = "Running"
        state.pop("finishedAt", None)


def _retrying(scene: Scene, app: ApplicationSubject) -> None:
    for state in _operations(scene, app):
        state |= {"phase": "Running", "retryCount": 1}


def _before(scene: Scene, app: ApplicationSubject) -> Iterator[Json]:
    """Its status in every read, with an operation that Succeeded at the commit before and nothing since."""
    before, intended = deployed_before(scene), scene.asked.intended
    for raw in scene.applications(app.place):
        status = raw["status"]
        _succeeded_at(status["operationState"], app, before)
        status["history"] = [
            one
            for one in status.get("history") or ()
            if intended not in (one.get("revision"), *(one.get("revisions") or ()))
        ]
        yield status


def _not_started(scene: Scene, app: ApplicationSubject) -> None:
    for status in _before(scene, app):
        status["sync"]["status"] = "OutOfSync"
        for entry in managed_deployments(status):
            entry["status"] = "OutOfSync"


def _same_second(scene: Scene, app: ApplicationSubject) -> None:
    """Without any hook, which would be a reason of its own not to believe it."""
    for status in _before(scene, app):
        status["reconciledAt"] = status["operationState"]["finishedAt"]
        status["resources"] = [one for one in status["resources"] if one.get("hook") is not True]


def _asked_for(key: str, value: Any) -> Change:
    def change(scene: Scene, app: ApplicationSubject) -> None:
        for state in _whole(scene, app):
            state["operation"]["sync"][key] = value

    return change


def _partial(scene: Scene, app: ApplicationSubject) -> None:
    for state in _operations(scene, app):
        asked = state.setdefault("operation", {}).setdefault("sync", {})
        asked["resources"] = [{"group": "apps", "kind": "Deployment", "name": "one-of-several"}]
    for raw in scene.applications(app.place):
        raw["status"]["history"] = []


def _refused(scene: Scene, app: ApplicationSubject, phase: str) -> None:
    """The first object that the operation applied was refused, and the operation ended so."""
    for state in _whole(scene, app):
        applied = [one for one in state["syncResult"]["resources"] if one.get("hookType") is None]
        if not applied:
            raise DoesNotApply(f"the last operation of {app.what} ran hooks only")
        state["phase"] = phase
        applied[0] |= {"status": "SyncFailed", "message": "the API server refused it"}


def _hook(phase: str, hook_phase: str) -> Change:
    def change(scene: Scene, app: ApplicationSubject) -> None:
        for state in _whole(scene, app):
            state["phase"] = phase
            state["syncResult"]["resources"].append({**_HOOK, "hookPhase": hook_phase})

    return change


OPERATIONS: tuple[Alteration[ApplicationSubject], ...] = (
    Alteration("operation-failed", "the operation at the intended commit Failed", _ended("Failed")),
    Alteration("operation-in-error", "the operation at the intended commit ended in Error", _ended("Error")),
    Alteration("operation-running", "the operation at the intended commit is still Running", _running),
    Alteration("operation-retrying", "the operation waits between two attempts, with finishedAt set", _retrying),
    Alteration("operation-not-started", "OutOfSync, and the last operation applied the commit before", _not_started),
    Alteration(
        "comparison-in-same-second", "Synced in the second in which the commit before was applied", _same_second
    ),
    Alteration("operation-dry-run", "the operation was a dry run", _asked_for("dryRun", value=True)),
    Alteration("operation-local-manifests", "the operation applied somebody's files", _asked_for("manifests", ["{}"])),
    Alteration("operation-partial", "the operation was for some resources, no whole one is known", _partial),
    Alteration(
        "resource-refused",
        "the operation Failed, because an object of it was refused",
        lambda scene, app: _refused(scene, app, "Failed"),
    ),
    Alteration(
        "resource-not-applied",
        "the operation Succeeded, and an object of it has SyncFailed",
        lambda scene, app: _refused(scene, app, "Succeeded"),
    ),
    Alteration("hook-failed", "the operation Failed, because a PostSync hook did", _hook("Failed", "Failed")),
    Alteration("hook-not-ended", "the operation Succeeded, and a hook of it is Running", _hook("Succeeded", "Running")),
)
