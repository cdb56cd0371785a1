"""`action.yml` and the image: what the runner is told, and that the entry point can be trusted."""

import json
import re
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.conftest import ROOT

KEBAB = re.compile(r"[a-z]+(-[a-z]+)*")
OUTPUTS = ["verdict", "reason", "failed-layer", "evidence", "result", "commit", "pull-request"]


@pytest.fixture(scope="module")
def action() -> dict[str, Any]:
    loaded = YAML(typ="safe", pure=True).load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


@pytest.fixture(scope="module")
def dockerfile() -> str:
    return (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_names_itself(action: dict[str, Any]) -> None:
    assert action["name"] == "Promotion Gate"
    assert action["branding"] == {"icon": "check-circle", "color": "green"}
    assert action["runs"]["using"] == "docker"
    assert action["runs"]["image"] == "Dockerfile" or "@sha256:" in action["runs"]["image"]


def test_inputs_are_kebab_case_and_described_in_one_sentence(action: dict[str, Any]) -> None:
    assert action["inputs"]
    for name, said in action["inputs"].items():
        assert KEBAB.fullmatch(name), name
        assert said["description"].endswith("."), name
        assert ". " not in said["description"], name
        assert set(said) <= {"description", "required", "default"}, name


def test_only_the_environment_must_be_given(action: dict[str, Any]) -> None:
    assert [name for name, said in action["inputs"].items() if said.get("required")] == ["environment"]
    assert "default" not in action["inputs"]["environment"]


def test_defaults_are_text_because_the_runner_passes_text(action: dict[str, Any]) -> None:
    defaults = {name: said["default"] for name, said in action["inputs"].items() if "default" in said}
    assert {name for name, value in defaults.items() if not isinstance(value, str)} == set()
    assert defaults["github-token"] == "${{ github.token }}"


def test_outputs_are_exactly_these(action: dict[str, Any]) -> None:
    assert list(action["outputs"]) == OUTPUTS
    for name, said in action["outputs"].items():
        assert said["description"].endswith("."), name


def test_the_entry_point_is_absolute_isolated_and_without_a_shell(action: dict[str, Any], dockerfile: str) -> None:
    assert "entrypoint" not in action["runs"]
    assert "args" not in action["runs"]
    found = re.findall(r"^ENTRYPOINT (.*)$", dockerfile, flags=re.MULTILINE)
    assert len(found) == 1
    command = json.loads(found[0])
    assert command == ["/opt/gate/bin/python", "-I", "-m", "gate"]


def test_the_post_step_is_one_program_of_the_image_and_always_runs(action: dict[str, Any], dockerfile: str) -> None:
    """The runner gives it no arguments; the image has it, isolated from the workspace like the entry point."""
    program = action["runs"]["post-entrypoint"]
    assert action["runs"]["post-if"] == "always()"
    assert f"> {program} " in dockerfile
    assert "'#!/opt/gate/bin/python -I' 'from gate.commands.post import main'" in dockerfile


def test_the_image_keeps_the_runner_in_charge(dockerfile: str) -> None:
    instructions = re.findall(r"^([A-Z]+) ", dockerfile, flags=re.MULTILINE)
    runtime = instructions[len(instructions) - instructions[::-1].index("FROM") :]
    assert {"USER", "WORKDIR", "CMD", "SHELL"}.isdisjoint(runtime)
    assert "ENTRYPOINT" in runtime


def test_the_image_takes_only_what_the_lock_files_hash(dockerfile: str) -> None:
    text = dockerfile.replace("\\\n", " ")
    installs = re.findall(r"-m pip (install|wheel)([^&\n]*)", text)
    assert len(installs) >= 3
    for verb, options in installs:
        assert "--require-hashes" in options or "--no-index" in options, f"pip {verb}{options}"
    assert re.search(r"^ARG PYTHON_IMAGE=\S+:\d+\.\d+\.\d+-\S+$", dockerfile, flags=re.MULTILINE)
