"""An approval as the runner runs it: stored evidence and a second look, or the difference by its name."""

import json
from pathlib import Path

import pytest

from gate.lab.github.merging import MergeRefused
from tests.support import situations
from tests.support.action import Stage, stage
from tests.support.approving import approve, change, check, checked
from tests.support.bundles import recording
from tests.support.environments import manifest
from tests.support.kept import read_whole
from tests.support.promoting import GATE, PRODUCTION, layout, propose, settle, state


def refuses_to_merge(on: Stage) -> None:
    with pytest.raises(MergeRefused, match=GATE):
        on.lab.github.merge_pull(on.pull)


def test_good_evidence_and_a_good_service_are_approved(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        basis = read_whole(checked(on))
        ended = approve(on)
        assert ended.code == 0, ended.log
        assert (ended.outputs["verdict"], ended.outputs["reason"]) == ("passed", "AllLayersAgree")
        assert on.statuses(on.promotion) == [("pending", GATE), ("success", GATE)]
        assert basis.digest in on.comments()[0]
        own = read_whole(on.workspace / ended.outputs["evidence"])
        assert (own.run.approves, own.run.id) == (basis.digest, "4712-1-approval")
        assert own.verdict.intended == on.commit
        assert own.run.reported_commit == on.promotion
        assert on.lab.github.merge_pull(on.pull).merged_at is not None


def test_a_service_that_broke_behind_its_back_is_caught(tmp_path: Path) -> None:
    moving = situations.moving(recording(), situations.broken())
    with stage(tmp_path, moving, config=layout()) as on:
        checked(on)
        on.cluster.show(1)
        ended = approve(on)
        assert ended.code == 1, ended.log
        assert ended.outputs["reason"] == "ProgressDeadlineExceeded"
        assert state(on) == "failure"
        refuses_to_merge(on)
