"""What container tests leave behind when they are stopped: it is found and taken away, and nobody else's."""

import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.container.cleaning import mounts_below, new_folder, processes_of, take_leftovers_away


@contextmanager
def _waiting(argument: str) -> Iterator[subprocess.Popen[str]]:
    """A process with an argument. It has said something: before that its command line may not be seen yet."""
    command = [sys.executable, "-c", "import time; print(flush=True); time.sleep(60)", argument]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "\n"
            yield process
        finally:
            process.kill()


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_the_folder_of_an_engine_that_is_gone_is_taken_away(tmp_path: Path) -> None:
    folder, lock = new_folder()
    (folder / "graph").mkdir()
    assert take_leftovers_away() == []  # its engine is there
    assert folder.exists()
    lock.close()
    assert take_leftovers_away() == [folder]
    assert list(tmp_path.iterdir()) == []


def test_one_that_is_just_being_made_and_those_of_others_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "promotion-gate-container-new").mkdir()
    (tmp_path / "other").mkdir()
    assert take_leftovers_away() == []
    assert {one.name for one in tmp_path.iterdir()} == {"promotion-gate-container-new", "other"}


def test_a_process_that_works_in_the_folder_is_ended_and_no_other(tmp_path: Path) -> None:
    folder, lock = new_folder()
    with lock, _waiting(str(tmp_path)) as other, _waiting(f"{folder}/run") as ours:
        assert processes_of(folder) == [ours.pid]
        lock.close()
        assert take_leftovers_away() == [folder]
        assert ours.wait(30) == -signal.SIGKILL
        assert other.poll() is None


def test_mounts_are_found_below_a_folder_and_nowhere_else(tmp_path: Path) -> None:
    assert Path("/proc") in mounts_below(Path("/"))
    assert mounts_below(tmp_path) == []
