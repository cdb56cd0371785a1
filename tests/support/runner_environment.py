"""The variables that the workflow runner gives to a container action.

Names from the runner's documentation of its variables and contexts; paths are those of the test, where a container
has ``/github/...``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tests.conftest import ROOT

FILES = ("output", "summary", "state", "env", "path")
"""The files that the runner reads afterwards, in the folder ``commands``."""
_FOLDERS = ("home", "workflow", "commands", "temp", "workspace", "tools")
_NAMES = {"output": "GITHUB_OUTPUT", "summary": "GITHUB_STEP_SUMMARY", "state": "GITHUB_STATE", "env": "GITHUB_ENV"}


@cache
def declared_inputs() -> dict[str, str]:
    """Every input of action.yml with its default: one that nobody sets is given as empty text."""
    action: dict[str, Any] = YAML(typ="safe", pure=True).load((ROOT / "action.yml").read_text(encoding="utf-8"))
    given = {name: str(said.get("default", "")) for name, said in action["inputs"].items()}
    return {name: "" if "${{" in value else value for name, value in given.items()}


def input_variables(inputs: dict[str, str]) -> dict[str, str]:
    """Inputs as the runner gives them: upper-cased, hyphens kept."""
    return {f"INPUT_{name.upper()}": value for name, value in {**declared_inputs(), **inputs}.items()}


def make_files(folder: Path) -> None:
    """The folders that are mounted, and the files of one step, empty."""
    for name in _FOLDERS:
        (folder / name).mkdir(exist_ok=True)
    for name in FILES:
        (folder / "commands" / name).write_text("")


def file_variables(folder: Path) -> dict[str, str]:
    """Where the step finds folders and files."""
    commands = folder / "commands"
    return {
        "HOME": str(folder / "home"),
        "GITHUB_EVENT_PATH": str(folder / "workflow" / "event.json"),
        "GITHUB_WORKSPACE": str(folder / "workspace"),
        "GITHUB_PATH": str(commands / "path"),
        **{variable: str(commands / name) for name, variable in _NAMES.items()},
        "RUNNER_TEMP": str(folder / "temp"),
        "RUNNER_TOOL_CACHE": str(folder / "tools"),
        "RUNNER_WORKSPACE": str(folder),
    }


def job_variables(repository: str) -> dict[str, str]:
    """What does not depend on the event."""
    owner = repository.partition("/")[0]
    return {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "CI": "true",
        "ACTIONS_CACHE_URL": "https://cache.example.test/",
        "ACTIONS_RESULTS_URL": "https://results.example.test/",
        "ACTIONS_RUNTIME_TOKEN": "runtime-token",
        "ACTIONS_RUNTIME_URL": "https://runtime.example.test/",
        "GITHUB_ACTION": "gate",
        "GITHUB_ACTIONS": "true",
        "GITHUB_ACTION_REF": "",
        "GITHUB_ACTION_REPOSITORY": "",
        "GITHUB_ACTOR": "octo-dev",
        "GITHUB_ACTOR_ID": "583231",
        "GITHUB_JOB": "staging",
        "GITHUB_REF_PROTECTED": "true",
        "GITHUB_REF_TYPE": "branch",
        "GITHUB_REPOSITORY": repository,
        "GITHUB_REPOSITORY_ID": "100",
        "GITHUB_REPOSITORY_OWNER": owner,
        "GITHUB_REPOSITORY_OWNER_ID": "42",
        "GITHUB_RETENTION_DAYS": "90",
        "GITHUB_RUN_ATTEMPT": "1",
        "GITHUB_RUN_NUMBER": "7",
        "GITHUB_TRIGGERING_ACTOR": "octo-dev",
        "GITHUB_WORKFLOW": "Promotion gate",
        "GITHUB_WORKFLOW_REF": f"{repository}/.github/workflows/gate.yaml@refs/heads/main",
        "GITHUB_WORKFLOW_SHA": "d" * 40,
        "RUNNER_ARCH": "X64",
        "RUNNER_ENVIRONMENT": "github-hosted",
        "RUNNER_NAME": "GitHub Actions 3",
        "RUNNER_OS": "Linux",
    }


def ref_variables(event: str, payload: dict[str, Any]) -> dict[str, str]:
    """Which branch it is about: that of a pull request is its test merge."""
    if not event.startswith("pull_request"):
        return {
            "GITHUB_REF": "refs/heads/main",
            "GITHUB_REF_NAME": "main",
            "GITHUB_BASE_REF": "",
            "GITHUB_HEAD_REF": "",
        }
    pull = payload["pull_request"]
    merge = f"{pull['number']}/merge"
    base, head = pull["base"]["ref"], pull["head"]["ref"]
    if event != "pull_request":  # pull_request_target runs in the base's place
        merge = base
    ref = f"refs/pull/{merge}" if event == "pull_request" else f"refs/heads/{base}"
    return {"GITHUB_REF": ref, "GITHUB_REF_NAME": merge, "GITHUB_BASE_REF": base, "GITHUB_HEAD_REF": head}
