"""`gate lab` as a process, in a folder of its own: what it says, how it ends, what it leaves."""

import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

from gate.errors import UsageError
from gate.lab.loopback import bind

LIMIT = 50
"""Seconds after which it should long have ended."""
FAST = ("--speed", "10")
QUICK = "branch-as-pin"
"""A scenario that is soon over."""


@dataclass
class LabProcess:
    """A `gate lab` that plays, in a folder of its own. ``heard`` is what it wrote for people, line by line."""

    folder: Path
    process: subprocess.Popen[str]
    heard: list[str] = field(default_factory=list)

    def hear(self, text: str) -> None:
        """Read on until a line with this text comes; it is an error when it never does."""
        stream = self.process.stderr
        assert stream is not None
        for line in stream:
            self.heard.append(line)
            if text in line:
                return
        raise AssertionError(f"{text!r} never came: {''.join(self.heard)}")

    def end(self, number: int | None = None) -> tuple[int, list[str], str]:
        """Send a signal where one is given; exit code, lines of standard output, and all that was heard."""
        if number is not None:
            self.process.send_signal(number)
        try:
            out, err = self.process.communicate(timeout=LIMIT)
        finally:
            self.process.kill()
        return self.process.returncode, out.splitlines(), "".join(self.heard) + err

    @property
    def left(self) -> list[str]:
        """Temporary files that are still there."""
        return [path.name for path in (self.folder / "tmp").iterdir()]


def start(folder: Path, *arguments: str, environment: Mapping[str, str] | None = None) -> LabProcess:
    """Start it with these arguments and, beside the few that it needs, variables."""
    (folder / "tmp").mkdir(parents=True)
    variables = {"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder / "tmp")}
    process = subprocess.Popen(
        [sys.executable, "-I", "-m", "gate", "lab", *arguments],
        cwd=folder,
        env={**variables, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    return LabProcess(folder, process)


def ports_in_a_row(count: int) -> int:
    """The first of so many free ports, below the range that the system gives out by itself."""
    for first in range(20_000 + os.getpid() % 1000 * 10, 32_000, count):
        with suppress(UsageError), ExitStack() as held:
            for offset in range(count):
                held.enter_context(bind(first + offset))
            return first
    raise AssertionError(f"no {count} free ports in a row")
