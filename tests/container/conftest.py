"""The engine and the action's image, made once for the tests below this folder."""

import signal
from collections.abc import Iterator
from types import FrameType

import pytest

from tests.container import needs
from tests.container.engine import Engine
from tests.container.settings import ContainerError


@pytest.fixture(scope="session", autouse=True)
def _ended_like_by_hand() -> Iterator[None]:
    """A time limit ends the tests as Ctrl-C does, also where a shell had them ignore that: nothing is left behind."""

    def end(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """An engine with the action's image in it. What the machine lacks for it is a failure, never a skip."""
    try:
        needs.require()
        with Engine() as engine:
            engine.build_action()
            engine.host()  # its service ends with the thread that starts it
            yield engine
    except ContainerError as error:
        pytest.fail(str(error), pytrace=False)
