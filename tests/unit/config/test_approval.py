"""What evidence has to be like for an approval: bounded, and so that it can be met."""

from datetime import timedelta

import pytest

from gate.config.digest import environment_digest
from gate.config.duration import parse_age
from gate.errors import ConfigurationError
from tests.unit.config.building import staging


def test_a_day_without_a_soak_time_is_the_default() -> None:
    made = staging().approval
    assert (made.required, made.max_age, made.soak) == (False, timedelta(hours=24), None)
    assert environment_digest(staging(approval={"max-age": "24h"})) == environment_digest(staging())


@pytest.mark.parametrize(
    ("age", "soak"), [("1m", "59s"), ("24h", "23h59m"), ("7d", "3d"), ("2h", "48h"), ("90d", "90d")]
)
def test_an_age_and_a_soak_time_may_be_days(age: str, soak: str) -> None:
    """The age counts from the newest verdict and the soak time from the first: it may be the longer of the two."""
    made = staging(approval={"max-age": age, "soak": soak}).approval
    assert (made.max_age, made.soak) == (parse_age(age), parse_age(soak))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"max-age": "59s"}, "at least 1m"),
        ({"max-age": "90d1s"}, "between 0s and 90d"),
        ({"max-age": "91d"}, "between 0s and 90d"),
        ({"max-age": "-1h"}, "not a duration"),
        ({"max-age": "0s"}, "at least 1m"),
        ({"soak": "0s"}, "at least 1s"),
        ({"soak": "91d"}, "between 0s and 90d"),
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
