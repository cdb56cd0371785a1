"""`make test` proves that it needs no network: the namespace has loopback and nothing else, or the run says so."""

import subprocess
import sys

import pytest

from tests.conftest import ROOT

TRY = """
import socket
with socket.create_server(("127.0.0.1", 0)) as server:
    socket.create_connection(server.getsockname()).close()
print("loopback works")
try:
    socket.create_connection(("192.0.2.1", 80), timeout=5)
except OSError as error:
    print("outside:", error.errno)
"""


def _offline(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.offline", *command], cwd=ROOT, check=False, capture_output=True, text=True
    )


def test_loopback_works_and_outside_is_not_there() -> None:
    done = _offline(sys.executable, "-c", TRY)
    said, *rest = done.stdout.splitlines()
    if "NOT PROVED" in said:
        pytest.skip(said)
    assert said == "offline: running in a network namespace of its own, which has only: lo"
    assert rest == ["loopback works", "outside: 101"]
    assert done.returncode == 0


def test_the_exit_code_is_that_of_the_command() -> None:
    assert _offline(sys.executable, "-c", "raise SystemExit(5)").returncode == 5


def test_a_command_is_needed() -> None:
    done = _offline()
    assert done.returncode == 1
    assert "usage" in done.stderr
