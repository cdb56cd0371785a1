"""A change cannot loosen its own gate: what it changes is judged, and never obeyed."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.support import situations
from tests.support.action import Stage, stage
from tests.support.bundles import Json
from tests.support.environments import manifest
from tests.support.github import PERSON
from tests.support.promoting import (
    CONFIG,
    GATE,
    PRODUCTION,
    STAGING,
    about,
    layout,
    link,
    propose,
    read_at,
    settle,
    state,
)
from tests.support.sampling import sampled


def everything_allowed(raw: Json) -> None:
    raw["environments"]["staging"]["policy"] |= {
        "allow": ["answers-without-identity", "publishes-not-ready", "refresh"],
        "unjudged-kinds": ["CronJob"],
        "degraded-grace": "24h",
    }
    raw["allow"] = ["pull-request-target"]


def no_requests(raw: Json) -> None:
    del raw["environments"]["staging"]["requests"]


def pins_elsewhere(raw: Json) -> None:
    raw["environments"]["production"]["applications"] = [{"name": "shop", "pin": {"file": STAGING}}]


def promotes_to_nothing(raw: Json) -> None:
    del raw["environments"]["staging"]["promotes-to"]


def renamed(raw: Json) -> None:
    raw["environments"]["prod"] = raw["environments"].pop("production")
    raw["environments"]["staging"]["promotes-to"] = "prod"


def of_its_own_branch(raw: Json) -> None:
    raw["environments"]["production"]["branch"] = "somewhere"


def no_time(raw: Json) -> None:
    raw["environments"]["staging"]["timeout"] = "2s"


CHANGES = [everything_allowed, no_requests, pins_elsewhere, promotes_to_nothing, renamed, of_its_own_branch, no_time]


def loosened(change: Callable[[Json], None]) -> str:
    raw = copy.deepcopy(layout())
    change(raw)
    return yaml.safe_dump(raw)


@pytest.mark.parametrize("change", sampled(CHANGES, [no_requests, pins_elsewhere]), ids=lambda one: one.__name__)
def test_a_pull_request_that_changes_the_configuration(change: Callable[[Json], None], tmp_path: Path) -> None:
    with stage(tmp_path, situations.broken(), config=layout()) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.commit), CONFIG: loosened(change)})
        ended = on.run()
        assert (ended.code, ended.outputs["reason"]) == (1, "ProgressDeadlineExceeded"), ended.log
        assert state(on) == "failure"
        assert read_at(on, CONFIG) == {"refs/heads/main"}
        assert "Opt-in in force" not in ended.summary


@pytest.mark.parametrize("event", sampled(["push", "workflow_dispatch", "workflow_run", "deployment"], ["push"]))
def test_the_same_commit_by_another_event(event: str, tmp_path: Path) -> None:
    """Its status would stand on the head of the pull request, opened before or after."""
    with stage(tmp_path, situations.broken(), config=layout()) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.commit), CONFIG: loosened(no_requests)})
        aim(on, event)
        ended = on.run()
        assert (ended.code, ended.outputs["reason"]) == (1, "ProgressDeadlineExceeded"), ended.log
        assert state(on) == "failure"
        assert on.promotion not in read_at(on, CONFIG)
        assert read_at(on, CONFIG) != set()


def aim(on: Stage, event: str, branch: str = "promote/next") -> None:
    """The event is about the tip of the branch, as if no pull request were there."""
    made, on.event = on.lab.github.events(), event
    tip = on.lab.repository.git.commit("main")
    assert tip is not None
    on.more |= {"GITHUB_REF": f"refs/heads/{branch}", "GITHUB_SHA": on.promotion}
    if event == "push":
        on.payload = made.push(branch)
    elif event == "workflow_run":
        on.payload = made.workflow_run(on.promotion, branch)
        on.more["GITHUB_SHA"] = tip
    elif event == "deployment":
        on.payload = {**made.workflow_dispatch(branch), "deployment": {"sha": on.promotion}}
    else:
        on.payload = made.workflow_dispatch(branch)


@pytest.mark.exhaustive
@pytest.mark.parametrize("event", ["push", "workflow_dispatch"])
def test_another_event_asks_the_same_question(event: str, tmp_path: Path) -> None:
    """Not whether staging is well at what it runs itself, but whether it runs what would be promoted."""
    with stage(tmp_path, config=layout()) as on:
        settle(on)
        other = on.lab.repository.commit("hotfix", {"release": "1.0.1\n"}, "Hotfix", parents=[on.old])
        propose(on, {PRODUCTION: manifest(other)})
        aim(on, event)
        ended = on.run(timeout="3s")
        assert (ended.code, ended.outputs["reason"]) == (2, "NotPinned"), ended.log
        propose(on, {PRODUCTION: manifest(on.commit)}, "promote/right")
        aim(on, event, "promote/right")
        on.inputs["timeout"] = ""
        assert on.run().code == 0
        assert state(on) == "success"


def test_a_revision_that_is_given_does_not_stand_in_for_what_is_promoted(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        settle(on)
        other = on.lab.repository.commit("hotfix", {"release": "1.0.1\n"}, "Hotfix", parents=[on.old])
        propose(on, {PRODUCTION: manifest(other)})
        ended = on.run(revision=on.commit)
        assert ended.code == 64, ended.log
        assert state(on) == "error"
        assert f"would promote {other}" in ended.log


@pytest.mark.exhaustive
def test_a_person_may_still_ask_about_a_commit_on_a_branch_that_promotes_nothing(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        settle(on)
        propose(on, {"README.md": "# More\n"})
        aim(on, "workflow_dispatch")
        ended = on.run(revision=on.commit)
        assert (ended.code, ended.outputs["reason"]) == (0, "AllLayersAgree"), ended.log


def test_a_manifest_that_becomes_a_link(tmp_path: Path) -> None:
    """GitHub answers with the file behind it: it would say what staging says, now and ever after."""
    with stage(tmp_path, config=layout()) as on:
        tip = settle(on)
        link(on, "promote/next", PRODUCTION, "../staging/shop.yaml", parent=tip)
        about(on, on.lab.github.open_pull("promote/next").number)
        ended = on.run()
        assert (ended.code, ended.outputs["reason"]) == (2, "PromotedPinAbsent"), ended.log
        assert "symbolic link" in ended.result["message"]
        assert state(on) == "error"


def test_a_file_behind_a_link_that_was_there_before(tmp_path: Path) -> None:
    behind = "apps/production/real.yaml"
    with stage(tmp_path, situations.broken(), config=layout()) as on:
        settle(on, **{behind: manifest(on.old)})
        tip = on.lab.repository.git.commit("main")
        assert tip is not None
        link(on, "main", PRODUCTION, "real.yaml", parent=tip)
        propose(on, {"README.md": "# More\n"})
        assert on.run().outputs["reason"] == "NothingToGate"
        propose(on, {behind: manifest(on.commit)}, "promote/behind")
        ended = on.run()
        assert (ended.code, ended.outputs["reason"]) == (1, "ProgressDeadlineExceeded"), ended.log


@pytest.mark.exhaustive
def test_attributes_change_nothing_of_what_is_read(tmp_path: Path) -> None:
    attributes = f"{PRODUCTION} -text merge=ours working-tree-encoding=UTF-16 export-ignore\n"
    with stage(tmp_path, situations.broken(), config=layout()) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.commit), ".gitattributes": attributes})
        ended = on.run()
        assert (ended.code, state(on)) == (1, "failure"), ended.log


@pytest.mark.exhaustive
def test_a_comment_that_somebody_planted_is_left_alone(tmp_path: Path) -> None:
    with stage(tmp_path, situations.broken(), config=layout()) as on:
        settle(on)
        number = propose(on, {PRODUCTION: manifest(on.commit)})
        planted = (
            f"<!-- promotion-gate:staging:commit={on.promotion}:run=9:attempt=9:at=20990101T000000Z -->\n### passed"
        )
        on.lab.github.plant_comment(number, planted, PERSON)
        assert on.run().code == 1
        theirs, ours = on.comments()
        assert theirs == planted
        assert "ProgressDeadlineExceeded" in ours


def test_a_status_of_another_context_opens_nothing(tmp_path: Path) -> None:
    from gate.lab.github.merging import MergeRefused

    with stage(tmp_path, situations.broken(), config=layout()) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.commit)})
        on.lab.github.plant_status(on.promotion, "success", "gate/production")
        assert on.run().code == 1
        with pytest.raises(MergeRefused, match=GATE):
            on.lab.github.merge_pull(on.pull)


def test_a_base_that_the_author_chose_decides_nothing(tmp_path: Path) -> None:
    """A branch where it is promoted already and everything allowed; then the pull request is turned to main."""
    from gate.lab.github.merging import MergeRefused

    with stage(tmp_path, situations.broken(), config=layout()) as on:
        tip = settle(on)
        bad = {PRODUCTION: manifest(on.commit), CONFIG: loosened(no_requests)}
        on.lab.repository.commit("evil", bad, "Evil", parents=[tip])
        number = propose(on, {"README.md": "# More\n"}, base="evil")
        ended = on.run()
        assert (ended.code, ended.outputs["reason"]) == (1, "ProgressDeadlineExceeded"), ended.log
        assert read_at(on, CONFIG) == {"refs/heads/main"}
        turned = on.lab.api.patch(f"{on.lab.url}/pulls/{number}", json={"base": "main"})
        assert turned.status_code == 200
        with pytest.raises(MergeRefused, match=GATE):
            on.lab.github.merge_pull(number)
