"""The post step: what a killed run left pending becomes an error; everything else is left alone."""

import signal
from pathlib import Path

import pytest

from gate.lab.github import Fault
from tests.support import situations
from tests.support.action import POST, PROGRAM, RUN, Stage, Started, stage
from tests.support.bumping import bump_stage, tip
from tests.support.environments import SERVER
from tests.support.github import NAME
from tests.support.runs import Ended

pytestmark = pytest.mark.exhaustive

CONTEXT = "gate/staging"
PENDING, ERROR = ("pending", CONTEXT), ("error", CONTEXT)
SAID = "the run ended without a verdict"


def run_url(run: int = RUN, attempt: int = 1) -> str:
    return f"{SERVER}/{NAME}/actions/runs/{run}/attempts/{attempt}"


def waiting(on: Stage, program: list[str] | None = None) -> Started:
    """A run that has said pending and looks at the cluster."""
    started = on.start(program=program)
    started.until(lambda: on.cluster.applications_read >= 2)
    return started


def killed(on: Stage, program: list[str] | None = None) -> Ended:
    """A run that got no chance to say anything more."""
    started = waiting(on, program)
    started.send(signal.SIGKILL)
    ended = started.end()
    assert ended.code == -signal.SIGKILL
    assert on.statuses()[-1] == PENDING
    return ended


def asked_after(on: Stage, before: int) -> list[str]:
    """The requests that GitHub had since it had so many."""
    return [f"{one.method} {one.path}" for one in on.lab.github.requests[before:]]


def test_a_killed_run_is_closed(tmp_path: Path) -> None:
    with stage(tmp_path, situations.not_pinned()) as on:
        killed(on, program=PROGRAM)
        ended = on.after(program=POST)
        assert ended.code == 0, ended.log
        [*_, last] = on.lab.github.statuses(on.commit)
        assert (last["state"], last["context"], last["description"]) == ("error", CONTEXT, SAID)
        assert last["target_url"] == run_url()
        assert SAID in ended.log
        assert ended.annotations == []


def test_a_stuck_run_is_killed_with_the_runners_timing_and_closed(tmp_path: Path) -> None:
    with stage(tmp_path, situations.not_pinned()) as on:
        started = waiting(on)
        started.send(signal.SIGSTOP)  # it hears no other signal
        started.cancel()
        assert started.end().code == -signal.SIGKILL
        assert on.statuses()[-1] == PENDING
        assert on.after().code == 0
        assert on.statuses()[-1] == ERROR


def test_a_cancelled_run_needs_only_the_first_signal_and_leaves_nothing(tmp_path: Path) -> None:
    with stage(tmp_path, situations.not_pinned()) as on:
        started = waiting(on, PROGRAM)
        started.cancel()
        assert started.end().code == 128 + signal.SIGINT
        before = on.statuses()
        assert before[-1] == ERROR
        requests = len(on.lab.github.requests)
        assert on.after().code == 0
        assert asked_after(on, requests) == []
        assert on.statuses() == before


def test_a_run_that_ended_by_itself_leaves_nothing(tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        assert on.run().code == 0
        requests = len(on.lab.github.requests)
        ended = on.after()
        assert (ended.code, ended.log) == (0, "")
        assert asked_after(on, requests) == []
        assert on.statuses() == [PENDING, ("success", CONTEXT)]


@pytest.mark.parametrize(
    ("state", "url"),
    [("pending", run_url(RUN + 1)), ("pending", run_url(attempt=2)), ("pending", None), ("success", run_url())],
    ids=["another run", "another attempt", "nobody's", "a verdict"],
)
def test_what_came_later_is_left_alone(state: str, url: str | None, tmp_path: Path) -> None:
    with stage(tmp_path, situations.not_pinned()) as on:
        killed(on)
        on.lab.github.plant_status(on.commit, state, CONTEXT, target_url=url)
        before = on.statuses()
        ended = on.after()
        assert (ended.code, ended.stderr) == (0, "")
        assert on.statuses() == before


def test_another_context_that_came_later_hides_nothing(tmp_path: Path) -> None:
    with stage(tmp_path, situations.not_pinned()) as on:
        killed(on)
        on.lab.github.plant_status(on.commit, "success", "gate/production", target_url=run_url())
        assert on.after().code == 0
        assert on.statuses()[-2:] == [("success", "gate/production"), ERROR]


def test_both_commits_of_a_killed_bump_are_closed(tmp_path: Path) -> None:
    with bump_stage(tmp_path, situations.not_pinned()) as on:
        killed(on)
        assert on.after().code == 0
        for commit in (on.commit, tip(on)):
            assert on.statuses(commit)[-1] == ERROR


def test_a_verdict_that_github_did_not_take_is_no_verdict(tmp_path: Path) -> None:
    with stage(tmp_path, faults=(Fault(method="POST", path="*/statuses/*", skip=1, times=None, status=422),)) as on:
        assert on.run().code == 65
        assert on.statuses()[-1] == PENDING
        on.lab.github.faults.clear()
        assert on.after().code == 0
        assert on.statuses()[-1] == ERROR


@pytest.mark.parametrize("fault", [Fault(times=None, status=403), Fault(times=None, status=401)], ids=["403", "401"])
def test_a_token_that_may_not_write_fails_nothing(fault: Fault, tmp_path: Path) -> None:
    with stage(tmp_path, situations.not_pinned()) as on:
        killed(on)
        on.lab.github.faults.add(fault)
        ended = on.after()
        assert ended.code == 0
        assert f"commit status {CONTEXT}" in ended.log
        assert "Traceback" not in ended.log
        assert on.statuses()[-1] == PENDING


def test_a_fork_leaves_nothing(tmp_path: Path) -> None:
    with stage(tmp_path, situations.not_pinned()) as on:
        on.on_pull_request(fork=True)
        killed_early = on.start()
        killed_early.until(lambda: on.cluster.applications_read >= 2)
        killed_early.send(signal.SIGKILL)
        killed_early.end()
        requests = len(on.lab.github.requests)
        ended = on.after()
        assert (ended.code, ended.log) == (0, "")
        assert asked_after(on, requests) == []


@pytest.mark.parametrize("kept", ["nonsense", "[]", '{"environment":"staging","run_url":"","commits":[["x","y"]]}'])
def test_what_is_no_note_is_said_and_fails_nothing(kept: str, tmp_path: Path) -> None:
    with stage(tmp_path, situations.not_pinned()) as on:
        killed(on)
        (tmp_path / "commands" / "state").write_text(f"pending={kept}\n")
        ended = on.after()
        assert ended.code == 0
        assert ended.log.strip() != ""
        assert "Traceback" not in ended.log
        assert on.statuses()[-1] == PENDING
