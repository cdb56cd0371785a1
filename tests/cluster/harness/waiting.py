"""Waiting until something is so."""

import time
from collections.abc import Callable
from typing import TypeVar

from .settings import ClusterError

Answer = TypeVar("Answer")


class WaitedTooLong(ClusterError):
    """What was waited for did not come in time."""


def until(
    predicate: Callable[[], Answer | None],
    seconds: float,
    what: str | Callable[[], str],
    every: float = 0.1,
) -> Answer:
    """The first truthy answer of predicate, asked every so often for at most so many seconds."""
    end = time.monotonic() + seconds
    while True:
        answer = predicate()
        if answer:
            return answer
        if time.monotonic() >= end:
            text = what if isinstance(what, str) else what()
            raise WaitedTooLong(f"waited {seconds:g} s for {text}")
        time.sleep(every)
