"""When a failed operation is tried again. Pure."""

import re
from datetime import datetime

from gate.lab.cluster.store import Object

_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)?")
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001, "": 1.0}


def next_try(retry: Object, count: int) -> float:
    """How many seconds after the end of a try the next one begins; ``count``: how many there were already."""
    backoff = retry.get("backoff") or {}
    first, most = _duration(backoff.get("duration"), 5.0), _duration(backoff.get("maxDuration"), 180.0)
    wait = first * float(backoff.get("factor", 2)) ** count
    return float(min(wait, most) if most > 0 else wait)


def kitchen(at: datetime) -> str:
    """A time as messages say it, such as 3:04PM."""
    return at.strftime("%I:%M%p").lstrip("0")


def _duration(text: str | None, default: float) -> float:
    """A Go duration; a number alone is seconds."""
    if not text:
        return default
    return sum(float(number) * _SECONDS[unit] for number, unit in _PART.findall(text))
