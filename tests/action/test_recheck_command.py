"""``gate recheck``: the same re-check as a command, in a workflow and from a laptop."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.action.test_recheck import states
from tests.support import situations
from tests.support.action import LIMIT, Stage, stage
from tests.support.environments import manifest
from tests.support.forked import start_run
from tests.support.github import NAME
from tests.support.promoting import PRODUCTION, layout, propose, settle
from tests.support.runs import Ended

pytestmark = pytest.mark.exhaustive


def command(on: Stage, environment: dict[str, str], *arguments: str) -> Ended:
    """``gate recheck``, with these variables only."""
    given = ["recheck", "--environment", "staging", "--kubeconfig", "kubeconfig", *arguments]
    run = start_run(None, "gate.__main__", on.workspace, environment, given)
    out, err = run.communicate(timeout=LIMIT)
    ended = Ended(run.wait(), out, err, {}, "", 0)
    assert "Traceback" not in err
    assert on.lab.github.token not in out + err
    return ended


def workflow(on: Stage) -> dict[str, str]:
    """The variables of a run by the clock, and the event's file."""
    on.event, on.payload, on.inputs = "schedule", on.lab.github.events().schedule(), {}
    tip = on.lab.repository.git.commit("main")
    assert tip is not None
    (on.folder / "event.json").write_text(json.dumps(on.payload))
    told = {"GITHUB_SHA": tip, "GITHUB_EVENT_PATH": str(on.folder / "event.json"), "GITHUB_TOKEN": on.lab.github.token}
    return {**on.environment(), **told}


def laptop(on: Stage) -> dict[str, str]:
    """A person's variables: a token, and nothing of a workflow."""
    (on.workspace / "promotion-gate.yaml").write_text(yaml.safe_dump(layout()))
    told = {"HOME": str(on.folder), "GITHUB_API_URL": on.lab.github.url}
    return {**told, "GITHUB_TOKEN": on.lab.github.token}


def test_in_a_workflow_it_writes_what_the_mode_writes(tmp_path: Path) -> None:
    with stage(tmp_path, situations.moving(situations.broken()), config=layout()) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.commit)})
        ended = command(on, workflow(on), "--format", "json")
        assert ended.code == 1, ended.log
        assert states(on, on.promotion) == ["failure"]
        assert len(on.comments()) == 1
        said = json.loads(ended.stdout)
        assert (said["verdict"], said["reason"]) == ("failed", "ProgressDeadlineExceeded")
        [pull] = said["pull-requests"]
        assert (pull["number"], pull["head"], pull["verdict"]) == (on.pull, on.promotion, "failed")
        assert pull["status"] == "now says failure"


def test_from_a_laptop_it_says_what_it_would_write_and_writes_nothing(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.commit)})
        clone = str(on.lab.repository.git.directory)
        ended = command(on, laptop(on), "--no-publish", "--repository", NAME, "--repo", clone)
        assert ended.code == 0, ended.log
        assert f"Pull request #{on.pull} at {on.promotion}: passed (not to be published)." in ended.stderr
        assert {one.method for one in on.lab.github.requests} == {"GET"}
        assert states(on, on.promotion) == []


def test_from_a_laptop_a_promotion_of_another_commit_is_held(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest("main")})
        ended = command(on, laptop(on), "--no-publish", "--repository", NAME, "--format", "json")
        assert ended.code == 2, ended.log
        assert json.loads(ended.stdout)["pull-requests"][0]["reason"] == "PinNotACommit"


def test_what_it_lacks_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        settle(on)
        outside, inside = laptop(on), workflow(on)
        no_token = {**outside, "GITHUB_TOKEN": ""}
        for environment, arguments, told in (
            (outside, ["--no-publish"], "--repository OWNER/NAME"),
            (no_token, ["--no-publish", "--repository", NAME], "GITHUB_TOKEN"),
            (no_token, [], "--no-publish"),
            (outside, [], "GITHUB_EVENT_PATH is not set"),
            (inside, ["--revision", on.commit], "No such option"),
        ):
            ended = command(on, environment, *arguments)
            assert ended.code == 64, ended.log
            assert told in ended.stderr
        assert on.lab.github.requests == []
        assert on.cluster.asked == []
