"""Whose token it is: forks, Dependabot, ``pull_request_target``, and a success that GitHub does not take."""

from pathlib import Path

import pytest
import yaml

from gate.lab.github import Fault
from tests.support import situations
from tests.support.action import Stage, stage
from tests.support.bundles import Json, recording
from tests.support.environments import manifest
from tests.support.promoting import CONFIG, GATE, PRODUCTION, layout, propose, settle, state

pytestmark = pytest.mark.exhaustive

READ_ONLY = {"contents": "read", "statuses": "read", "pull-requests": "read", "metadata": "read"}
BOTH = pytest.mark.parametrize(("seen", "code"), [(recording(), 0), (situations.broken(), 1)], ids=["passed", "failed"])


def from_a_fork(on: Stage) -> None:
    """The pull request that the event is about comes from elsewhere."""
    head = on.payload["pull_request"]["head"]
    head["repo"] = {**head["repo"], "id": 777, "full_name": "somebody/environments", "fork": True}


@BOTH
def test_a_promotion_from_a_fork_is_judged_and_attempts_nothing(seen: Json, code: int, tmp_path: Path) -> None:
    with stage(tmp_path, seen, config=layout(), permissions=READ_ONLY) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.commit)})
        from_a_fork(on)
        ended = on.run()
        assert ended.code == code, ended.log
        assert {one.method for one in on.lab.github.requests} == {"GET"}
        assert "the token of this event is read-only" in ended.log
        assert f"promote {on.commit} to production" in ended.summary


@BOTH
def test_dependabot_with_the_token_that_it_has_by_default(seen: Json, code: int, tmp_path: Path) -> None:
    """The first status shows it; nothing more is attempted, and the verdict is the exit code."""
    with stage(tmp_path, seen, config=layout(), permissions=READ_ONLY) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.commit)})
        on.more["GITHUB_ACTOR"] = "dependabot[bot]"
        ended = on.run()
        assert ended.code == code, ended.log
        writes = [one for one in on.lab.github.requests if one.method != "GET"]
        assert len(writes) == 1
        assert "the token of this event is read-only" in ended.log
        assert "403" not in ended.log


def test_dependabot_where_the_workflow_grants_more(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.commit)})
        on.more["GITHUB_ACTOR"] = "dependabot[bot]"
        assert on.run().code == 0
        assert state(on) == "success"


def test_the_same_refusal_is_an_error_for_anybody_else(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout(), permissions=READ_ONLY) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.commit)})
        on.more["GITHUB_ACTOR"] = "octo-dev"
        assert on.run().code == 65


@pytest.mark.parametrize("fork", [False, True], ids=["ours", "fork"])
def test_pull_request_target_is_refused(fork: bool, tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.commit), CONFIG: yaml.safe_dump({**layout(), "allow": ["x"]})})
        on.event = "pull_request_target"
        if fork:
            from_a_fork(on)
        ended = on.run()
        assert ended.code == 64, ended.log
        assert "use pull_request" in ended.log
        assert state(on) == "error"
        assert on.cluster.asked == []


def test_pull_request_target_where_the_default_branch_allows_it(tmp_path: Path) -> None:
    with stage(tmp_path, config={**layout(), "allow": ["pull-request-target"]}) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.commit)})
        on.event = "pull_request_target"
        from_a_fork(on)
        ended = on.run()
        assert ended.code == 0, ended.log
        assert state(on) == "success"


def test_a_base_branch_cannot_allow_pull_request_target_for_itself(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        settle(on)
        allowed = yaml.safe_dump({**layout(), "allow": ["pull-request-target"]})
        tip = on.lab.repository.git.commit("main")
        assert tip is not None
        on.lab.repository.commit("other", {CONFIG: allowed}, "Allowed here", parents=[tip])
        propose(on, {PRODUCTION: manifest(on.commit)}, base="other")
        on.event = "pull_request_target"
        assert on.run().code == 64


def test_a_comment_of_a_pass_says_that_its_status_was_refused(tmp_path: Path) -> None:
    """The comment is written first, so that a success is said last: what it said is taken back."""
    with stage(tmp_path, config=layout()) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.commit)})
        on.lab.github.faults.add(Fault(method="POST", path="*/statuses/*", skip=1, times=None, status=422))
        ended = on.run()
        assert ended.code == 65, ended.log
        assert on.statuses(on.promotion) == [("pending", GATE)]
        [comment] = on.comments()
        assert "could not be published as a status" in comment.splitlines()[1]
        assert "May be promoted" not in comment
        assert "could not be published as a status" in ended.summary.splitlines()[0]


def test_a_comment_of_a_failure_keeps_its_reason_when_its_status_was_refused(tmp_path: Path) -> None:
    with stage(tmp_path, situations.broken(), config=layout()) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.commit)})
        on.lab.github.faults.add(Fault(method="POST", path="*/statuses/*", skip=1, times=None, status=422))
        ended = on.run()
        assert ended.code == 1, ended.log
        [comment] = on.comments()
        assert "failed at readiness" in comment.splitlines()[1]
