"""What evidence has to be like for an approval: bounded, and so that it can be met."""

from datetime import timedelta

import pytest

from gate.config.digest import environment_digest
from gate.errors import ConfigurationError
from tests.unit.config.building import staging


def test_a_day_without_a_soak_time_is_the_default() -> None:
    made = staging().approval
    assert (made.required, made.max_age, made.soak) == (False, timedelta(hours=24), None)
    assert environment_digest(staging(approval={"max-age": "24h"})) == environment_digest(staging())


@pytest.mark.parametrize(("age", "soak"), [("1m", "59s"), ("24h", "23h59m"), ("1h", "30m")])
def test_a_soak_time_is_shorter_than_the_age(age: str, soak: str) -> None:
    made = staging(approval={"max-age": age, "soak": soak}).approval
    assert made.soak is not None
    assert made.soak < made.max_age


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"max-age": "59s"}, "at least 1m"),
        ({"max-age": "25h"}, "24h"),
        ({"max-age": "0s"}, "at least 1m"),
        ({"soak": "0s"}, "at least 1s"),
        ({"max-age": "1h", "soak": "1h"}, "must be shorter than approval.max-age"),
        ({"max-age": "1h", "soak": "2h"}, "must be shorter than approval.max-age"),
        ({"soak": None}, "nothing stands behind this key"),
        ({"soek": "30m"}, "did you mean soak"),
        ({"required": "yes"}, "approval.required"),
    ],
)
def test_what_could_never_be_met_is_refused(values: dict[str, str | None], said: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        staging(approval=values)
    assert said in caught.value.diagnostics()


def test_another_age_is_another_configuration() -> None:
    assert environment_digest(staging(approval={"max-age": "1h"})) != environment_digest(staging())
