"""When the controllers do what they put off: on the event loop, or (in tests) as fast as they are told."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Protocol

from gate.lab.pace import Pace

Cancel = Callable[[], None]
"""What calls off an action that waits; harmless when it has run."""

Script = Iterator[float]
"""What goes on in steps: each value is how many seconds of the model pass before the next one."""


class Timers(Protocol):
    """Time, in seconds of the model."""

    def now(self) -> float:
        """Seconds since some moment; it only grows."""

    def call_later(self, seconds: float, action: Callable[[], None]) -> Cancel:
        """Do this after so many seconds."""


class LoopTimers:
    """The event loop's, at the laboratory's pace. ``failed`` gets the first error of an action.

    After an error, or ``close``, no action runs any more.
    """

    def __init__(self, pace: Pace) -> None:
        self._loop = asyncio.get_running_loop()
        self._pace = pace
        self._open = True
        self.failed: asyncio.Future[None] = self._loop.create_future()

    def now(self) -> float:
        """Seconds of the model since some moment."""
        return self._pace.model(self._loop.time())

    def call_later(self, seconds: float, action: Callable[[], None]) -> Cancel:
        """Do this after so many seconds of the model."""
        return self._loop.call_later(self._pace.real(seconds), self._run, action).cancel

    def close(self) -> None:
        """Nothing runs from now on."""
        self._open = False

    def _run(self, action: Callable[[], None]) -> None:
        if not self._open:
            return
        try:
            action()
        except Exception as error:  # noqa: BLE001 - whoever runs the controllers gets it
            self.close()
            if not self.failed.done():
                self.failed.set_exception(error)


def play(timers: Timers, script: Script) -> Cancel:
    """Play a script until it ends; what stops it. Its first step is made at once."""
    waiting: list[Cancel] = []
    stopped: list[bool] = []

    def step() -> None:
        if stopped:
            return
        seconds = next(script, None)
        if seconds is not None and not stopped:
            waiting[:] = [timers.call_later(seconds, step)]

    def stop() -> None:
        stopped.append(True)
        for cancel in waiting:
            cancel()

    step()
    return stop
