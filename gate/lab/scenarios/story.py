"""The story: a release as it should be, its readiness path broken, and the recovery by a revert. Twice.

Then the first recovery is told by its evidence, and the last commit is up for promotion.
"""

from gate.lab.scenarios.act import PASSED, Act, Expected, ExpectedReport, ReportAct, Scenario
from gate.lab.scenarios.approval import APPROVED, NOT_APPROVED, PROMOTING, RELEASED, begin_left_alone
from gate.lab.stage import Stage
from gate.render.report.subject import Kind

NOT_THERE = "/not-there"
"""A path that the release does not answer: no Pod becomes ready."""


def _normal(stage: Stage) -> str:
    return stage.pin(stage.release("1.1.0"))


def _broken(stage: Stage) -> str:
    message = "Ask another path whether it is ready"
    return stage.pin(stage.release("1.1.0", message, note="broken", readiness_path=NOT_THERE))


def _recovered(stage: Stage) -> str:
    return stage.pin(stage.revert("broken", RELEASED))


def _rolling(stage: Stage) -> str:
    return stage.pin(stage.release("1.2.0", "Release 1.2.0, one Pod after another", strategy="RollingUpdate"))


def _broken_rolling(stage: Stage) -> str:
    message = "Ask another path whether it is ready"
    broken = {"strategy": "RollingUpdate", "readiness_path": NOT_THERE}
    return stage.pin(stage.release("1.2.0", message, note="broken", **broken))


STORY = Scenario(
    "story",
    "a good release, a readiness path that does not exist, recovery by git revert; Recreate, then RollingUpdate;"
    " the report of it, and the approval of the promotion",
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
        ReportAct(
            "report",
            "What the evidence of acts 1 to 3 shows together",
            good="normal",
            bad="broken",
            recovered="recovered",
            expected=ExpectedReport(Kind.REVERT, ("same tree as good, new SHA", "statuscode: 404")),
        ),
        APPROVED,
        NOT_APPROVED,
    ),
    begin=begin_left_alone,
    settings=PROMOTING,
)
