"""Scenarios about what was meant: pins that are missing, moved, or pin nothing."""

from gate.lab.scenarios.act import NO_OP, Act, Expected, Scenario
from gate.lab.stage import Stage


def _pushed(stage: Stage) -> str:
    return stage.release("1.1.0")


def _branch(stage: Stage) -> str:
    stage.pin("main")
    return stage.release("1.1.0")


def _superseded(stage: Stage) -> str:
    asked = stage.pin(stage.release("1.1.0"))
    stage.pin(stage.release("1.2.0"))
    return asked


def _no_op(stage: Stage) -> str:
    return stage.pin(stage.push({"README.md": "# Orders\n\nWhat it is.\n"}, "Describe the release"))


def _deleted(stage: Stage) -> str:
    stage.delete("Application", stage.name)
    return stage.release("1.1.0")


NOT_PINNED = Scenario(
    "not-pinned",
    "a commit is pushed, and the Application is still pinned to the one before",
    (
        Act(
            "pushed",
            "Pushed, and not pinned",
            _pushed,
            Expected("held", "NotPinned", "intent", ("it is not pinned to it",), timed_out=True),
            timeout=6,
        ),
    ),
)
BRANCH = Scenario(
    "branch-as-pin",
    "targetRevision is a branch, which pins nothing",
    (Act("branch", "Pinned to the branch main", _branch, Expected("held", "PinNotACommit", "intent", ("'main'",))),),
)
SUPERSEDED = Scenario(
    "superseded",
    "a newer commit is pinned while the older one is asked about",
    (
        Act(
            "superseded",
            "A newer commit is pinned",
            _superseded,
            Expected("superseded", "NewerCommitPinned", "intent", ("a descendant of the intended",)),
        ),
    ),
)
NO_OPERATION = Scenario(
    "no-op",
    "a commit that changes nothing for the Application, so that no operation runs",
    (Act("no-op", "Only the README changed", _no_op, NO_OP),),
)
ABSENT = Scenario(
    "no-application",
    "the Application was deleted",
    (
        Act(
            "deleted",
            "The Application is gone",
            _deleted,
            Expected("held", "ApplicationAbsent", "intent", ("is not there",), timed_out=True),
            timeout=8,
        ),
    ),
)
