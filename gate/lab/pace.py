"""How fast the laboratory moves."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True)
class Pace:
    """Waits of the models, scaled: a ``speed`` of 4 makes 8 s of waiting last 2 s.

    Only waits are scaled. Times that are written down are those of the machine's clock, because the
    gate that reads them has no other.
    """

    speed: float = 1.0

    def __post_init__(self) -> None:
        """Raises ValueError for a speed that is not above zero."""
        if not self.speed > 0:
            raise ValueError(f"a speed of {self.speed} would never get anywhere")

    def real(self, seconds: float) -> float:
        """How many seconds of the machine's clock so many seconds of the model last."""
        return seconds / self.speed

    def model(self, seconds: float) -> float:
        """How many seconds have gone by in the model in so many of the machine's clock."""
        return seconds * self.speed

    async def sleep(self, seconds: float) -> None:
        """Wait for so many seconds of the model."""
        await asyncio.sleep(self.real(seconds))


def now() -> datetime:
    """The time of the machine's clock, in UTC."""
    return datetime.now(UTC)


def whole_seconds(at: datetime) -> str:
    """A time as the API server writes ``metav1.Time``: RFC 3339, whole seconds, UTC."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def microseconds(at: datetime) -> str:
    """A time as the API server writes ``metav1.MicroTime``."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
