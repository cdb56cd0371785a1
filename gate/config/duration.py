"""Durations as people write them: ``90s``, ``15m``, ``1h30m``, ``7d``, ``500ms``, or a plain number of seconds."""

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any

from pydantic import BeforeValidator, GetCoreSchemaHandler, PlainSerializer, WithJsonSchema
from pydantic_core import CoreSchema, core_schema

_UNITS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_NUMBER = r"[0-9]{1,9}(?:\.[0-9]{1,3})?"
_PATTERN = "".join(f"(?:({_NUMBER}){unit}(?![a-z]))?" for unit in _UNITS)
_EXAMPLE = "write for example 90s, 15m or 1h30m"
_LONGEST = timedelta(hours=24)
OLDEST = timedelta(days=90)
"""The longest of an age: no artifact is kept for longer by default."""

_IN_DAYS = timedelta(days=2)


def _schema(longest: timedelta) -> dict[str, Any]:
    pattern = rf"^({_NUMBER}(d|h|m|s|ms)?)+$"
    examples = ["90s", "15m", "1h30m"] if longest == _LONGEST else ["30m", "24h", "7d"]
    return {
        "anyOf": [
            {"type": "string", "pattern": pattern, "examples": examples},
            {"type": "number", "minimum": 0, "maximum": longest.total_seconds()},
        ]
    }


def parse_age(value: object) -> timedelta:
    """As ``parse_duration``, to a timedelta of 0 to 90 days."""
    return parse_duration(value, longest=OLDEST)


def parse_duration(value: object, *, longest: timedelta = _LONGEST) -> timedelta:
    """Text such as ``1h30m``, or seconds as a number or as digits, to a timedelta of 0 to ``longest``, 24 h.

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
    if not 0 <= seconds <= longest.total_seconds():
        raise ValueError(f"a duration is between 0s and {show_duration(longest)}")
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
    """The spelling that people use, which parses back: ``1h30m``, ``36h``, ``7d``, ``0s``."""
    milliseconds = round(value.total_seconds() * 1000)
    parts = []
    days = (("d", 86_400_000),) if value >= _IN_DAYS else ()
    for unit, size in (*days, ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)):
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
    WithJsonSchema(_schema(_LONGEST)),
]

Age = Annotated[
    timedelta,
    BeforeValidator(parse_age),
    PlainSerializer(show_duration, return_type=str),
    WithJsonSchema(_schema(OLDEST)),
]
