"""Which commit an event is about, as the runner tells it: where the status goes, and whose configuration is read."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.action import Stage, stage
from tests.support.bundles import Json
from tests.support.promoting import CONFIG, GATE, read_at
from tests.support.sampling import sampled


def told(on: Stage, event: str) -> None:
    """An event of the default branch, with its payload."""
    made = on.lab.github.events()
    tip = on.lab.repository.git.commit("main")
    assert tip is not None
    on.event = event
    payloads: dict[str, Callable[[], Json]] = {
        "push": made.push,
        "schedule": made.schedule,
        "workflow_dispatch": made.workflow_dispatch,
        "repository_dispatch": lambda: made.repository_dispatch("deployed"),
        "workflow_run": lambda: made.workflow_run(tip, "main"),
    }
    on.payload = payloads[event]()


@pytest.mark.exhaustive
@pytest.mark.parametrize("event", ["push", "schedule", "workflow_dispatch", "repository_dispatch", "workflow_run"])
def test_an_event_of_the_default_branch_is_about_its_tip(event: str, tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        told(on, event)
        ended = on.run()
        assert ended.code == 0, ended.log
        assert on.statuses() == [("pending", GATE), ("success", GATE)]
        # What the run before was about is only known by a name, which may be a tag's.
        assert read_at(on, CONFIG) == {"refs/heads/main" if event == "workflow_run" else on.commit}


@pytest.mark.parametrize("event", sampled(["pull_request", "pull_request_review"], ["pull_request"]))
def test_a_pull_request_is_about_its_head(event: str, tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        on.event, on.payload = event, on.lab.github.events().pull_request(on.pull)
        on.more["GITHUB_SHA"] = "f" * 40  # the test merge
        assert on.run(environment="production").code == 0
        assert [state for state, _ in on.statuses(on.promotion)] == ["pending", "success"]
        assert read_at(on, CONFIG) == {"refs/heads/main"}


@pytest.mark.parametrize("event", ["issue_comment", "release", "check_suite"])
def test_an_event_that_is_about_no_commit_is_refused(event: str, tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        on.event, on.payload = event, on.lab.github.events().workflow_dispatch()
        ended = on.run()
        assert ended.code == 64, ended.log
        assert on.statuses() == []
