"""Whatever is done to a configuration, it is read or refused in words: no traceback for any text or data."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.config.load import load_configuration, parse_configuration
from gate.config.model import Configuration
from gate.errors import ConfigurationError
from tests.unit.config.building import TEXT, WHERE, attempt, load


def _spoilt(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Any]]:
    """Every place of the data with every wrong kind of value in it."""
    kinds: list[Any] = [None, "", [], {}, 0, True, "x y", [[]], 1.5, {"a": None}]
    places = [(path, wrong) for wrong in kinds]
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return places + [place for key, value in items for place in _spoilt(value, (*path, key))]


def _with(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    if path == ():
        return value
    changed_data = copy.copy(data)
    changed_data[path[0]] = _with(data[path[0]], path[1:], value)
    return changed_data


def test_every_value_of_a_wrong_kind_is_refused_in_words_or_read() -> None:
    data = json.loads(json.dumps(load().model_dump(mode="json", by_alias=True, exclude_unset=True)))
    spoilt = _spoilt(data)
    assert len(spoilt) > 500
    refusals = 0
    for path, value in spoilt:
        seen = attempt(parse_configuration, _with(data, path, value), WHERE, refusal=ConfigurationError)
        assert isinstance(seen, Configuration) or seen.happened.startswith(WHERE)
        refusals += not isinstance(seen, Configuration)
    assert refusals > len(spoilt) * 0.9


def test_null_is_refused_everywhere() -> None:
    data = load().model_dump(mode="json", by_alias=True, exclude_unset=True)
    for path in {path for path, _ in _spoilt(data)}:
        with pytest.raises(ConfigurationError):
            parse_configuration(_with(data, path, None), WHERE)


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    seen = attempt(load_configuration, text, WHERE, refusal=ConfigurationError)
    assert isinstance(seen, Configuration) or seen.happened.startswith(WHERE)


@given(st.data())
def test_any_damage_to_the_right_text_is_read_or_refused(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(TEXT)))
    end = data.draw(st.integers(start, min(len(TEXT), start + 30)))
    middle = data.draw(
        st.sampled_from(["", "\n", ": ", "- ", "{", "}", "[", "'", '"', "&a ", "*a", "!x ", "\t", "~", "\x00", "#"])
    )
    seen = attempt(load_configuration, TEXT[:start] + middle + TEXT[end:], WHERE, refusal=ConfigurationError)
    assert isinstance(seen, Configuration) or seen.happened.startswith(WHERE)
