"""The README tells of every input, output, outcome, exit code and command, and of none that is not there."""

import re
from typing import Any

import pytest
from ruamel.yaml import YAML

from gate.errors import ExitCode
from gate.outcomes import LAYERS, VerdictWord
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def _section(title: str) -> str:
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", README, flags=re.MULTILINE | re.DOTALL)
    assert found is not None, f"no section {title!r}"
    return found[1]


def _first_cells(section: str) -> list[str]:
    return re.findall(r"^\| `([a-z-]+)` \|", section, flags=re.MULTILINE)


@pytest.fixture(scope="module")
def action() -> dict[str, Any]:
    loaded = YAML(typ="safe", pure=True).load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


@pytest.mark.parametrize("kind", ["inputs", "outputs"])
def test_inputs_and_outputs_are_those_of_the_action(action: dict[str, Any], kind: str) -> None:
    assert _first_cells(_section(kind.capitalize())) == list(action[kind])


def test_defaults_are_those_of_the_action(action: dict[str, Any]) -> None:
    said = dict(re.findall(r"^\| `([a-z-]+)` \| `([^`]+)` \|", _section("Inputs"), flags=re.MULTILINE))
    given = {name: spec["default"] for name, spec in action["inputs"].items() if "default" in spec}
    del given["github-token"]  # the README says "the job's token"
    assert said == given


def test_layers_are_all_there_in_order() -> None:
    assert _first_cells(_section("The four layers")) == list(LAYERS)


def test_every_verdict_and_exit_code_is_there() -> None:
    section = _section("Outcomes and exit codes")
    assert set(re.findall(r"`([a-z-]+)`", section)) >= set(VerdictWord)
    codes = [
        int(code) for cell in re.findall(r"\| ([\d, ]+) \|$", section, flags=re.MULTILINE) for code in cell.split(",")
    ]
    assert codes == [int(code) for code in ExitCode]


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z]+(?:-[a-z]+)*)", README))
    assert {"setup", "test", "lint", "cluster-test"} <= named <= targets


def test_links_within_the_repository_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^):#]+)\)", README)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []
