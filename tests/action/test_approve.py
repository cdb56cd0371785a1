"""An approval as the runner runs it: by good evidence and a second look, wherever the evidence is kept."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
import yaml

from gate.evidence.branch import BRANCH
from gate.evidence.messages import render_message
from gate.evidence.record import EvidenceFile
from gate.lab.github.merging import MergeRefused
from tests.support import situations
from tests.support.action import Stage, stage
from tests.support.approving import approve, check, checked
from tests.support.bundles import Json, both, changed, recording
from tests.support.environments import manifest
from tests.support.kept import read_whole
from tests.support.promoting import CONFIG, GATE, PRODUCTION, layout, propose, settle, state
from tests.support.several import LABELS, second_application
from tests.support.tampering import copy_of, move


def refuses_to_merge(on: Stage) -> None:
    with pytest.raises(MergeRefused, match=GATE):
        on.lab.github.merge_pull(on.pull)


def store(on: Stage, file: Path, basis: EvidenceFile) -> str:
    """Keep an evidence file on the evidence branch; its place there."""
    place = f"staging/{basis.verdict.intended}/{basis.run.id}.json"
    on.lab.repository.commit(BRANCH, {place: file.read_text()}, render_message(basis, place), parents=[])
    return place


def reported_by(file: Path) -> str:
    """The commit that the run behind an evidence file reported on."""
    reported = json.loads(file.read_text())["run"]["reported-commit"]
    assert isinstance(reported, str)
    return reported


def test_good_evidence_and_a_good_service_are_approved(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        file = checked(on)
        basis = read_whole(file)
        refuses_to_merge(on)
        ended = approve(on, copy_of(file, tmp_path / "given"))
        assert ended.code == 0, ended.log
        assert (ended.outputs["verdict"], ended.outputs["reason"]) == ("passed", "AllLayersAgree")
        assert on.statuses(on.promotion) == [("pending", GATE), ("success", GATE)]
        [comment] = on.comments()
        assert f"rests on evidence {basis.digest} of run 4711-1" in comment
        assert on.lab.github.merge_pull(on.pull).merged_at is not None


@pytest.mark.exhaustive
def test_the_evidence_of_an_approval_says_that_it_is_one(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        file = checked(on)
        basis = read_whole(file)
        given = copy_of(file, tmp_path / "given")
        for one in file.parent.iterdir():
            one.unlink()
        ended = approve(on, given)
        assert ended.code == 0, ended.log
        own = read_whole(on.workspace / ended.outputs["evidence"])
        assert (own.run.approves, own.run.id) == (basis.digest, "4712-1-approval")
        assert (own.verdict.intended, own.run.reported_commit) == (on.commit, on.promotion)
        page = (on.workspace / ended.outputs["evidence"]).with_suffix(".html").read_text()
        assert basis.digest in page
        again = approve(on, on.workspace / ended.outputs["evidence"], run=4713)
        assert (again.code, again.outputs["reason"]) == (2, "StoredEvidenceMissing"), again.log


def test_a_service_that_broke_behind_its_back_is_caught(tmp_path: Path) -> None:
    """And when it is well again, it takes no more than another run."""
    with stage(tmp_path, situations.moving(recording(), situations.broken(), recording()), config=layout()) as on:
        checked(on)
        on.cluster.show(1)
        ended = approve(on)
        assert ended.code == 1, ended.log
        assert (ended.outputs["reason"], ended.outputs["failed-layer"]) == ("ProgressDeadlineExceeded", "readiness")
        assert len(ended.result["layers"]) == 4
        assert state(on) == "failure"
        refuses_to_merge(on)
        on.cluster.show(2)
        assert approve(on, run=4713).code == 0


@pytest.mark.exhaustive
def test_the_newest_check_counts(tmp_path: Path) -> None:
    """It failed after one that had passed; that all is well by now does not outweigh it."""
    with stage(tmp_path, situations.moving(recording(), situations.broken(), recording()), config=layout()) as on:
        checked(on)
        on.cluster.show(1)
        assert check(on, 4713).code == 1
        on.cluster.show(2)
        propose(on, {PRODUCTION: manifest(on.commit)}, "promote/again")
        ended = approve(on)
        assert (ended.code, ended.outputs["reason"]) == (2, "EvidenceNotPassed"), ended.log
        assert "run 4713-1, is failed (ProgressDeadlineExceeded)" in ended.result["message"]
        assert check(on, 4714).code == 0
        propose(on, {PRODUCTION: manifest(on.commit)}, "promote/once-more")
        assert approve(on, run=4715).code == 0


@pytest.mark.exhaustive
def test_the_configuration_has_changed_since(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        checked(on)
        on.lab.repository.commit("main", {CONFIG: yaml.safe_dump(layout(policy={"settle": "2s"}))}, "Settle longer")
        ended = approve(on)
        assert (ended.code, ended.outputs["reason"]) == (2, "EvidenceOfAnotherConfiguration"), ended.log
        refuses_to_merge(on)


@pytest.mark.exhaustive
def test_a_timeout_that_the_workflow_gives_is_no_other_configuration(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        settle(on)
        assert check(on, timeout="11s").code == 0
        propose(on, {PRODUCTION: manifest(on.commit)})
        assert approve(on, timeout="9s").code == 0


def test_a_check_that_published_nothing_proves_nothing(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        settle(on)
        assert check(on, publish="false").code == 0
        propose(on, {PRODUCTION: manifest(on.commit)})
        ended = approve(on, publish="true")
        assert (ended.code, ended.outputs["reason"]) == (2, "EvidenceNotPublished"), ended.log


@pytest.mark.exhaustive
def test_a_newer_verdict_whose_evidence_was_lost_is_not_overlooked(tmp_path: Path) -> None:
    """GitHub was told of a failure on the same commit, and what it rested on was never stored."""
    with stage(tmp_path, config=layout()) as on:
        file = copy_of(checked(on), tmp_path / "given")
        tip = on.lab.repo().get_commit(reported_by(file))
        tip.create_status("failure", "https://github.example/runs/9/attempts/1", "ServerError", context=GATE)
        tip.create_status("pending", "https://github.example/runs/10/attempts/1", "under way", context=GATE)
        tip.create_status("failure", "https://elsewhere.example", "another context", context="gate/production")
        ended = approve(on, file)
        assert (ended.code, ended.outputs["reason"]) == (2, "EvidenceNotPassed"), ended.log
        assert "GitHub has a newer failure of gate/staging" in ended.result["message"]
        assert "by https://github.example/runs/9/attempts/1, and no evidence of it" in ended.result["message"]
        refuses_to_merge(on)
        tip.create_status("success", "https://github.example/runs/10/attempts/1", "well", context=GATE)
        assert approve(on, file, run=4713).code == 0


@pytest.mark.exhaustive
def test_the_evidence_branch_is_read_where_nothing_is_given(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        file = checked(on)
        basis = read_whole(file)
        ended = approve(on, "")
        assert (ended.code, ended.outputs["reason"]) == (2, "StoredEvidenceMissing"), ended.log
        assert f"There is no branch {BRANCH}" in ended.result["message"]
        place = store(on, file, basis)
        assert approve(on, "", run=4713).code == 0
        move(file, timedelta(seconds=-1))
        on.lab.repository.commit(BRANCH, {place: file.read_text()}, "No message of the gate")
        ended = approve(on, "", run=4714)
        assert (ended.code, ended.outputs["reason"]) == (2, "EvidenceNotVerified"), ended.log
        assert "is not the file that was stored" in ended.result["message"]


@pytest.mark.exhaustive
def test_where_an_approval_is_required_nothing_else_turns_the_pull_request_green(tmp_path: Path) -> None:
    moving = situations.moving(recording(), situations.broken(), recording())
    with stage(tmp_path, moving, config=layout(approval={"required": True})) as on:
        file = copy_of(checked(on), tmp_path / "given")
        checked_here = on.run(mode="check")
        assert (checked_here.code, checked_here.outputs["reason"]) == (2, "ApprovalRequired"), checked_here.log
        refuses_to_merge(on)
        assert approve(on, file).code == 0
        about_head, on.event, on.payload = on.payload, "schedule", on.lab.github.events().schedule()
        on.inputs["evidence"] = ""
        on.cluster.show(1)
        assert on.run(mode="recheck").code == 1
        assert state(on) == "failure"
        on.cluster.show(2)
        well = on.run(mode="recheck")
        assert (well.code, state(on)) == (0, "failure"), well.log
        assert "only an approval turns it green" in well.log
        on.event, on.payload = "pull_request", about_head
        assert approve(on, file, run=4714).code == 0
        assert state(on) == "success"


@pytest.mark.exhaustive
def test_a_selector_that_finds_another_application_now(tmp_path: Path) -> None:
    """Known after the second look only; its four layers are kept, and no evidence of it."""

    def labelled(moment: Json) -> None:
        for one in both(moment):
            one["metadata"]["labels"] = dict(LABELS)

    moving = situations.moving(changed(recording(), labelled), second_application())
    raw = layout(applications=[{"selector": {"match-labels": LABELS}, "minimum": 1}])
    with stage(tmp_path, moving, config=raw) as on:
        settle(on)
        assert check(on, revision=on.commit).code == 0
        propose(on, {PRODUCTION: manifest(on.commit)})
        assert approve(on, revision="").code == 0
        on.cluster.show(1)
        ended = approve(on, run=4713)
        assert (ended.code, ended.outputs["reason"]) == (2, "EvidenceOfOtherApplications"), ended.log
        assert "is about argocd/shop; there are argocd/cart, argocd/shop now" in ended.result["message"]
        assert [layer["outcome"] for layer in ended.result["layers"]] == ["passed"] * 4
        assert (ended.outputs["failed-layer"], ended.outputs["evidence"], state(on)) == ("", "", "error")
        assert "EvidenceOfOtherApplications" in on.comments()[0]
        refuses_to_merge(on)
