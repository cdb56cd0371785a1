"""An environment that was checked, and the promotion pull request that is to be approved by that."""

from __future__ import annotations

from pathlib import Path

from tests.support.action import Stage
from tests.support.environments import manifest
from tests.support.promoting import PRODUCTION, propose, settle
from tests.support.runs import Ended


def check(on: Stage, run: int = 4711, **inputs: str) -> Ended:
    """The check after main was pushed, whose evidence stays in the workspace."""
    tip = on.lab.repository.git.commit("main")
    assert tip is not None
    on.event, on.payload = "push", on.lab.github.events().push()
    on.more |= {"GITHUB_RUN_ID": str(run), "GITHUB_SHA": tip}
    on.inputs.pop("evidence", None)
    return on.run(mode="check", **inputs)


def checked(on: Stage) -> Path:
    """Staging is at the new commit and has passed, and a pull request would promote it; the evidence file."""
    settle(on)
    ended = check(on)
    assert ended.code == 0, ended.log
    propose(on, {PRODUCTION: manifest(on.commit)})
    [file] = on.evidence()
    return file


def approve(on: Stage, evidence: Path | str = "evidence", run: int = 4712, **inputs: str) -> Ended:
    """The approval of the pull request that the event is about."""
    on.more["GITHUB_RUN_ID"] = str(run)
    return on.run(mode="approve", evidence=str(evidence), **inputs)
