"""The gate as a process that has not to load the program: forked from one that has.

It runs from ``main`` on with variables, folder and streams of its own, like one that was started;
what is saved is half a second of loading, many times over.
"""

from __future__ import annotations

import atexit
import importlib
import multiprocessing
import os
import pkgutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import gate
from tests.support.sampling import EXHAUSTIVE

_IMPORTED_LATE = ("jsonpath", "ruamel.yaml")
_LEFT_OUT = ("gate.lab", "gate.commands.lab", "gate.__main__")
_FORK = multiprocessing.get_context("forkserver")
_FORK.set_forkserver_preload(["tests.support.loaded"])


def load_gate() -> None:
    """Import all modules of the gate, and what they import when it is needed."""
    for module in pkgutil.walk_packages(gate.__path__, "gate."):
        if not module.name.startswith(_LEFT_OUT):
            importlib.import_module(module.name)
    for name in _IMPORTED_LATE:
        importlib.import_module(name)


def _main(module: str, arguments: Sequence[str], folder: Path, environment: Mapping[str, str], streams: Path) -> None:
    for name, number in (("stdout", 1), ("stderr", 2)):
        with (streams / name).open("wb") as file:
            os.dup2(file.fileno(), number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["gate", *arguments]
    raise SystemExit(importlib.import_module(module).main())


@dataclass(frozen=True)
class Forked:
    """A run under way, with those methods of ``subprocess.Popen`` that tests use; ``streams`` is a folder."""

    process: ForkServerProcess
    streams: Path

    @property
    def pid(self) -> int:
        """The process's id."""
        assert self.process.pid is not None
        return self.process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        return self.process.exitcode

    def poll(self) -> int | None:
        """The same."""
        return self.process.exitcode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.process.exitcode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it, if it has not ended, by a signal that it does not see."""
        self.process.kill()

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, once it has ended; raises subprocess.TimeoutExpired after so many seconds."""
        self.process.join(timeout)
        code = self.process.exitcode
        if code is None:
            raise subprocess.TimeoutExpired("gate", timeout or 0)
        return code

    def communicate(self, *, timeout: float | None = None) -> tuple[str, str]:
        """Wait for the end; what it wrote to both streams. Raises as ``wait``."""
        self.wait(timeout)
        return (self.streams / "stdout").read_text(), (self.streams / "stderr").read_text()


Run = subprocess.Popen[str] | Forked


def _streams() -> Path:
    """A folder for the streams of a forked run, gone when the tests have ended."""
    return Path(tempfile.mkdtemp(dir=_folder()))


@cache
def _folder() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="gate-streams-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


def start_forked(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str], module: str = "gate.__main__"
) -> Forked:
    """Start the gate in a folder, with these variables only; both streams go into files."""
    streams = _streams()
    process = _FORK.Process(target=_main, args=(module, arguments, folder, dict(environment), streams))
    process.start()
    return Forked(process, streams)


def start_run(
    program: Sequence[str] | None,
    module: str,
    folder: Path,
    environment: Mapping[str, str],
    arguments: Sequence[str] = (),
) -> Run:
    """Start a program as a process of its own; without one this module of the gate, forked where that will do."""
    if program is None and not EXHAUSTIVE:
        return start_forked(arguments, folder, environment, module)
    return subprocess.Popen(
        [sys.executable, "-I", "-m", module, *arguments] if program is None else program,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
