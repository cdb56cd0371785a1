"""The engine and the action's image, made once for the tests below this folder."""

from collections.abc import Iterator

import pytest

from tests.container import needs
from tests.container.engine import Engine
from tests.container.settings import ContainerError


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """An engine with the action's image in it. What the machine lacks for it is a failure, never a skip."""
    try:
        needs.require()
        with Engine() as engine:
            engine.build_action()
            yield engine
    except ContainerError as error:
        pytest.fail(str(error), pytrace=False)
