"""Durations: what people write, and what nobody can mean."""

from datetime import timedelta
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from gate.config.duration import Between, Duration, parse_age, parse_duration, show_duration
from tests.unit.config.building import attempt


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("90s", 90),
        ("15m", 900),
        ("1h30m", 5400),
        ("500ms", 0.5),
        ("1m500ms", 60.5),
        ("1.5m", 90),
        ("0s", 0),
        (" 5s ", 5),
        ("90", 90),
        (90, 90),
        (0.25, 0.25),
        ("24h", 86400),
        ("1d", 86400),
    ],
)
def test_what_people_write(written: object, seconds: float) -> None:
    assert parse_duration(written) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    "written",
    [
        *("", " ", "s", "5x", "5 s", "1h 5m", "5S", "-5s", "+5s", "1e3", "5m1h", "1m1m", "1ms1s", "5s\n5s"),
        *("\N{ARABIC-INDIC DIGIT THREE}s", "25h", "2d", "24h1ms", 86401, -1, 10**400, float("nan"), float("inf")),
        *(True, False, None, [], {}, b"5s"),
    ],
)
def test_what_nobody_can_mean(written: object) -> None:
    with pytest.raises(ValueError, match="duration"):
        parse_duration(written)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("24h", "24h"),
        ("36h", "36h"),
        ("47h59m", "47h59m"),
        ("48h", "2d"),
        ("7d", "7d"),
        ("1d12h", "36h"),
        ("2.5d", "2d12h"),
        ("90d", "90d"),
    ],
)
def test_an_age_may_be_days(written: str, shown: str) -> None:
    assert show_duration(parse_age(written)) == shown
    assert parse_age(shown) == parse_age(written)


@pytest.mark.parametrize("written", ["90d1ms", "91d", "1h1d", "-1d", "1 d", 90 * 86400 + 1])
def test_an_age_that_nobody_can_mean(written: object) -> None:
    with pytest.raises(ValueError, match="duration"):
        parse_age(written)


def test_the_refusal_does_not_repeat_the_value() -> None:
    with pytest.raises(ValueError, match="duration") as caught:
        parse_duration("ghp_secret")
    assert "ghp_secret" not in str(caught.value)


@given(st.integers(min_value=0, max_value=90 * 24 * 3_600_000))
def test_what_is_shown_parses_back(milliseconds: int) -> None:
    value = timedelta(milliseconds=milliseconds)
    assert parse_age(show_duration(value)) == value


@given(st.text())
def test_any_text_is_a_duration_or_refused(text: str) -> None:
    seen = attempt(parse_duration, text, refusal=ValueError)
    if isinstance(seen, ValueError):
        assert "duration" in str(seen)
    else:
        assert timedelta(0) <= seen <= timedelta(hours=24)


def test_bounds_are_included_and_named() -> None:
    bounded: TypeAdapter[timedelta] = TypeAdapter(
        Annotated[Duration, Between(timedelta(seconds=1), timedelta(hours=1))]
    )
    assert bounded.validate_python("1s") == timedelta(seconds=1)
    assert bounded.validate_python("1h") == timedelta(hours=1)
    with pytest.raises(ValidationError, match="must be at least 1s"):
        bounded.validate_python("999ms")
    with pytest.raises(ValidationError, match="must be at most 1h"):
        bounded.validate_python("1h1ms")
