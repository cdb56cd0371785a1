"""docs/configuration.md says what the models say, and its examples load."""

import re
from datetime import timedelta
from typing import Any

import pytest
from pydantic import BaseModel

from gate.config.advice import advise
from gate.config.duration import show_duration
from gate.config.load import load_configuration, read_configuration
from gate.config.model import (
    Allow,
    ApplicationTarget,
    Approval,
    ArgoCD,
    Bump,
    Cluster,
    Configuration,
    Environment,
    Expectation,
    ExpectedWorkload,
    Opening,
    Pin,
    Policy,
    Request,
    Selector,
)
from gate.config.templates import KNOWN
from tests.conftest import ROOT
from tests.unit.config.building import DATA, WHERE

PAGE = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
EXAMPLE = ROOT / "docs" / "examples" / "promotion-gate.yaml"
# Heading of the page -> models whose keys its table describes, each with what stands before the key.
TABLES: dict[str, list[tuple[type[BaseModel], str]]] = {
    "The file": [(Configuration, "")],
    "An environment": [(Environment, "")],
    "Cluster and argocd": [(Cluster, "cluster."), (ArgoCD, "argocd.")],
    "Applications": [(ApplicationTarget, ""), (Selector, "selector."), (Pin, "pin.")],
    "Workloads": [(ExpectedWorkload, "")],
    "Requests": [(Request, "")],
    "Expectations": [(Expectation, "")],
    "Bump": [(Bump, "")],
    "Approval": [(Approval, "")],
    "Policy": [(Policy, "")],
}


def _rows(heading: str) -> dict[str, str]:
    """First column -> second column of every table under a heading."""
    part = re.split(r"^#+ ", PAGE, flags=re.MULTILINE)
    (text,) = [one for one in part if one.startswith(f"{heading}\n")]
    cells = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| `")]
    return {row[0].strip().strip("`"): row[1].strip() for row in cells}


def _models(model: Any, found: set[type[BaseModel]]) -> set[type[BaseModel]]:
    if isinstance(model, type) and issubclass(model, BaseModel):
        found.add(model)
        for field in model.model_fields.values():
            _models(field.annotation, found)
    for inside in getattr(model, "__args__", ()):
        _models(inside, found)
    return found


def test_every_model_has_its_table() -> None:
    described = {model for models in TABLES.values() for model, _ in models}
    assert described == _models(Configuration, set())


@pytest.mark.parametrize("heading", TABLES)
def test_every_key_is_described_and_no_other(heading: str) -> None:
    keys = {
        f"{before}{field.alias or name}"
        for model, before in TABLES[heading]
        for name, field in model.model_fields.items()
    }
    others = {"service-proxy", "cluster", "external"} if heading == "Requests" else set()
    others |= set(Allow) if heading == "Policy" else set(Opening) if heading == "The file" else set()
    others |= (
        {f"{{{name}{':' if shape else ''}" for name, shape in KNOWN.items()} if heading == "Expectations" else set()
    )
    rows = {
        row if not row.startswith("{") else re.sub(r":.*|\}$", ":" if ":" in row else "", row) for row in _rows(heading)
    }
    assert rows == keys | others


def test_defaults_stand_as_they_are() -> None:
    checked = 0
    for heading, models in TABLES.items():
        rows = _rows(heading)
        for model, before in models:
            for name, field in model.model_fields.items():
                said = rows[f"{before}{field.alias or name}"]
                if field.is_required():
                    assert said.startswith("required"), name
                elif isinstance(field.default, timedelta):
                    shown = {show_duration(field.default), f"{round(field.default.total_seconds())}s"}
                    assert said.strip("`") in shown, name
                elif isinstance(field.default, bool):
                    assert said.strip("`") == str(field.default).lower(), name
                elif isinstance(field.default, int | str) and field.default != "":
                    assert said.strip("`") == str(field.default), name
                else:
                    continue
                checked += 1
    assert checked > 15


def test_every_opt_in_and_template_is_described() -> None:
    assert set(Allow) <= set(_rows("Policy"))
    for name, argument in KNOWN.items():
        assert f"`{{{name}{':' if argument is not None else '}'}" in PAGE


def test_the_example_loads_without_a_warning() -> None:
    made = read_configuration(EXAMPLE)
    assert list(made.environments) == ["staging", "production"]
    assert advise(made) == ()


def test_the_example_names_the_schema_beside_it() -> None:
    first = EXAMPLE.read_text(encoding="utf-8").splitlines()[0]
    match = re.fullmatch(r"# yaml-language-server: \$schema=(.*)", first)
    assert match is not None
    assert (EXAMPLE.parent / match.group(1)).is_file()


def _blocks() -> list[str]:
    blocks = re.findall(r"^```yaml\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    return [block for block in blocks if not block.startswith("#")]


def test_every_example_of_the_page_loads() -> None:
    blocks = _blocks()
    assert len(blocks) >= 6
    for block in blocks:
        if block.startswith("version:"):
            load_configuration(block, WHERE)
            continue
        wanted = {"applications": "    applications: [{name: orders}]\n"}
        rest = "".join(text for key, text in wanted.items() if f"{key}:" not in block)
        indented = "".join(f"    {line}\n" for line in block.splitlines())
        load_configuration(f"version: 1\nenvironments:\n  staging:\n{rest}{indented}", WHERE)


def test_the_pages_own_data_is_what_the_tests_use() -> None:
    (first,) = [block for block in _blocks() if block.startswith("version:")]
    made = load_configuration(first, WHERE)
    assert list(made.environments) == list(DATA["environments"])
