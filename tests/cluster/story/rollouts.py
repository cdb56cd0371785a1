"""Tales of one release after another: Recreate, RollingUpdate, a Pod that takes its time to go."""

from tests.cluster.harness import Object, web_release
from tests.cluster.story import seeing
from tests.cluster.story.acts import NO_OP, PASSED, Act, Expected, Tale
from tests.cluster.story.stage import WEB, Stage, changed

BROKEN = "/not-there"
_LINGERS = {"LINGER": "8"}


def _first(stage: Stage) -> str:
    return stage.create(stage.release("1.0.0", note="first"))


def _normal(stage: Stage) -> str:
    return stage.pin(stage.release("1.1.0", note="good"))


def _broken(stage: Stage) -> str:
    message = "Ask another path whether it is ready"
    return stage.pin(stage.release("1.1.0", message, note="broken", readiness_path=BROKEN))


def _recovered(stage: Stage) -> str:
    return stage.pin(stage.revert("broken"))


def _no_op(stage: Stage) -> str:
    return stage.pin(stage.repository.commit({"README.md": "# Orders\n\nWhat it is.\n"}, "Describe the release"))


def _pushed(stage: Stage) -> str:
    return stage.release("1.2.0", note="pushed")


def _pin_pushed(stage: Stage) -> str:
    return stage.pin(stage.notes["pushed"])


RECREATE = Tale(
    "recreate",
    as_action=True,
    begin=lambda _stage: None,
    acts=(
        Act("first-release", "the first release ever", _first, "pass", PASSED),
        Act("story-recreate-normal", "a good bump, Recreate", _normal, "pass", PASSED),
        Act(
            "story-recreate-broken",
            "readiness path broken, Recreate",
            _broken,
            "fail",
            Expected(
                "failed",
                "ProgressDeadlineExceeded",
                "readiness",
                ("timed out progressing", "404", "no ready endpoint"),
            ),
            recorded_when=seeing.deadline_exceeded,
        ),
        Act("story-recreate-recovered", "the broken commit reverted, Recreate", _recovered, "pass", PASSED),
        Act(
            "superseded-broken",
            "asked about the broken commit after its revert",
            lambda stage: stage.notes["broken"],
            "superseded",
            Expected("superseded", "NewerCommitPinned", "intent", ("a descendant of the intended",)),
            recorded_when=seeing.always,
        ),
        Act(
            "superseded-same-tree",
            "asked about the older commit whose tree is deployed",
            lambda stage: stage.notes["good"],
            "superseded",
            Expected("superseded", "NewerCommitPinned", "intent"),
            recorded_when=seeing.always,
        ),
        Act("no-op-commit", "a commit that changes nothing for it", _no_op, "pass", NO_OP),
        Act(
            "pushed-not-pinned",
            "pushed, and pinned to the commit before",
            _pushed,
            "hold",
            Expected("held", "NotPinned", "intent", ("not pinned to it",), timed_out=True),
            timeout=6,
            recorded_when=seeing.always,
        ),
        Act(
            "old-words-after-bump",
            "the first moment after a bump",
            _pin_pushed,
            "hold",
            Expected("pending", "ComparisonStale", "sync"),
            recorded_when=seeing.always,
            moments=1,
            live=False,
        ),
    ),
)


def _rolling_normal(stage: Stage) -> str:
    return stage.pin(stage.release("1.1.0", strategy="RollingUpdate"))


def _rolling_broken(stage: Stage) -> str:
    message = "Ask another path whether it is ready"
    options = {"strategy": "RollingUpdate", "readiness_path": BROKEN, "progress_deadline": 20}
    return stage.pin(stage.release("1.1.0", message, "broken", **options))


def _max_unavailable(stage: Stage) -> str:
    message = "Release 1.3.0, one of one may be missing"
    strategy = {"strategy": "RollingUpdate", "max_unavailable": 1, "max_surge": 0}
    return stage.pin(stage.release("1.3.0", message, "", readiness_path=BROKEN, **strategy))


ROLLING = Tale(
    "rolling",
    begin=lambda stage: stage.begin(strategy="RollingUpdate"),
    acts=(
        Act("story-rolling-normal", "a good bump, RollingUpdate", _rolling_normal, "pass", PASSED),
        Act(
            "story-rolling-broken-progressing",
            "readiness path broken, RollingUpdate, at once",
            _rolling_broken,
            "fail",
            Expected("failed", "OldPodsServing", "readiness", ("404", "of an older"), timed_out=True),
            timeout=7,
            recorded_when=seeing.probe_fails,
            moments=1,
        ),
        Act(
            "story-rolling-broken-deadline",
            "readiness path broken, RollingUpdate, Degraded",
            lambda stage: stage.notes["broken"],
            "fail",
            Expected(
                "failed",
                "ProgressDeadlineExceeded",
                "readiness",
                ("timed out progressing", "404", "of an older"),
            ),
            recorded_when=seeing.deadline_exceeded,
        ),
        Act("story-rolling-recovered", "the broken commit reverted, RollingUpdate", _recovered, "pass", PASSED),
        Act(
            "rolling-none-left",
            "readiness path broken, one of one Pods may be missing",
            _max_unavailable,
            "fail",
            Expected("failed", "ProgressDeadlineExceeded", "readiness", ("404", "no ready endpoint")),
            recorded_when=seeing.deadline_exceeded,
        ),
    ),
)


def _slow(stage: Stage, version: str) -> str:
    def more_time(body: Object) -> None:
        body["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = 20

    release = web_release(WEB, version, strategy="RollingUpdate", environment=_LINGERS)
    return stage.write(changed(release, "Deployment", more_time), f"Release {version}")


def _begin_slow(stage: Stage) -> None:
    sha = stage.create(_slow(stage, "1.0.0"))
    stage.wait(seeing.is_there, sha)


LINGERING = Tale(
    "lingering",
    begin=_begin_slow,
    acts=(
        Act(
            "old-pod-serving",
            "finished, while an old Pod still serves",
            lambda stage: stage.pin(_slow(stage, "1.1.0")),
            "hold",
            Expected("pending", "OldPodsServing", "readiness"),
            recorded_when=seeing.old_pod_drains,
            moments=1,
            live=False,
        ),
        Act(
            "old-pod-gone",
            "a good bump whose old Pod takes 8 s to go",
            lambda stage: stage.pin(_slow(stage, "1.2.0")),
            "pass",
            PASSED,
        ),
    ),
)
