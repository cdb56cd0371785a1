"""The story: a release as it should be, its readiness path broken, and the recovery by a revert. Twice."""

from gate.lab.scenarios.act import PASSED, Act, Expected, Scenario
from gate.lab.stage import Stage

NOT_THERE = "/not-there"
"""A path that the release does not answer: no Pod becomes ready."""


def _normal(stage: Stage) -> str:
    return stage.pin(stage.release("1.1.0"))


def _broken(stage: Stage) -> str:
    message = "Ask another path whether it is ready"
    return stage.pin(stage.release("1.1.0", message, note="broken", readiness_path=NOT_THERE))


def _recovered(stage: Stage) -> str:
    return stage.pin(stage.revert("broken"))


def _rolling(stage: Stage) -> str:
    return stage.pin(stage.release("1.2.0", "Release 1.2.0, one Pod after another", strategy="RollingUpdate"))


def _broken_rolling(stage: Stage) -> str:
    message = "Ask another path whether it is ready"
    broken = {"strategy": "RollingUpdate", "readiness_path": NOT_THERE}
    return stage.pin(stage.release("1.2.0", message, note="broken", **broken))


STORY = Scenario(
    "story",
    "a good release, a readiness path that does not exist, recovery by git revert; Recreate, then RollingUpdate",
    (
        Act("normal", "A good release, Recreate", _normal, PASSED),
        Act(
            "broken",
            "The readiness path is broken: Synced, and no Pod is ready",
            _broken,
            Expected("failed", "ProgressDeadlineExceeded", "readiness", ("404", "no ready endpoint")),
        ),
        Act(
            "recovered", "The broken commit is reverted: a new commit with the tree of the good one", _recovered, PASSED
        ),
        Act("normal-rolling", "A good release, RollingUpdate", _rolling, PASSED),
        Act(
            "broken-rolling",
            "The readiness path is broken: the old Pod goes on answering 200",
            _broken_rolling,
            Expected("failed", "ProgressDeadlineExceeded", "readiness", ("404", "of an older")),
        ),
        Act("recovered-rolling", "The broken commit is reverted", _recovered, PASSED),
    ),
)
