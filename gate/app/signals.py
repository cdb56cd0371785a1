"""Signals that end a run: the runner sends SIGINT, 7.5 s later SIGTERM, and then ends it for good."""

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Any


def cancel_on_signals(task: "asyncio.Task[Any]") -> Callable[[], int | None]:
    """Cancel the task at the first SIGINT, SIGTERM or SIGHUP; tells which it was."""
    received: list[int] = []
    loop = asyncio.get_running_loop()

    def cancel(number: int) -> None:
        if not received:
            received.append(number)
            task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, cancel, number)
    return lambda: received[0] if received else None
