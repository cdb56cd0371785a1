"""Starting and ending the cluster's processes.

Each process writes its own record (process id, start time, boot) before it
becomes the program: there is no moment at which it runs without a record.
A process is only ever ended when its start time still is the recorded one.
"""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from .settings import ClusterError
from .waiting import until

BOOT = Path("/proc/sys/kernel/random/boot_id")
RECORD = (
    'read -r boot < /proc/sys/kernel/random/boot_id; began=$(cut -d" " -f22 "/proc/$$/stat"); '
    'record=$1; shift; echo "$$ $began $boot" > "$record.new"; mv "$record.new" "$record"; '
    'exec "$@"'
)
"""Write the record in the first argument, then become the program in the others."""


@dataclass(frozen=True)
class Mark:
    """A process that was running at some moment: its id alone may be given again."""

    pid: int
    began: int

    @property
    def alive(self) -> bool:
        """Whether that process still runs (one that ended but was not waited for does not)."""
        return mark(self.pid) == self

    def end(self) -> None:
        """Kill the process, if it still is the one that was marked."""
        if self.alive:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


def mark(pid: int) -> Mark | None:
    """The mark of a running process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] in "ZX" else Mark(pid, int(fields[19]))


def children(pid: int) -> list[Mark]:
    """The running children of a process."""
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return []
    return [found for child in text.split() if (found := mark(int(child))) is not None]


class Processes:
    """The processes recorded in a state folder."""

    HOLDER = "holder"

    def __init__(self, state: Path) -> None:
        self._records = state / "processes"
        self._logs = state / "log"

    def marks(self) -> dict[str, Mark]:
        """The processes that were recorded and still run, by name."""
        found = {}
        boot = BOOT.read_text().strip()
        for record in sorted(self._records.glob("*.pid")):
            pid, began, when = record.read_text().split()
            recorded = Mark(int(pid), int(began))
            if when == boot and recorded.alive:
                found[record.stem] = recorded
        return found

    def start(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
    ) -> Mark:
        """Start a program of that name outside the namespaces; its output goes to its log."""
        record = self._records / f"{name}.pid"
        record.unlink(missing_ok=True)
        with (self._logs / f"{name}.log").open("ab") as log:
            # A session of its own, and no child of ours: it outlives the one that started it.
            subprocess.run(
                ["setsid", "--fork", "/bin/sh", "-c", RECORD, "sh", str(record), *command],
                check=True,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=dict(environment) if environment is not None else None,
                cwd="/",
            )
        until(record.exists, 10, f"{name} to be recorded", every=0.005)
        pid, began, _ = record.read_text().split()
        return Mark(int(pid), int(began))

    def start_inside(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
    ) -> Mark:
        """Start a program inside the holder's namespaces."""
        return self.start(name, [*self.enter(), *command], environment)

    def enter(self) -> list[str]:
        """The beginning of a command that is to run inside the holder's namespaces."""
        inside = self.inside()
        return ["nsenter", f"--target={inside}", "--mount", "--net", "--pid", "--"]

    def inside(self) -> int:
        """The process id, as seen from outside, of the first process of the namespaces."""
        holder = self.marks().get(self.HOLDER)
        first = children(holder.pid) if holder else []
        if not first:
            raise ClusterError("the cluster is not running: start it with `up`")
        return first[0].pid

    def stop(self, name: str, kill: bool = True, seconds: float = 10) -> None:
        """End one program: the one inside the namespaces, and with it the one that waits for it."""
        outer = self.marks().get(name)
        if outer is None:
            return
        for inner in children(outer.pid) or [outer]:
            if inner.alive:
                os.kill(inner.pid, signal.SIGKILL if kill else signal.SIGTERM)
        until(lambda: not outer.alive, seconds, f"{name} to end")
        (self._records / f"{name}.pid").unlink(missing_ok=True)

    def end_all(self) -> None:
        """End the holder, and with it everything in its namespaces; then whatever is recorded."""
        marks = self.marks()
        holder = marks.get(self.HOLDER)
        everything = list(marks.values())
        if holder is not None:
            everything += children(holder.pid)
            holder.end()
        for process in everything:
            process.end()
        end = time.monotonic() + 20
        while any(process.alive for process in everything):
            if time.monotonic() > end:
                left = [process.pid for process in everything if process.alive]
                raise ClusterError(f"processes {left} do not end after SIGKILL")
            time.sleep(0.02)

    def tail(self, name: str, lines: int = 8) -> str:
        """The last lines of a program's log."""
        path = self._logs / f"{name}.log"
        text = path.read_text(errors="replace") if path.exists() else ""
        return "\n".join(text.splitlines()[-lines:])
