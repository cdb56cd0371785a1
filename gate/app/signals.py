"""Signals that end a run: the runner sends SIGINT, 7.5 s later SIGTERM, and then ends it for good.

The first one counts, whenever it comes; the others are ignored, so that nothing stops the last words.
As the first process of a container the gate gets no signal that it has no handler for.
"""

import signal
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

# Under nohup a program outlives its terminal.
_HANG_UP = () if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else (signal.SIGHUP,)
ENDING = (signal.SIGINT, signal.SIGTERM, *_HANG_UP)
_received: list[int] = []


def remember_signals() -> None:
    """Only remember a signal from now on: while the program is still loading, or already done."""
    for number in ENDING:
        with suppress(ValueError):  # not the main thread: then whoever runs that one decides
            signal.signal(number, _remember)


def _remember(number: int, _frame: FrameType | None) -> None:
    _received.append(number)


def cancel_on_signals(task: "asyncio.Task[Any]") -> Callable[[], int | None]:
    """Cancel the task at the first of these signals, also one that came before; tells which it was."""
    loop = task.get_loop()

    def cancel(number: int) -> None:
        _received.append(number)
        if len(_received) == 1:
            task.cancel()

    for number in ENDING:
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, cancel, number)
    if _received:
        loop.call_soon(task.cancel)
    return lambda: _received[0] if _received else None
