"""The post step in a container of its own, run as the runner runs it: the same image, inputs and files.

act runs it as well, but hands on nothing that a killed container had kept for it.
"""

import signal
from pathlib import Path

import pytest

from tests.container.engine import Engine
from tests.container.settings import IMAGE
from tests.container.workflow import post_program
from tests.support import situations
from tests.support.action import Stage, Started, stage
from tests.support.runner_protocol import outputs_in

pytestmark = pytest.mark.timeout(300)
PENDING, ERROR = ("pending", "gate/staging"), ("error", "gate/staging")


def start(engine: Engine, on: Stage, *options: str, **more: str) -> Started:
    """The action in a container, with nothing of this machine's environment but what the runner gives."""
    environment = {**on.environment(), **more}
    given = [f"--env={name}" for name in environment if name != "PATH"]
    folders = ["--volume", f"{on.folder}:{on.folder}", "--workdir", str(on.workspace)]
    program = engine.command(IMAGE, *folders, *given, *options)
    return on.start(program=program, environment={**environment, **engine.environment, "HOME": environment["HOME"]})


def post(engine: Engine, on: Stage) -> Started:
    """The post step, with what the run kept for it."""
    kept = {f"STATE_{name}": value for name, value in outputs_in(on.file("state")).items()}
    return start(engine, on, "--entrypoint", post_program(), **kept)


def test_a_killed_run_is_closed_by_a_fresh_container(engine: Engine, tmp_path: Path) -> None:
    with stage(tmp_path, situations.not_pinned()) as on:
        started = start(engine, on)
        started.until(lambda: on.cluster.applications_read >= 2)
        [container] = engine.podman("ps", "--quiet", "--filter", f"ancestor={IMAGE}").out.split()
        engine.podman("kill", "--signal", "KILL", container)
        assert started.end().code == 128 + signal.SIGKILL
        assert on.statuses() == [PENDING]
        ended = post(engine, on).end()
        assert ended.code == 0, ended.log
        assert on.statuses() == [PENDING, ERROR]


def test_after_a_run_that_ended_it_says_nothing(engine: Engine, tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        ended = start(engine, on).end()
        assert ended.code == 0, ended.log
        requests = len(on.lab.github.requests)
        after = post(engine, on).end()
        assert (after.code, after.log) == (0, "")
        assert len(on.lab.github.requests) == requests
        assert on.statuses() == [PENDING, ("success", "gate/staging")]


def test_a_cancelled_run_hears_the_first_signal_in_the_container(engine: Engine, tmp_path: Path) -> None:
    """As the first process of a container it has no default way to end."""
    with stage(tmp_path, situations.not_pinned()) as on:
        started = start(engine, on)
        started.until(lambda: on.cluster.applications_read >= 2)
        started.cancel()
        assert started.end().code == 128 + signal.SIGINT
        assert on.statuses() == [PENDING, ERROR]
