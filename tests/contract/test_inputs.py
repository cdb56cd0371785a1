"""`action.yml` and the reader of the inputs know the same names and the same defaults."""

from typing import Any

from ruamel.yaml import YAML

from gate.config.inputs import NAMES, Inputs, parse_inputs
from tests.conftest import ROOT

_INPUTS: dict[str, dict[str, Any]] = YAML(typ="safe", pure=True).load((ROOT / "action.yml").read_text("utf-8"))[
    "inputs"
]


def test_the_names_are_the_same_in_the_same_order() -> None:
    assert list(_INPUTS) == list(NAMES)


def test_what_the_runner_passes_when_only_the_environment_is_given_is_every_default() -> None:
    environ = {f"INPUT_{name.upper()}": str(said.get("default", "")) for name, said in _INPUTS.items()}
    environ |= {"INPUT_ENVIRONMENT": "staging", "INPUT_GITHUB-TOKEN": ""}  # the runner fills in its own token
    assert parse_inputs(environ) == Inputs(environment="staging")


def test_what_is_required_is_required_here() -> None:
    required = {name for name, field in Inputs.model_fields.items() if field.is_required()}
    assert required == {name for name, said in _INPUTS.items() if said.get("required") is True}
