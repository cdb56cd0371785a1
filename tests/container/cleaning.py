"""What an engine leaves on the machine, taken away: also that of one whose tests were stopped from outside.

An engine holds a lock in its folder for as long as its process lives, so that a folder that nobody holds is a
leftover. ``python -m tests.container.cleaning`` takes all of them away.
"""

import fcntl
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TextIO

PREFIX = "promotion-gate-container-"
_OCTAL = re.compile(r"\\([0-7]{3})")


def new_folder() -> tuple[Path, TextIO]:
    """A folder for an engine, and the lock on it: closing the lock gives the folder up."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    lock = (folder / "lock").open("w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    return folder, lock


def engine_environment(folder: Path) -> dict[str, str]:
    """The variables by which podman finds the storage and the settings in an engine's folder."""
    places = {"CONTAINERS_STORAGE_CONF": "storage.conf", "CONTAINERS_CONF": "containers.conf"}
    return {**os.environ, **{name: str(folder / file) for name, file in places.items()}}


def take_away(folder: Path) -> None:
    """End an engine's containers, unmount what is below its folder, and remove that."""
    environment = engine_environment(folder)
    if (folder / "storage.conf").exists():
        for command in (("rm", "--all", "--force", "--time", "0"), ("rmi", "--all", "--force")):
            _run(environment, "podman", *command)
    for process in processes_of(folder):  # a monitor stays five minutes after its command has ended
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    for place in reversed(mounts_below(folder)):
        _run(environment, "umount", "--lazy", str(place))
    shutil.rmtree(folder)


def take_leftovers_away() -> list[Path]:
    """The same for every folder whose engine is gone; which they were."""
    gone = [folder for folder in sorted(Path(tempfile.gettempdir()).glob(f"{PREFIX}*")) if not _held(folder)]
    for folder in gone:
        take_away(folder)
    return gone


def processes_of(folder: Path) -> list[int]:
    """The processes, but this one, whose command line names something in a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"{folder}/".encode() in (process / "cmdline").read_bytes() and int(process.name) != os.getpid():
                found.append(int(process.name))
    return found


def mounts_below(folder: Path) -> list[Path]:
    """What is mounted in a folder, in the order in which it was."""
    places = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    plain = [Path(_OCTAL.sub(lambda found: chr(int(found[1], 8)), place)) for place in places]
    return [place for place in plain if place.is_relative_to(folder)]


def _held(folder: Path) -> bool:
    try:
        with (folder / "lock").open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except FileNotFoundError:  # it is just being made, or removed
        return folder.exists() and not any(folder.iterdir())
    return False


def _run(environment: Mapping[str, str], *command: str) -> None:
    """What cannot be taken away shows when the folder is removed."""
    subprocess.run(command, check=False, capture_output=True, timeout=120, env=dict(environment))


if __name__ == "__main__":
    for one in take_leftovers_away():
        print(f"container: took {one} away")
