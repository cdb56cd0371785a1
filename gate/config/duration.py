"""Durations as people write them: ``90s``, ``15m``, ``1h30m``, ``500ms``, or a plain number of seconds."""

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from pydantic import BeforeValidator, GetCoreSchemaHandler, PlainSerializer, WithJsonSchema
from pydantic_core import CoreSchema, core_schema

_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_NUMBER = r"[0-9]{1,9}(?:\.[0-9]{1,3})?"
_PATTERN = "".join(f"(?:({_NUMBER}){unit}(?![a-z]))?" for unit in _UNITS)
_EXAMPLE = "write for example 90s, 15m or 1h30m"
_LONGEST = timedelta(hours=24)
_SCHEMA = {
    "anyOf": [
        {"type": "string", "pattern": rf"^({_NUMBER}(h|m|s|ms)?)+$", "examples": ["90s", "15m", "1h30m"]},
        {"type": "number", "minimum": 0, "maximum": _LONGEST.total_seconds()},
    ]
}


def parse_duration(value: object) -> timedelta:
    """Text such as ``1h30m``, or seconds as a number or as digits, to a timedelta of 0 to 24 h.

    Units go from large to small, each once. Raises ValueError, with an example and without
    repeating the value.
    """
    if isinstance(value, timedelta):
        seconds = value.total_seconds()
    elif isinstance(value, str):
        seconds = _seconds(value.strip())
    elif isinstance(value, int | float) and not isinstance(value, bool):
        seconds = _bounded(value)
    else:
        raise ValueError(f"expected a duration; {_EXAMPLE}")
    if not 0 <= seconds <= _LONGEST.total_seconds():
        raise ValueError(f"a duration is between 0s and {show_duration(_LONGEST)}")
    return timedelta(seconds=seconds)


def _bounded(value: float) -> float:
    """The number, or infinity for an integer too long for a float."""
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def _seconds(text: str) -> float:
    if re.fullmatch(_NUMBER, text) is not None:
        return float(text)
    match = re.fullmatch(_PATTERN, text)
    if match is None or text == "":
        raise ValueError(f"not a duration; {_EXAMPLE}")
    parts = zip(match.groups(), _UNITS.values(), strict=True)
    return sum(float(number) * size for number, size in parts if number is not None)


def show_duration(value: timedelta) -> str:
    """The shortest spelling that parses back: ``1h30m``, ``1m30s`` for 90 seconds, ``0s``."""
    milliseconds = round(value.total_seconds() * 1000)
    parts = []
    for unit, size in (("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)):
        count, milliseconds = divmod(milliseconds, size)
        if count > 0:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"


@dataclass(frozen=True)
class Between:
    """Bounds for a field of type Duration, both included. Its refusal names the bound."""

    shortest: timedelta
    longest: timedelta = _LONGEST

    def check(self, value: timedelta) -> timedelta:
        """The value itself; raises ValueError when it is out of bounds."""
        if value < self.shortest:
            raise ValueError(f"must be at least {show_duration(self.shortest)}")
        if value > self.longest:
            raise ValueError(f"must be at most {show_duration(self.longest)}")
        return value

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Check after whatever parses the duration."""
        return core_schema.no_info_after_validator_function(self.check, handler(source))


Duration = Annotated[
    timedelta,
    BeforeValidator(parse_duration),
    PlainSerializer(show_duration, return_type=str),
    WithJsonSchema(_SCHEMA),
]
