"""A re-check as the runner runs it: open promotion pull requests turn red and green with the environment before."""

from pathlib import Path

import pytest

from gate.lab.github.merging import MergeRefused
from tests.support import situations
from tests.support.action import Stage, stage
from tests.support.bundles import recording
from tests.support.environments import manifest
from tests.support.promoting import GATE, PRODUCTION, STAGING, branches, layout, propose, settle, state
from tests.support.runs import Ended


def recheck(on: Stage, attempt: int = 1, event: str = "schedule") -> Ended:
    """One re-check, by the clock or by hand."""
    made = on.lab.github.events()
    on.event, on.payload = event, made.schedule() if event == "schedule" else made.workflow_dispatch()
    tip = on.lab.repository.git.commit("main")
    assert tip is not None
    on.more |= {"GITHUB_RUN_ATTEMPT": str(attempt), "GITHUB_SHA": tip}
    return on.run(mode="recheck")


def states(on: Stage, commit: str) -> list[str]:
    return [said for said, context in on.statuses(commit) if context == GATE]


def test_a_promotion_turns_red_when_staging_degrades(tmp_path: Path) -> None:
    with stage(tmp_path, situations.moving(recording(), situations.broken()), config=layout()) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.commit)})
        assert on.run().code == 0
        on.cluster.show(1)
        ended = recheck(on, 2)
        assert ended.code == 1, ended.log
        assert states(on, on.promotion) == ["pending", "success", "failure"]
        assert ended.outputs["verdict"] == "failed"
        assert f"| #{on.pull} |" in ended.summary
        [comment] = on.comments()
        assert "ProgressDeadlineExceeded" in comment
        with pytest.raises(MergeRefused, match=GATE):
            on.lab.github.merge_pull(on.pull)


def test_it_turns_green_again_and_nothing_is_said_twice(tmp_path: Path) -> None:
    with stage(tmp_path, situations.moving(situations.broken(), recording()), config=layout()) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.commit)})
        assert recheck(on).code == 1
        again = recheck(on, 2)
        assert again.code == 1
        assert states(on, on.promotion) == ["failure"]
        assert "says failure already" in again.log
        on.cluster.show(1)
        assert recheck(on, 3, "workflow_dispatch").code == 0
        assert states(on, on.promotion) == ["failure", "success"]
        assert on.lab.github.merge_pull(on.pull).merged_at is not None


@pytest.mark.exhaustive
def test_one_look_at_the_cluster_serves_all_that_promote_the_same(tmp_path: Path) -> None:
    """Each pull request has its own answer all the same, and what promotes nothing is left alone."""
    with stage(tmp_path, config=layout()) as on:
        tip = settle(on)
        on.lab.repository.commit("main", {"other.md": "x\n"}, "Other")
        heads = {}
        pulls: dict[str, dict[str, str | None]] = {
            "promote/one": {PRODUCTION: manifest(on.commit)},
            "promote/two": {PRODUCTION: manifest(on.commit), "README.md": "# More\n"},
            "docs": {"README.md": "# Docs\n"},
            "bad": {PRODUCTION: None},
            "staging": {STAGING: manifest(on.old)},
        }
        for branch, files in pulls.items():
            propose(on, files, branch)
            heads[branch] = on.promotion
        ended = recheck(on)
        assert ended.code == 2, ended.log
        assert ended.outputs["reason"] == "PromotedPinAbsent"
        said = {branch: states(on, head) for branch, head in heads.items()}
        assert said == {
            "promote/one": ["success"],
            "promote/two": ["success"],
            "docs": [],
            "bad": ["error"],
            "staging": [],
        }
        assert on.statuses(tip) == []
        assert on.cluster.applications_read <= 6  # two bundles of one check
        assert len(on.evidence()) == 1


def test_without_an_open_promotion_there_is_nothing_to_gate(tmp_path: Path) -> None:
    with stage(tmp_path, situations.broken(), config=layout()) as on:
        settle(on)
        ended = recheck(on)
        assert (ended.code, ended.outputs["reason"]) == (0, "NothingToGate"), ended.log
        assert on.cluster.asked == []
        assert {one.method for one in on.lab.github.requests} == {"GET"}


@pytest.mark.exhaustive
def test_a_status_that_somebody_else_wrote_is_said_anew(tmp_path: Path) -> None:
    from tests.support.github import PERSON

    with stage(tmp_path, config=layout()) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.commit)})
        assert on.run().code == 0
        told = on.descriptions(on.promotion)[-1]
        on.lab.github.plant_status(on.promotion, "success", GATE, description=told, creator=PERSON)
        assert recheck(on, 2).code == 0
        assert states(on, on.promotion) == ["pending", "success", "success", "success"]


def test_a_run_that_is_under_way_is_not_overtaken_by_a_short_look(tmp_path: Path) -> None:
    with stage(tmp_path, situations.not_pinned(), config=layout()) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.commit)})
        on.lab.github.plant_status(on.promotion, "pending", GATE, description="waiting for evidence")
        on.inputs["timeout"] = "2s"
        ended = recheck(on)
        assert ended.code == 2, ended.log
        assert state(on) == "pending"


def test_github_takes_none_of_it(tmp_path: Path) -> None:
    from gate.lab.github import Fault

    with stage(tmp_path, config=layout()) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.commit)})
        on.lab.github.faults.add(Fault(method="POST", path="*/statuses/*", times=None, status=403))
        ended = recheck(on)
        assert ended.code == 65, ended.log
        assert "GitHub did not take all of it" in ended.summary


@pytest.mark.exhaustive
def test_with_a_branch_for_each_environment(tmp_path: Path) -> None:
    moving = situations.moving(situations.broken(), recording())
    with stage(tmp_path, moving, config=layout()) as on:
        head = branches(on)
        ended = recheck(on)
        assert ended.code == 1, ended.log
        assert states(on, head) == ["failure"]
        on.cluster.show(1)
        assert recheck(on, 2).code == 0
        assert states(on, head) == ["failure", "success"]


@pytest.mark.parametrize("event", ["pull_request", "merge_group"])
def test_a_recheck_is_about_no_single_commit(event: str, tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.commit)})
        if event == "merge_group":
            from tests.support import events

            on.event, on.payload = event, events.merge_group(on.promotion, on.pull)
        ended = on.run(mode="recheck")
        assert ended.code == 64, ended.log
        assert on.statuses(on.promotion) == []


def test_an_environment_that_promotes_to_nothing_has_nothing_to_recheck(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        settle(on)
        on.inputs["environment"] = "production"
        ended = recheck(on)
        assert ended.code == 64, ended.log
        assert "promotes-to" in ended.log
