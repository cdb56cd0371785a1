"""Fixtures of the tests that publish to, or read from, GitHub's stand-in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.github_client import ClientBench, client_bench
from tests.support.github_publishing import Comments


@pytest.fixture
def at(tmp_path: Path) -> Iterator[ClientBench]:
    with client_bench(tmp_path) as made:
        yield made


@pytest.fixture
def comments(at: ClientBench) -> Comments:
    return Comments(at)
