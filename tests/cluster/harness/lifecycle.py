"""Starting and stopping the whole cluster.

`up` begins with `down`, because a run that was killed leaves things behind,
and `down` needs nothing but the machine as it is: no memory of the run before.
"""

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from . import build, cgroups, namespaces, needs, start
from .processes import Mark, Processes, mark
from .progress import Progress
from .settings import (
    CLUSTER_FOLDER,
    HOST_LINK,
    STATE,
    ClusterError,
    Options,
    cache_folder,
)

RUNNING = STATE / "running.json"
"""Written last by `up`: what runs, from which build, for whom."""


def up(
    options: Options,
    progress: Progress,
    owner: int | None = None,
    reuse: bool = False,
) -> Path:
    """Start the cluster; the folder of the programs it runs from.

    With an owner (a process id), another `up` refuses to replace this cluster
    while that process lives. With reuse, a cluster that runs is taken as it is.
    """
    needs.require(progress)
    built = build.build(progress)
    with _exclusive():
        if reuse and (now := running()) is not None:
            return Path(str(now["build"]))
        _refuse_to_disturb(owner)
        _down(progress)
        _create_state()
        try:
            start.everything(Processes(STATE), built, options, progress)
            _write_running(built.folder, options, owner)
        except BaseException:
            progress.say("starting the cluster was broken off: taking it down")
            _down(progress, keep_logs=True)
            raise
    progress.done("the cluster is up")
    return built.folder


def down(progress: Progress) -> None:
    """Stop the cluster and leave nothing behind."""
    needs.require_root()
    with _exclusive():
        _down(progress)


def leftovers() -> list[str]:
    """What a cluster, running or ended, has left on this machine."""
    found = [f"process {mark.pid} ({name})" for name, mark in Processes(STATE).marks().items()]
    found += [f"process {pid} (environment)" for pid in _strays()]
    if namespaces.link_exists():
        found.append(f"network link {HOST_LINK}")
    found += [f"cgroup {folder}" for folder in cgroups.existing()]
    mounts = Path("/proc/self/mounts").read_text().splitlines()
    found += [f"mount {line.split()[1]}" for line in mounts if str(STATE) in line]
    if STATE.exists():
        found.append(f"folder {STATE}")
    return found


def running() -> dict[str, object] | None:
    """What `up` wrote about the cluster that runs now, if one does."""
    if not RUNNING.exists() or Processes.HOLDER not in Processes(STATE).marks():
        return None
    value = json.loads(RUNNING.read_text())
    assert isinstance(value, dict)
    return value


def last_logs() -> Path:
    """Where the logs of a start that failed are kept."""
    return cache_folder() / "last-failed-logs"


def _create_state() -> None:
    STATE.mkdir(mode=0o700)
    for name in ("processes", "log"):
        (STATE / name).mkdir()


def _down(progress: Progress, keep_logs: bool = False) -> None:
    _require_own_state()
    processes = Processes(STATE)
    had = bool(leftovers())
    processes.end_all()
    for pid, stray in _strays().items():
        progress.say(f"ending process {pid}, which an earlier run left")
        stray.end()
    namespaces.disconnect()
    cgroups.remove()
    if keep_logs and (STATE / "log").exists():
        shutil.rmtree(last_logs(), ignore_errors=True)
        shutil.copytree(STATE / "log", last_logs())
        progress.say(f"its logs are in {last_logs()}")
    if STATE.exists():
        shutil.rmtree(STATE)
    if had:
        progress.done("everything is down")


def _strays() -> dict[int, Mark]:
    """Processes outside the namespaces that carry our mark in their environment.

    There are none as long as the state folder is there; this finds them when
    someone has removed it under a running cluster.
    """
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            variables = (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if start.MARK.encode() in variables and (stray := mark(int(entry.name))) is not None:
            found[stray.pid] = stray
    return found


def _require_own_state() -> None:
    """Refuse a state folder that someone else made under our name."""
    if STATE.is_symlink() or (STATE.exists() and STATE.stat().st_uid != os.geteuid()):
        raise ClusterError(f"{STATE} is not ours: remove it first")


def _refuse_to_disturb(owner: int | None) -> None:
    now = running()
    if now is None or now.get("owner") is None:
        return
    holds = Mark(*map(int, str(now["owner"]).split()))
    if holds.alive and holds.pid != owner:
        raise ClusterError(
            f"process {holds.pid} is using the cluster, and there is one at a time on a machine: "
            "wait for it, or end it and run `down`"
        )


def _write_running(folder: Path, options: Options, owner: int | None) -> None:
    marked = mark(owner) if owner is not None else None
    value = {
        "build": str(folder),
        "options": asdict(options),
        "owner": f"{marked.pid} {marked.began}" if marked else None,
    }
    RUNNING.write_text(json.dumps(value, indent=2) + "\n")


@contextmanager
def _exclusive() -> Iterator[None]:
    """One `up` or `down` at a time: the lock is on a folder of the checkout, so no file is left."""
    descriptor = os.open(CLUSTER_FOLDER, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
