"""One branch for each environment: the head of the promotion pull request is the tip that was judged already."""

from pathlib import Path

import pytest

from gate.lab.github.merging import MergeRefused
from tests.support import situations
from tests.support.action import Stage, stage
from tests.support.environments import manifest
from tests.support.promoting import CONFIG, GATE, PRODUCTION, STAGING, about, branches, layout, propose, read_at, state


def pushed(on: Stage) -> None:
    """The event is the push of the tip of ``env/staging``."""
    on.event, on.payload = "push", on.lab.github.events().push("env/staging")
    on.more |= {"GITHUB_REF": "refs/heads/env/staging", "GITHUB_SHA": on.promotion}


def test_the_status_of_the_push_is_that_of_the_pull_request(tmp_path: Path) -> None:
    """No second run is needed, and the comment stands on the open pull request into the next branch."""
    with stage(tmp_path, config=layout()) as on:
        branches(on)
        on.lab.repository.commit("other", {"x": "y"}, "Other", parents=[on.old])
        on.lab.github.open_pull("env/staging", "other")
        pushed(on)
        with pytest.raises(MergeRefused, match=GATE):
            on.lab.github.merge_pull(on.pull)
        ended = on.run()
        assert ended.code == 0, ended.log
        assert ended.result["intended"] == on.commit
        assert on.statuses(on.promotion) == [("pending", GATE), ("success", GATE)]
        assert read_at(on, CONFIG) == {"refs/heads/main"}
        assert len(on.comments()) == 1
        assert on.lab.github.merge_pull(on.pull).merged_at is not None


def test_a_push_that_staging_does_not_run_well_blocks_the_pull_request(tmp_path: Path) -> None:
    with stage(tmp_path, situations.broken(), config=layout()) as on:
        branches(on)
        pushed(on)
        assert on.run().code == 1
        assert state(on) == "failure"
        with pytest.raises(MergeRefused, match=GATE):
            on.lab.github.merge_pull(on.pull)


@pytest.mark.exhaustive
def test_the_next_push_begins_anew(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        branches(on)
        pushed(on)
        assert on.run().code == 0
        on.lab.repository.commit("env/staging", {STAGING: manifest(on.old)}, "Next")
        with pytest.raises(MergeRefused, match=GATE):
            on.lab.github.merge_pull(on.pull)


def test_the_pull_request_itself_gives_the_same_answer(tmp_path: Path) -> None:
    """What the head pins is staging's own pin."""
    with stage(tmp_path, config=layout()) as on:
        branches(on)
        about(on, on.pull)
        ended = on.run()
        assert ended.code == 0, ended.log
        assert ended.result["intended"] == on.commit
        assert read_at(on, CONFIG) == {"refs/heads/main"}
        assert state(on) == "success"


def test_a_pull_request_into_another_branch_gets_no_pass_to_take_along(tmp_path: Path) -> None:
    """Its author can have it go into env/production afterwards: the status would be there already."""
    with stage(tmp_path, config=layout()) as on:
        head = branches(on)
        on.lab.repository.commit("change", {STAGING: manifest(on.old)}, "Change", parents=[head])
        about(on, on.lab.github.open_pull("change", "env/staging").number)
        ended = on.run()
        assert ended.code == 3, ended.log
        assert state(on) == "error"


@pytest.mark.exhaustive
def test_environments_beside_each_other_on_a_branch_that_is_not_the_default(tmp_path: Path) -> None:
    """They name the same branch: a promotion changes a pin there, and is compared with that branch."""
    raw = layout(branch="env")
    raw["environments"]["production"]["branch"] = "env"
    with stage(tmp_path, config=raw) as on:
        pins = {STAGING: manifest(on.commit), PRODUCTION: manifest(on.old)}
        on.lab.repository.commit("env", dict(pins), "Environments", parents=[on.old])
        on.lab.github.require_status("env", GATE)
        propose(on, {"README.md": "# More\n"}, "docs", base="env")
        assert on.run().outputs["reason"] == "NothingToGate"
        propose(on, {PRODUCTION: manifest(on.commit)}, base="env")
        ended = on.run()
        assert (ended.code, ended.outputs["reason"]) == (0, "AllLayersAgree"), ended.log
        assert f"promote {on.commit} to production" in ended.summary
        assert on.lab.github.merge_pull(on.pull).merged_at is not None
