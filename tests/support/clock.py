"""A clock that moves when somebody sleeps, and never otherwise."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

from gate.adapters.retry import Patience

EPOCH = 1_800_000_000.0


@dataclass
class Clock:
    """Seconds since it was made, and every sleep so far."""

    seconds: float = 0.0
    slept: list[float] = field(default_factory=list)

    def read(self) -> float:
        """Monotonic seconds."""
        return self.seconds

    def now(self) -> float:
        """Seconds since the epoch."""
        return EPOCH + self.seconds

    async def sleep(self, seconds: float) -> None:
        """Let the time pass at once; other tasks get their turn."""
        self.slept.append(seconds)
        self.seconds += seconds
        await asyncio.sleep(0)

    def patience(self, like: Patience) -> Patience:
        """That patience, by this clock."""
        return replace(like, clock=self.read, now=self.now, sleep=self.sleep)
