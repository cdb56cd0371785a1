"""Running the gate as a process, with its time and its memory."""

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

PYTHON = [sys.executable, "-I"]
GATE = [*PYTHON, "-m", "gate"]
_EVERY = 0.02
_PEAK = re.compile(r"^VmHWM:\s*(\d+) kB", re.MULTILINE)


@dataclass(frozen=True)
class Line:
    """A line of output, and when it came (``time.time()``)."""

    at: float
    text: str


@dataclass
class Running:
    """A process whose output is read as it comes and whose memory is watched.

    ``peak`` is in MiB: the largest resident size, as the kernel keeps it, looked at every 20 ms.
    """

    process: "subprocess.Popen[str]"
    began: float
    lines: list[Line] = field(default_factory=list)
    peak: float = 0.0
    _more: threading.Condition = field(default_factory=threading.Condition)
    _threads: list[threading.Thread] = field(default_factory=list)

    @classmethod
    def start(
        cls, command: Sequence[str], *, cwd: Path | None = None, environment: Mapping[str, str] | None = None
    ) -> Self:
        """Start a process; both its streams are read as one."""
        began = time.time()
        process = subprocess.Popen(
            list(command),
            cwd=cwd,
            env=None if environment is None else dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        running = cls(process, began)
        running._threads = [threading.Thread(target=one, daemon=True) for one in (running._read, running._look)]
        for thread in running._threads:
            thread.start()
        return running

    def _read(self) -> None:
        assert self.process.stdout is not None
        for text in self.process.stdout:
            with self._more:
                self.lines.append(Line(time.time(), text.rstrip("\n")))
                self._more.notify_all()
        with self._more:
            self._more.notify_all()

    def _look(self) -> None:
        status = Path(f"/proc/{self.process.pid}/status")
        while self.process.poll() is None:
            try:
                found = _PEAK.search(status.read_text())
            except OSError:
                return
            if found is not None:
                self.peak = max(self.peak, int(found[1]) / 1024)
            time.sleep(_EVERY)

    def line(self, pattern: str, seconds: float) -> Line:
        """The first line in which the pattern is found; waits for it. Raises AssertionError when it does not come."""
        late = time.monotonic() + seconds
        with self._more:
            while True:
                for line in self.lines:
                    if re.search(pattern, line.text):
                        return line
                ended = self.process.poll() is not None and not self._threads[0].is_alive()
                if ended or time.monotonic() >= late:
                    raise AssertionError(f"no line with {pattern!r}:\n" + "\n".join(one.text for one in self.lines))
                self._more.wait(0.5)

    def end(self, seconds: float = 30) -> int:
        """Wait for the end; the exit code."""
        try:
            code = self.process.wait(seconds)
        finally:
            self.process.kill()
        for thread in self._threads:
            thread.join()
        return code


def seconds_of(command: Sequence[str], *, cwd: Path | None = None) -> float:
    """How long a command runs, from start to end; its exit code does not matter."""
    began = time.perf_counter()
    subprocess.run(list(command), cwd=cwd, check=False, capture_output=True)
    return time.perf_counter() - began


def importing(modules: Sequence[str]) -> float:
    """Seconds that a fresh interpreter takes to import these modules, its own start not counted."""
    program = f"import time; t = time.perf_counter(); import {', '.join(modules)}; print(time.perf_counter() - t)"
    done = subprocess.run([*PYTHON, "-c", program], check=True, capture_output=True, text=True)
    return float(done.stdout)


def imported(command: Sequence[str], cwd: Path | None = None) -> set[str]:
    """The top-level packages that a Python program imports; ``command`` starts after the interpreter."""
    environment = {**os.environ, "PYTHONPROFILEIMPORTTIME": "1"}
    told = [sys.executable, "-X", "importtime", "-I", *command]
    done = subprocess.run(told, check=False, capture_output=True, text=True, cwd=cwd, env=environment)
    found = re.findall(r"^import time:\s+\d+ \|\s+\d+ \|\s+([\w.]+)$", done.stderr, re.MULTILINE)
    return {name.partition(".")[0] for name in found}
