"""What is tried in full takes long: `make test` tries a sample of it, `make test-exhaustive` the rest."""

import os
from collections.abc import Collection, Iterable
from typing import Any

import pytest

EXHAUSTIVE = os.environ.get("PROMOTION_GATE_EXHAUSTIVE") == "1"
"""Whether `make test-exhaustive` runs. Then a run of the action begins from nothing, and none is forked."""


def sampled(values: Iterable[Any], sample: Collection[Any]) -> list[Any]:
    """Parameters for ``pytest.mark.parametrize``: those outside the sample are marked ``exhaustive``."""
    found = list(values)
    assert all(one in found for one in sample), "the sample is of something else"
    return [one if one in sample else pytest.param(one, marks=pytest.mark.exhaustive) for one in found]


def examples(most: int) -> int:
    """How many examples of a property are tried: a quarter of them by `make test`."""
    return most if EXHAUSTIVE else -(-most // 4)
