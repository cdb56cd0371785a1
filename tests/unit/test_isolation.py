"""Unit tests reach nothing outside: what conftest promises is tried here."""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from http.client import HTTPConnection

import pytest


def _connect() -> None:
    with socket.socket() as handle:
        handle.connect(("127.0.0.1", 9))


async def _start_process() -> None:
    await asyncio.create_subprocess_exec(sys.executable, "--version")


@pytest.mark.parametrize(
    "attempt",
    [
        _connect,
        lambda: socket.create_connection(("127.0.0.1", 9)),
        lambda: socket.create_server(("127.0.0.1", 0)),
        lambda: socket.getaddrinfo("localhost", 80),
        lambda: HTTPConnection("127.0.0.1", 9).request("GET", "/"),
        lambda: subprocess.run([sys.executable, "--version"], check=False),
        lambda: os.system("true"),
        lambda: asyncio.run(_start_process()),
    ],
    ids=["connect", "create-connection", "create-server", "resolve", "http", "run", "system", "asyncio-process"],
)
def test_a_unit_test_that_reaches_out_fails(attempt: Callable[[], object]) -> None:
    with pytest.raises(pytest.fail.Exception, match="a unit test tried to"):
        attempt()


def test_an_event_loop_still_runs() -> None:
    async def answer() -> int:
        await asyncio.sleep(0)
        return 42

    assert asyncio.run(answer()) == 42
