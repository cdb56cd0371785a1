"""What holds for every test: unit tests reach nothing outside, long ones and those on the cluster run when asked for.

A test under `tests/unit` that opens a socket or starts a process fails at that call, with the name
of what it tried. Contract and action tests may use loopback servers and processes; `make test`
runs them in a network namespace that has nothing else.
"""

import gc
import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import settings

from tests.support.sampling import EXHAUSTIVE, examples

pytest.register_assert_rewrite("tests.cluster.story.checks")

ROOT = Path(__file__).resolve().parent.parent
_UNIT = ROOT / "tests" / "unit"
_CLUSTER = ROOT / "tests" / "cluster"

# Collecting makes hundreds of thousands of objects that all stay: looking through them for garbage, again and again,
# takes longer than all the rest of it.
gc.disable()

settings.register_profile("gate", max_examples=examples(100))
settings.load_profile("gate")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--with-cluster", action="store_true", help="run the tests that need the real cluster")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the cluster tests, put them last, and leave out what was not asked for."""
    _leave_out(config, items, [item for item in items if not _belongs(item)])
    _deal_out(items, getattr(config, "workerinput", {}).get("workercount", 1))
    for item in items:
        if item.path.is_relative_to(_CLUSTER):
            item.add_marker("cluster")
    items.sort(key=lambda item: item.get_closest_marker("cluster") is not None)
    if config.getoption("--with-cluster"):
        return
    _leave_out(config, items, [item for item in items if item.get_closest_marker("cluster") is not None])


def pytest_collection_finish() -> None:
    """What there is now stays to the end; garbage is looked for in what comes after."""
    gc.freeze()
    gc.enable()


def pytest_sessionfinish() -> None:
    """Also where nothing was collected: that is what the processes are for whose work is dealt out."""
    gc.enable()


def _deal_out(items: list[pytest.Item], processes: int) -> None:
    """Let each process begin with its share of the tests that take long, so that all are done together.

    Each is given one stretch of the list, and they are as even as they can be (``--dist worksteal``).
    """
    short = [item for item in items if item.get_closest_marker("timeout") is None]
    long = [item for item in items if item.get_closest_marker("timeout") is not None]
    dealt: list[pytest.Item] = []
    for number in range(processes):
        share = long[number::processes]
        rest = max((len(items) - len(dealt)) // (processes - number) - len(share), 0)
        dealt += share + short[:rest]
        del short[:rest]
    items[:] = dealt + short


def _belongs(item: pytest.Item) -> bool:
    """Whether a test belongs to the suite that runs.

    The exhaustive one has the tests marked so, and those of properties, which try more there.
    """
    if item.get_closest_marker("exhaustive") is not None:
        return EXHAUSTIVE
    of_property = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
    return not EXHAUSTIVE or of_property


def _leave_out(config: pytest.Config, items: list[pytest.Item], left_out: list[pytest.Item]) -> None:
    if left_out:
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]
        config.hook.pytest_deselected(items=left_out)


def _refuse(what: str) -> Callable[..., NoReturn]:
    def refused(*_arguments: object, **_keywords: object) -> NoReturn:
        pytest.fail(f"a unit test tried to {what}; it belongs in tests/contract or needs a fake", pytrace=True)

    return refused


@pytest.fixture(autouse=True)
def _reach_nothing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """In tests/unit, using a socket or starting a process fails the test.

    Making a socket object stays possible, because an asyncio event loop makes a pair to wake itself.
    """
    if not request.path.is_relative_to(_UNIT):
        return
    for name in ("bind", "connect", "connect_ex", "sendto", "sendmsg"):
        monkeypatch.setattr(socket.socket, name, _refuse(f"use a socket ({name})"))
    for name in ("create_connection", "create_server", "getaddrinfo"):
        monkeypatch.setattr(socket, name, _refuse(f"use a socket ({name})"))
    monkeypatch.setattr(subprocess.Popen, "__init__", _refuse("start a process"))
    for name in ("system", "fork", "posix_spawn", "posix_spawnp"):
        monkeypatch.setattr(os, name, _refuse(f"start a process (os.{name})"))
