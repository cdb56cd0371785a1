"""A queue of names to work on: one at a time for each name, and once more where it was asked for meanwhile."""

import asyncio
from collections.abc import Awaitable, Callable

from gate.lab.pace import Pace


class WorkQueue:
    """Works on names in tasks of the group that ``open`` gives it; until then, and after ``close``, on none."""

    def __init__(self, work: Callable[[str], Awaitable[None]], pace: Pace) -> None:
        self._work, self._pace = work, pace
        self._group: asyncio.TaskGroup | None = None
        self._busy: set[str] = set()
        self._again: set[str] = set()
        self._timers: set[asyncio.TimerHandle] = set()

    def open(self, group: asyncio.TaskGroup) -> None:
        """Begin to work."""
        self._group = group

    def close(self) -> None:
        """Forget everything that waits."""
        self._group = None
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
        self._busy.clear()
        self._again.clear()

    def add(self, name: str) -> None:
        """Work on it, as soon as nothing else is at work on it."""
        if name in self._busy:
            self._again.add(name)
        elif self._group is not None:
            self._busy.add(name)
            self._group.create_task(self._until_done(name))

    def later(self, seconds: float, act: Callable[[], None]) -> None:
        """Do something in so many seconds of the model, unless it is closed before."""
        if self._group is None:
            return
        loop = asyncio.get_running_loop()

        def due() -> None:
            self._timers.discard(timer)
            act()

        timer = loop.call_later(self._pace.real(seconds), due)
        self._timers.add(timer)

    async def _until_done(self, name: str) -> None:
        while True:
            self._again.discard(name)
            await self._work(name)
            if name not in self._again:
                break
        self._busy.discard(name)
