"""The page on promotion and its example workflows: what they ask for is there, and no more permissions than needed."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from gate.config.load import load_configuration
from gate.reasons import Reason
from tests.conftest import ROOT

NAMES = ("promotion-directories.yaml", "promotion-branches.yaml", "recheck.yaml")
PAGE = (ROOT / "docs" / "promotion.md").read_text(encoding="utf-8")
PERMISSIONS = {"statuses": "write", "pull-requests": "write"}


def _path(name: str) -> Path:
    return ROOT / "docs" / "examples" / name


def _load(path: Path) -> dict[str, Any]:
    loaded = YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


ACTION = _load(ROOT / "action.yml")


@pytest.mark.parametrize("name", NAMES)
def test_a_job_is_given_what_it_needs_and_a_name_of_its_own(name: str) -> None:
    workflow = _load(_path(name))
    assert workflow["permissions"] == {}
    for called, job in workflow["jobs"].items():
        (step,) = job["steps"]
        contents = "write" if "evidence-branch" in step["with"] else "read"
        assert job["permissions"] == {"contents": contents, **PERMISSIONS}
        assert job["concurrency"]["cancel-in-progress"] is False
        assert "timeout-minutes" in job
        assert not called.startswith("gate/")
        assert step["uses"] == "OWNER/promotion-gate@FULL_COMMIT_ID"
        assert set(step["with"]) <= set(ACTION["inputs"])


def test_nothing_is_left_out_by_path_where_a_status_is_required() -> None:
    on = _load(_path("promotion-directories.yaml"))["on"]
    assert set(on) == {"push", "pull_request", "merge_group"}
    assert not any("paths" in key for event in on.values() for key in event)
    assert on["merge_group"]["types"] == ["checks_requested"]


def test_only_the_clock_and_people_start_a_recheck() -> None:
    workflow = _load(_path("recheck.yaml"))
    assert set(workflow["on"]) == {"schedule", "workflow_dispatch"}
    (job,) = workflow["jobs"].values()
    assert job["steps"][0]["with"]["mode"] == "recheck"


@pytest.mark.parametrize("name", NAMES)
def test_github_would_take_the_workflow(name: str) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    ended = subprocess.run([*command, str(_path(name))], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout


def test_the_configurations_on_the_page_load() -> None:
    found = re.findall(r"^```yaml\n(version: 1\n.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    directories, branches = (load_configuration(text, "docs/promotion.md") for text in found)
    assert directories.environments["staging"].promotes_to == "production"
    assert directories.environments["production"].branch is None
    assert branches.environments["production"].branch == "env/production"


def test_the_page_names_what_there_is() -> None:
    reasons = set(re.findall(r"`(?:held: |passed: )?([A-Z][a-z]+(?:[A-Z][A-Za-z]+)+)`", PAGE))
    assert {"NothingToGate", "BothPinsChanged"} <= reasons <= {reason.value for reason in Reason}
    targets = re.findall(r"\]\(([^):#]+)", PAGE)
    assert [target for target in targets if not (ROOT / "docs" / target).exists()] == []
    assert {f"examples/{name}" for name in NAMES} <= set(targets)
