"""Tales of hands at work: edits of live objects, autosync off, a rollback inside Argo CD, a sync window."""

from tests.cluster.harness import ARGOCD_NAMESPACE, sync_window_project
from tests.cluster.story import seeing
from tests.cluster.story.acts import PASSED, Act, Expected, Tale
from tests.cluster.story.stage import WEB, Stage, container


def _edit(stage: Stage, value: str) -> None:
    """What a hand does to the live Deployment: another RELEASE."""
    one = container(stage.deployment)
    one["env"] = [{"name": "RELEASE", "value": value}]
    change = {"spec": {"template": {"spec": {"containers": [one]}}}}
    stage.harness.patch("Deployment", stage.namespace, WEB, change)


def _edited(stage: Stage) -> str:
    _edit(stage, "by-hand")
    return stage.notes["first"]


def _taken_back(stage: Stage) -> str:
    _edit(stage, "1.0.0")
    return stage.notes["first"]


def _begin_unhealed(stage: Stage) -> None:
    sha = stage.create(stage.release("1.0.0", note="first"), self_heal=False)
    stage.wait(seeing.is_quiet, sha)


UNHEALED = Tale(
    "unhealed",
    begin=_begin_unhealed,
    acts=(
        Act(
            "hand-edit-selfheal-off",
            "edited by hand, selfHeal off",
            _edited,
            "hold",
            Expected("held", "NotMended", "sync", ("OutOfSync", "nothing will mend it")),
            recorded_when=seeing.out_of_sync,
        ),
        Act("hand-edit-taken-back", "the hand edit taken back", _taken_back, "pass", PASSED),
    ),
)

HEALED = Tale(
    "healed",
    acts=(Act("hand-edit-selfheal-on", "edited by hand, selfHeal on: undone", _edited, "pass", PASSED),),
)


def _begin_manual(stage: Stage) -> None:
    sha = stage.create(stage.release("1.0.0", note="first"), automated=False)
    stage.argocd("sync")
    stage.wait(seeing.is_there, sha)


def _sync(stage: Stage) -> str:
    stage.argocd("sync", "--async")
    return stage.notes["second"]


def _roll_back(stage: Stage) -> str:
    number = stage.status["history"][-2]["id"]
    stage.argocd("rollback", str(number))
    return stage.notes["second"]


MANUAL = Tale(
    "manual",
    begin=_begin_manual,
    acts=(
        Act(
            "autosync-off",
            "bumped, autosync off",
            lambda stage: stage.pin(stage.release("1.1.0", note="second")),
            "hold",
            Expected("held", "AutosyncOff", "sync", ("a person has to start the sync",)),
            recorded_when=seeing.out_of_sync,
        ),
        Act("synced-by-a-person", "synced by a person", _sync, "pass", PASSED),
        Act(
            "argocd-rollback",
            "rolled back inside Argo CD",
            _roll_back,
            "hold",
            Expected("held", "RolledBack", "sync", ("rollback inside Argo CD",)),
            recorded_when=seeing.out_of_sync,
        ),
        Act("synced-again", "synced again after the rollback", _sync, "pass", PASSED),
    ),
)


def _closed(stage: Stage) -> str:
    stage.harness.apply(sync_window_project(stage.name))
    stage.patch_application({"spec": {"project": stage.name}})
    return stage.pin(stage.release("1.1.0", note="second"))


def _opened(stage: Stage) -> str:
    stage.harness.patch("AppProject", ARGOCD_NAMESPACE, stage.name, {"spec": {"syncWindows": []}})
    return stage.notes["second"]


WINDOW = Tale(
    "window",
    acts=(
        Act(
            "sync-window",
            "a closed sync window",
            _closed,
            "hold",
            Expected("held", "SyncWindowClosed", "sync", ("a sync window of AppProject", "is closed")),
            recorded_when=seeing.out_of_sync,
        ),
        Act("sync-window-opened", "the sync window opened", _opened, "pass", PASSED),
    ),
)
