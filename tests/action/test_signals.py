"""A run that is told to end says so on the commit, within seconds, whatever it is doing."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gate.lab.github import Fault
from tests.support import situations
from tests.support.action import PROGRAM, Stage, Started, stage
from tests.support.runs import Ended

pytestmark = pytest.mark.exhaustive

SIGNALS: dict[int, int] = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
SECONDS = 3


def cancelled(on: Stage, started: Started, number: int) -> tuple[Ended, float]:
    """Send the signal twice, wait for the end; how long that took."""
    began = time.monotonic()
    started.send(number)
    started.until(lambda: [state for state, _ in on.statuses()][-1:] == ["error"])
    published = time.monotonic() - began
    if started.process.poll() is None:
        started.send(number)
    ended = started.end()
    assert on.statuses()[-1] == ("error", "gate/staging")
    assert "Cancelled" in on.descriptions()[-1]
    assert "success" not in [state for state, _ in on.statuses()]
    return ended, published


@pytest.mark.parametrize(("number", "code"), SIGNALS.items(), ids=str)
def test_while_it_waits(number: int, code: int, tmp_path: Path) -> None:
    with stage(tmp_path, situations.not_pinned()) as on:
        started = on.start(program=PROGRAM)
        started.until(lambda: on.cluster.applications_read >= 3)  # the third look follows the first verdict
        ended, published = cancelled(on, started, number)
        assert ended.code == code, ended.log
        assert published < SECONDS
        assert (ended.outputs["verdict"], ended.outputs["reason"]) == ("cancelled", "Cancelled")
        assert ended.annotations[0].name == "error"
        assert "Traceback" not in ended.log
        assert len(on.evidence()) == 1


def test_before_the_configuration_is_read(tmp_path: Path) -> None:
    slow = Fault(kind="slow", method="GET", path="*/contents/*", seconds=5)
    with stage(tmp_path, faults=(slow,)) as on:
        started = on.start(program=PROGRAM)
        started.until(lambda: any("/contents/" in one.path for one in on.lab.github.requests) or bool(on.statuses()))
        ended, published = cancelled(on, started, signal.SIGTERM)
        assert ended.code == 143, ended.log
        assert published < SECONDS
        assert ended.outputs["verdict"] == "cancelled"


def test_while_the_program_is_still_loading(tmp_path: Path) -> None:
    """Sent before it can have asked anybody anything: what it has loaded by then is left to chance."""
    slow = (
        "import builtins, os, signal, sys\n"
        "from gate.__main__ import main\n"
        "real = builtins.__import__\n"
        "def late(name, *rest, **more):\n"
        "    if name == 'gate.commands.acting':\n"
        "        os.kill(os.getpid(), signal.SIGTERM)\n"
        "    return real(name, *rest, **more)\n"
        "builtins.__import__ = late\n"
        "sys.exit(main([]))\n"
    )
    with stage(tmp_path) as on:
        ended = on.start(program=[sys.executable, "-I", "-c", slow]).end()
        assert ended.code == 143, ended.log
        assert on.statuses()[-1] == ("error", "gate/staging")
        assert ended.outputs["verdict"] == "cancelled"
        assert on.cluster.asked == []


def test_while_two_bundles_settle(tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        started = on.start(program=PROGRAM)
        started.until(lambda: any("/proxy/" in asked.target for asked in on.cluster.asked))
        ended, published = cancelled(on, started, signal.SIGINT)
        assert ended.code == 130, ended.log
        assert published < SECONDS
        assert ended.outputs["verdict"] == "cancelled"


def test_while_the_verdict_is_published(tmp_path: Path) -> None:
    """GitHub hangs at the final status: the run does not hang with it."""
    hang = Fault(kind="hang", method="POST", path="*/statuses/*", skip=1, times=1)
    with stage(tmp_path, situations.broken(), faults=(hang,)) as on:
        started = on.start(program=PROGRAM)
        started.until(lambda: on.lab.github.faults.as_json()[0]["matched"] == 2)
        ended, published = cancelled(on, started, signal.SIGTERM)
        assert ended.code == 143, ended.log
        assert published < SECONDS


def test_while_github_is_down(tmp_path: Path) -> None:
    """Nothing can be published; the run ends in time all the same, and not well."""
    with stage(tmp_path, situations.not_pinned()) as on:
        started = on.start(program=PROGRAM)
        started.until(lambda: on.cluster.applications_read >= 2)
        on.lab.github.faults.add(Fault(kind="hang", times=None))
        began = time.monotonic()
        started.send(signal.SIGINT)
        ended = started.end()
        assert ended.code == 130, ended.log
        assert time.monotonic() - began < 7
        assert "was not published" in ended.log
        assert on.statuses()[-1][0] == "pending"


def _namespaces() -> bool:
    """Whether this user can make a process the first of a PID namespace."""
    command = ["unshare", "--pid", "--fork", "true"]
    return (
        shutil.which("unshare") is not None
        and subprocess.run(command, capture_output=True, check=False).returncode == 0
    )


@pytest.mark.skipif(not _namespaces(), reason="this user cannot make a PID namespace")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=str)
def test_as_the_first_process_of_a_container(number: int, tmp_path: Path) -> None:
    with stage(tmp_path, situations.not_pinned()) as on:
        started = on.start(program=["unshare", "--pid", "--fork", "--kill-child", *PROGRAM])
        started.until(lambda: on.cluster.applications_read >= 2)
        [child] = _children(started.process.pid)
        began = time.monotonic()
        os.kill(child, number)
        ended = started.end()
        assert ended.code == SIGNALS[number], ended.log
        assert time.monotonic() - began < SECONDS + 2
        assert on.statuses()[-1] == ("error", "gate/staging")


def _children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
