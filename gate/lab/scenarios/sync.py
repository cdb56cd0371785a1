"""Scenarios about what was applied: comparisons, operations, hooks, hands, windows."""

from gate.lab.applications import ARGOCD_NAMESPACE, sync_window_project
from gate.lab.manifests import hook_job, web_release
from gate.lab.scenarios.act import PASSED, Act, Expected, Scenario
from gate.lab.stage import WEB, Stage


def _stale(stage: Stage) -> str:
    stage.stop_argocd()
    return stage.pin(stage.release("1.1.0"))


def _edit(stage: Stage) -> str:
    stage.edit_release("by-hand")
    return stage.notes["first"]


def _unhealed(stage: Stage) -> str:
    return stage.create(stage.release("1.0.0", note="first"), self_heal=False)


def _by_hand(stage: Stage) -> str:
    sha = stage.create(stage.release("1.0.0", note="first"), automated=False)
    stage.sync()
    return sha


def _bumped(stage: Stage) -> str:
    return stage.pin(stage.release("1.1.0", note="second"))


def _synced(stage: Stage) -> str:
    stage.sync()
    return stage.notes["second"]


def _roll_back(stage: Stage) -> str:
    stage.roll_back()
    return stage.notes["second"]


def _closed(stage: Stage) -> str:
    stage.apply(sync_window_project("closed"))
    stage.patch("Application", ARGOCD_NAMESPACE, stage.name, {"spec": {"project": "closed"}})
    return stage.pin(stage.release("1.1.0", note="second"))


def _opened(stage: Stage) -> str:
    stage.patch("AppProject", ARGOCD_NAMESPACE, "closed", {"spec": {"syncWindows": []}})
    return stage.notes["second"]


def _once(stage: Stage) -> str:
    return stage.create(stage.release("1.0.0", note="first"), retry_limit=0)


def _hook(stage: Stage) -> str:
    hook = hook_job("after", hook="PostSync", seconds=1, exit_code=1)
    return stage.pin(stage.write([*web_release(WEB, "1.1.0"), hook], "Release 1.1.0 with a hook"))


def _refused(stage: Stage) -> str:
    release = web_release(WEB, "1.1.0")
    release[0]["spec"]["ports"][0]["port"] = 70000
    return stage.pin(stage.write(release, "Listen on port 70000"))


STALE = Scenario(
    "stale-comparison",
    "Argo CD's controller stands still: Synced and Healthy are about the commit before",
    (
        Act(
            "stale",
            "Pinned, and nobody compares",
            _stale,
            Expected("held", "ComparisonStale", "sync", ("is about an older spec",), timed_out=True),
            timeout=8,
        ),
    ),
)
SELF_HEAL = Scenario(
    "self-heal",
    "a hand edits the live Deployment, and Argo CD undoes it",
    (Act("edited", "Edited by hand, selfHeal on", _edit, PASSED),),
)
HAND_EDIT = Scenario(
    "hand-edit",
    "a hand edits the live Deployment, and nothing will undo it",
    (
        Act(
            "edited",
            "Edited by hand, selfHeal off",
            _edit,
            Expected("held", "NotMended", "sync", ("nothing will mend it",)),
        ),
    ),
    begin=_unhealed,
)
AUTOSYNC_OFF = Scenario(
    "autosync-off",
    "automated sync is off: a person has to start it, and then it passes",
    (
        Act(
            "bumped",
            "Pinned, and nothing starts the sync",
            _bumped,
            Expected("held", "AutosyncOff", "sync", ("a person has to start the sync",)),
        ),
        Act("synced", "A person starts the sync", _synced, PASSED),
    ),
    begin=_by_hand,
)
ROLLBACK = Scenario(
    "argocd-rollback",
    "rolled back inside Argo CD: the old release runs, and Git still says the new one",
    (
        Act("bumped", "Pinned, and synced by a person", lambda stage: (_bumped(stage), _synced(stage))[1], PASSED),
        Act(
            "rolled-back",
            "Rolled back inside Argo CD",
            _roll_back,
            Expected("held", "RolledBack", "sync", ("a rollback inside Argo CD",)),
        ),
    ),
    begin=_by_hand,
)
WINDOW = Scenario(
    "sync-window",
    "a sync window is closed, then opened",
    (
        Act(
            "closed",
            "Pinned while the window is closed",
            _closed,
            Expected("held", "SyncWindowClosed", "sync", ("AppProject argocd/closed",)),
        ),
        Act("opened", "The window is opened", _opened, PASSED),
    ),
)
HOOK = Scenario(
    "hook-failed",
    "a PostSync hook fails",
    (
        Act(
            "hook",
            "A hook fails after the sync",
            _hook,
            Expected("failed", "HookFailed", "sync", ("PostSync hook Job", "/after")),
        ),
    ),
    begin=_once,
)
REFUSED = Scenario(
    "manifest-refused",
    "the API server refuses a manifest",
    (
        Act(
            "refused",
            "A Service on port 70000",
            _refused,
            Expected("failed", "ResourceSyncFailed", "sync", ("70000",)),
        ),
    ),
    begin=_once,
)
