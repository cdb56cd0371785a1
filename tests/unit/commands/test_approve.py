"""``gate approve``: options of its own beside those of a check."""

import click
import pytest
from click.testing import CliRunner

from gate.commands.approve import command

NAMES = [name for one in command.params for name in one.opts]


def test_every_option_is_there_once() -> None:
    assert sorted(NAMES) == sorted(set(NAMES))
    assert {"--evidence", "--max-age", "--evidence-branch", "--environment", "--no-publish"} <= {
        *NAMES,
        *(name for one in command.params for name in one.secondary_opts),
    }


def test_help_says_what_the_evidence_options_mean_here() -> None:
    said = " ".join(CliRunner().invoke(command, ["--help"]).output.split())
    assert "The evidence to rest on" in said
    assert "The branch that evidence is read from" in said
    assert "to keep them on" not in said


@pytest.mark.parametrize(
    ("age", "said"), [("91d", "between 0s and 90d"), ("-1h", "not a duration"), ("1h1d", "not a duration")]
)
def test_an_age_that_cannot_be(age: str, said: str) -> None:
    with pytest.raises(click.BadParameter, match=said):
        command.make_context("approve", ["-e", "staging", "--max-age", age])


def test_an_age_in_days() -> None:
    made = command.make_context("approve", ["-e", "staging", "--max-age", "7d"]).params["max_age"]
    assert made.days == 7
