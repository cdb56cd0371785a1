"""Trouble with GitHub: no verdict becomes better by it, and no success is said that GitHub did not take."""

import sys
from pathlib import Path

import pytest

from gate.lab.github import Fault
from tests.support import events, situations
from tests.support.action import PROGRAM, stage
from tests.support.bundles import Json, recording

STREAMS = ("2>&-", ">&-", "2>/dev/full", ">/dev/full", ">&- 2>&-", ">/dev/full 2>/dev/full")
READ_ONLY = {"contents": "read", "statuses": "read", "pull-requests": "read", "metadata": "read"}


@pytest.mark.parametrize(("state", "code"), [(recording(), 0), (situations.broken(), 1)], ids=["passed", "failed"])
def test_a_pull_request_from_a_fork_attempts_nothing(state: Json, code: int, tmp_path: Path) -> None:
    """Its token cannot write: the verdict is in the log, the summary and the exit code."""
    with stage(tmp_path, state, permissions=READ_ONLY) as on:
        on.on_pull_request(fork=True)
        ended = on.run(environment="production")
        assert ended.code == code, ended.log
        assert {one.method for one in on.lab.github.requests} == {"GET"}
        assert ended.log.count("the token of this event is read-only") == 2  # the status, the comment
        assert on.statuses(on.promotion) == []
        assert ended.summary != ""


@pytest.mark.parametrize(("state", "code"), [(recording(), 65), (situations.broken(), 1)], ids=["passed", "failed"])
def test_a_token_that_may_not_write(state: Json, code: int, tmp_path: Path) -> None:
    with stage(tmp_path, state, permissions=READ_ONLY) as on:
        ended = on.run()
        assert ended.code == code, ended.log
        assert on.statuses() == []
        assert "commit status gate/staging" in ended.log
        assert "statuses: write" in ended.log
        assert ended.annotations[0].name == "error"


@pytest.mark.exhaustive  # as long as GitHub is asked again
@pytest.mark.parametrize(("state", "code"), [(recording(), 65), (situations.broken(), 1)], ids=["passed", "failed"])
def test_github_is_gone_when_the_verdict_is_there(state: Json, code: int, tmp_path: Path) -> None:
    with stage(tmp_path, state) as on:
        on.lab.github.faults.add(Fault(method="POST", path="*/statuses/*", skip=1, times=None, status=503))
        ended = on.run()
        assert ended.code == code, ended.log
        assert on.statuses() == [("pending", "gate/staging")]
        assert "503" in ended.log
        assert "NotPublished" in ended.log or code == 1


@pytest.mark.exhaustive
def test_github_stumbles_and_gets_up_again(tmp_path: Path) -> None:
    """5xx with and without effect, a limit: all within the time that there is, and nothing is said twice."""
    faults = (
        Fault(method="POST", path="*/statuses/*", status=502),
        Fault(method="GET", path="*/contents/*", status=500),
        Fault(method="POST", path="*/comments", status=502, after=True),
        Fault(kind="secondary-limit", method="GET", path="*/comments", retry_after=1),
    )
    with stage(tmp_path, faults=faults) as on:
        on.on_pull_request()
        ended = on.run(environment="production")
        assert ended.code == 0, ended.log
        assert [state for state, _ in on.statuses(on.promotion)] == ["pending", "success"]
        assert len(on.comments()) == 1


@pytest.mark.exhaustive
def test_statuses_that_fail_at_the_beginning_do_not_stop_the_judging(tmp_path: Path) -> None:
    refused = Fault(method="POST", path="*/statuses/*", times=1, status=403)
    with stage(tmp_path, faults=(refused,)) as on:
        ended = on.run()
        assert ended.code == 0, ended.log
        assert on.statuses() == [("success", "gate/staging")]
        assert "was not published" in ended.log


def test_a_comment_that_is_refused_is_never_a_success(tmp_path: Path) -> None:
    refused = Fault(method="POST", path="*/comments", times=None, status=403)
    with stage(tmp_path, faults=(refused,)) as on:
        on.on_pull_request()
        ended = on.run(environment="production")
        assert ended.code == 65, ended.log
        assert [state for state, _ in on.statuses(on.promotion)] == ["pending", "error"]
        assert "NotPublished" in on.descriptions(on.promotion)[-1]
        assert ended.annotations[0].name == "error"


