"""Tales of operations that fail, go on trying, or wait for hooks."""

from tests.cluster.harness import Object, hook_job, until, web_release
from tests.cluster.story import seeing
from tests.cluster.story.acts import NO_OP, PASSED, Act, Expected, Tale
from tests.cluster.story.stage import WEB, Stage, changed


def hooked(stage: Stage, version: str, seconds: int, exit_code: int = 0) -> str:
    """A commit with a hook after the sync."""
    hook = hook_job("after", hook="PostSync", seconds=seconds, exit_code=exit_code)
    return stage.write([*web_release(WEB, version), hook], f"Release {version} with a hook")


def refused(stage: Stage) -> str:
    """A commit with a Service port that the API server refuses."""

    def change(body: Object) -> None:
        body["spec"]["ports"][0]["port"] = 70000

    release = changed(web_release(WEB, "1.0.0"), "Service", change)
    return stage.write(release, "Listen on port 70000", note="refused")


def _terminated(stage: Stage) -> str:
    """Terminate the operation, again where the controller, at work on it, overwrites the request."""

    def ended() -> bool:
        if stage.status.get("operationState", {}).get("phase") not in ("Running", "Terminating"):
            return True
        stage.harness.run("argocd", "app", "terminate-op", stage.name, check=False)
        return False

    until(ended, 60, "the operation to end", every=2)
    return stage.notes["good"]


def _begin_once(stage: Stage) -> None:
    sha = stage.create(stage.release("1.0.0", note="first"), retry_limit=0)
    stage.wait(seeing.is_there, sha)


HOOKS = Tale(
    "hooks",
    begin=_begin_once,
    acts=(
        Act(
            "hook-running",
            "a hook that still runs",
            lambda stage: stage.pin(hooked(stage, "1.1.0", 5)),
            "hold",
            Expected("pending", "OperationRunning", "sync"),
            recorded_when=seeing.running,
            moments=1,
            live=False,
        ),
        Act("hook-succeeded", "a hook that succeeds", lambda s: s.pin(hooked(s, "1.2.0", 2)), "pass", PASSED),
        Act(
            "hook-failed",
            "a hook that fails",
            lambda stage: stage.pin(hooked(stage, "1.3.0", 1, exit_code=1)),
            "fail",
            Expected("failed", "HookFailed", "sync", ("PostSync hook",)),
            recorded_when=seeing.failed,
        ),
        Act("hook-recovered", "a good bump after the failed hook", lambda s: s.pin(s.release("1.4.0")), "pass", PASSED),
    ),
)

RETRIES = Tale(
    "retries",
    acts=(
        Act(
            "refused-retrying",
            "manifests that the API refuses, Argo CD tries again",
            lambda stage: stage.pin(refused(stage)),
            "hold",
            Expected("held", "OperationRetrying", "sync", ("retry",), timed_out=True),
            timeout=15,
            recorded_when=seeing.retrying,
        ),
        Act(
            "good-while-refused-retries",
            "a good commit, Synced and Healthy, while the refused one's operation goes on",
            lambda stage: stage.pin(stage.revert("refused", own="good")),
            "hold",
            Expected("held", "OtherOperationRunning", "sync", ("it blocks the intended commit",), timed_out=True),
            timeout=8,
            recorded_when=seeing.synced_while_another_retries,
        ),
        Act(
            "refused-terminated",
            "a good commit, once the refused one's operation is terminated",
            _terminated,
            "pass",
            NO_OP,
        ),
    ),
)

REFUSED = Tale(
    "refused",
    begin=_begin_once,
    acts=(
        Act(
            "refused-failed",
            "manifests that the API refuses, no more tries",
            lambda stage: stage.pin(refused(stage)),
            "fail",
            Expected("failed", "ResourceSyncFailed", "sync", ("Service", "70000")),
            recorded_when=seeing.failed,
        ),
        Act(
            "refused-recovered",
            "a good bump after refused manifests",
            lambda s: s.pin(s.release("1.1.0")),
            "pass",
            PASSED,
        ),
    ),
)
