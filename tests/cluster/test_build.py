"""The cache of built programs: complete or not there."""

import subprocess
import sys
from pathlib import Path

import pytest

from .harness import ClusterError, build
from .harness.progress import Progress
from .harness.settings import CHECKOUT

pytestmark = pytest.mark.cluster

SLOW = """
import sys, time
from tests.cluster.harness import build
from tests.cluster.harness.progress import Progress
def slow(work, go, lock, progress):
    work.mkdir()
    print("building", flush=True)
    time.sleep(float(sys.argv[1]))
    (work / "versions.json").write_text("{}")
build._build_into = slow
build.build(Progress())
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, also for processes that are started."""
    monkeypatch.setenv("PROMOTION_GATE_CACHE", str(tmp_path))
    return tmp_path / "cluster"


def start(seconds: float) -> "subprocess.Popen[str]":
    """A build that takes so many seconds, once it has begun."""
    command = [sys.executable, "-c", SLOW, str(seconds)]
    return subprocess.Popen(command, cwd=CHECKOUT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finished(cache: Path) -> list[str]:
    """Names in the cache but for the lock."""
    return sorted(path.name for path in cache.iterdir() if path.name != "build.lock")


def test_a_build_that_fails_is_not_kept(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(work: Path, go: str, lock: int, progress: Progress) -> None:
        work.mkdir()
        raise ClusterError("no such package")

    monkeypatch.setattr(build, "_build_into", broken)
    with pytest.raises(ClusterError, match="no such package"):
        build.build(Progress(quiet=True))
    assert finished(cache) == []


def test_a_build_killed_half_way_is_made_anew(cache: Path) -> None:
    with start(60) as killed:
        assert killed.stdout is not None
        killed.stdout.readline()
        killed.kill()
    assert [name.partition("-")[0] for name in finished(cache)] == ["building"]
    with start(0) as second:
        _, said = second.communicate(timeout=30)
    assert second.returncode == 0, said
    assert [name.partition("-")[0] != "building" for name in finished(cache)] == [True]


def test_two_builds_at_once_are_one(cache: Path) -> None:
    with start(2) as first, start(2) as second:
        said = [process.communicate(timeout=30) for process in (first, second)]
    assert [first.returncode, second.returncode] == [0, 0]
    assert sorted(out for out, _ in said) == ["", "building\n"]
    assert sum("another build is running" in err for _, err in said) == 1
    assert len(finished(cache)) == 1


def test_the_name_of_a_build_follows_from_what_goes_into_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = build.digest("1.26.8")
    assert before == build.digest("1.26.8") != build.digest("1.26.9")
    (tmp_path / "web").mkdir()
    for name in ("go.mod", "go.sum", "web/main.go"):
        (tmp_path / name).write_text(name)
    monkeypatch.setattr(build, "PROGRAMS_FOLDER", tmp_path)
    first = build.digest("1.26.8")
    (tmp_path / "web" / "main.go").write_text("changed")
    assert len({before, first, build.digest("1.26.8")}) == 3
