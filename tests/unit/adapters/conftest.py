"""Fixtures of the adapters' tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.step import Step


@pytest.fixture
def step(tmp_path: Path) -> Step:
    return Step(tmp_path)
