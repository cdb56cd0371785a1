"""The cgroup under which the kubelet puts its pods, in each hierarchy the machine has."""

from pathlib import Path

from .settings import CGROUP, ClusterError
from .waiting import until

WANTED = ("cpuset", "cpu", "io", "memory", "hugetlb", "pids")


def _hierarchies() -> list[tuple[Path, str]]:
    """The mounted hierarchies: folder, and kind (cgroup or cgroup2)."""
    found = []
    for line in Path("/proc/self/mounts").read_text().splitlines():
        _, folder, kind = line.split()[:3]
        if kind in ("cgroup", "cgroup2"):
            found.append((Path(folder), kind))
    return found


def create() -> None:
    """Make our cgroup everywhere."""
    hierarchies = _hierarchies()
    if not hierarchies:
        raise ClusterError("no cgroup hierarchy is mounted on this machine")
    for folder, kind in hierarchies:
        ours = folder / CGROUP
        if kind == "cgroup2":
            _delegate(folder)
        ours.mkdir(exist_ok=True)
        if kind == "cgroup2":
            _delegate(ours)
        for name in ("cpuset.cpus", "cpuset.mems"):
            if kind == "cgroup" and (ours / name).exists():
                (ours / name).write_text((folder / name).read_text())


def _delegate(folder: Path) -> None:
    """Let the children of a version 2 cgroup use the controllers that it has."""
    has = (folder / "cgroup.controllers").read_text().split()
    for name in WANTED:
        if name in has:
            (folder / "cgroup.subtree_control").write_text(f"+{name}")


def existing() -> list[Path]:
    """Our cgroups that are there."""
    return [ours for folder, _ in _hierarchies() if (ours := folder / CGROUP).is_dir()]


def remove() -> None:
    """Remove our cgroups, when the processes in them have ended."""
    for ours in existing():
        until(lambda top=ours: _removed(top), 10, f"the cgroup {ours} to become empty")  # type: ignore[misc]


def _removed(top: Path) -> bool:
    below = sorted(path for path in top.rglob("*") if path.is_dir())
    for folder in [*reversed(below), top]:
        try:
            folder.rmdir()
        except FileNotFoundError:
            pass
        except OSError:
            return False
    return True
