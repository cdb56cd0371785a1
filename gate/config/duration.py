"""Durations as people write them: ``90s``, ``15m``, ``1h30m``, ``500ms``, or a plain number of seconds."""

import re
from datetime import timedelta
from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_PATTERN = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|s|m|h))+")
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")
_LONGEST = timedelta(hours=24)


def parse_duration(value: object) -> object:
    """Text or a number of seconds to a timedelta of 0 to 24 h; raises ValueError with an example."""
    if isinstance(value, timedelta):
        return value
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("expected a duration such as 90s, 15m or 1h30m")
    if isinstance(value, str):
        if not _PATTERN.fullmatch(value.strip()):
            raise ValueError(f"{value!r} is not a duration; write for example 90s, 15m or 1h30m")
        seconds = sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(value))
    else:
        seconds = float(value)
    if not 0 <= seconds <= _LONGEST.total_seconds():
        raise ValueError(f"{value!r} is not between 0s and 24h")
    return timedelta(seconds=seconds)


def show_duration(value: timedelta) -> str:
    """The shortest spelling that parses back: ``1h30m``, ``90s`` as ``1m30s``, ``0s``."""
    milliseconds = round(value.total_seconds() * 1000)
    parts = []
    for unit, size in (("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)):
        count, milliseconds = divmod(milliseconds, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"


Duration = Annotated[
    timedelta,
    BeforeValidator(parse_duration),
    PlainSerializer(show_duration, return_type=str),
    WithJsonSchema({"type": "string", "pattern": r"^(\d+(\.\d+)?(ms|s|m|h))+$", "examples": ["90s", "15m"]}),
]