@pytest.mark.exhaustive
def test_comments_that_are_not_wanted_are_not_missed(tmp_path: Path) -> None:
    refused = Fault(method="*", path="*/comments", times=None, status=403)
    with stage(tmp_path, faults=(refused,)) as on:
        on.on_pull_request()
        ended = on.run(environment="production", comment="false")
        assert ended.code == 0, ended.log
        assert sum(on.asked_github().values()) <= 6


@pytest.mark.exhaustive
@pytest.mark.parametrize(("lag", "found"), [(2, 1), (9, 0)], ids=["a moment behind", "far behind"])
def test_an_index_that_is_behind_is_asked_again_while_the_gate_waits(lag: int, found: int, tmp_path: Path) -> None:
    """The message names no number; no pull request to comment on is no error."""
    with stage(tmp_path, situations.not_pinned(), index_lag=lag) as on:
        sha = on.lab.github.merge_pull(on.pull, method="squash").merge_commit_sha
        assert sha is not None
        on.commit, on.payload = sha, events.push(sha, message="Promote")
        ended = on.run(environment="production", timeout="4s")
        assert ended.code == 2, ended.log
        assert len(on.comments()) == found
        assert on.asked_github()["GET /commits/{commit_sha}/pulls"] == 3  # after 0 and 2 s, and at the end
        assert ("No pull request to comment on" in ended.log) is (found == 0)


def test_nothing_is_published_where_nothing_shall_be(tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        ended = on.run(publish="false")
        assert ended.code == 0, ended.log
        assert {one.method for one in on.lab.github.requests} == {"GET"}
        assert ended.outputs["verdict"] == "passed"
        assert ended.summary != ""


def test_a_crash_of_the_gate_is_an_error_on_the_commit(tmp_path: Path) -> None:
    """Its text, which may hold anything, is not shown."""
    crash = (
        "import sys\n"
        "import gate.poll\n"
        "from gate.__main__ import main\n"
        "async def run(self):\n"
        "    raise KeyError('cluster-token-that-nobody-may-see')\n"
        "gate.poll.Poll.run = run\n"
        "sys.exit(main([]))\n"
    )
    with stage(tmp_path) as on:
        ended = on.start(program=[sys.executable, "-I", "-c", crash]).end()
        assert ended.code == 70, ended.log
        assert [state for state, _ in on.statuses()] == ["pending", "error"]
        assert "InternalError" in on.descriptions()[-1]
        assert ended.outputs["verdict"] == "internal-error"
        assert "KeyError" in ended.log
        assert "report it" in ended.log
        assert "Traceback" not in ended.log


@pytest.mark.exhaustive
def test_a_crash_while_publishing_is_no_success(tmp_path: Path) -> None:
    crash = (
        "import sys\n"
        "import gate.app.announce\n"
        "from gate.__main__ import main\n"
        "async def end(self, verdict, publication):\n"
        "    raise RuntimeError('x')\n"
        "gate.app.announce.Announcer.end = end\n"
        "sys.exit(main([]))\n"
    )
    with stage(tmp_path) as on:
        ended = on.start(program=[sys.executable, "-I", "-c", crash]).end()
        assert ended.code == 70, ended.log
        assert [state for state, _ in on.statuses()] == ["pending", "error"]
        assert ended.outputs["verdict"] == "internal-error"


@pytest.mark.exhaustive
@pytest.mark.parametrize("streams", STREAMS)
def test_a_log_that_cannot_be_written_costs_no_verdict(streams: str, tmp_path: Path) -> None:
    shell = ["bash", "-c", f'exec "$@" {streams}', "bash"]  # sh drops variables with hyphens
    with stage(tmp_path) as on:
        ended = on.start(program=[*shell, *PROGRAM]).end()
        assert ended.code == 0
        assert [state for state, _ in on.statuses()] == ["pending", "success"]
        assert ended.outputs["verdict"] == "passed"
        assert "passed" in ended.summary
