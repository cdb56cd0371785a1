"""The project's own workflows keep to what SECURITY.md says of them."""

import re
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.conftest import ROOT

FILES = sorted((ROOT / ".github/workflows").glob("*.yml"))
PINNED = re.compile(r"uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*")


def _load(name: str) -> dict[str, Any]:
    loaded = YAML(typ="safe", pure=True).load((ROOT / ".github/workflows" / name).read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def test_there_are_workflows() -> None:
    assert {"ci.yml", "cluster.yml"} <= {path.name for path in FILES}


@pytest.mark.parametrize("name", [path.name for path in FILES])
def test_actions_are_pinned_to_a_full_commit_id(name: str) -> None:
    text = (ROOT / ".github/workflows" / name).read_text(encoding="utf-8")
    used = re.findall(r"uses: .*", text)
    assert [line for line in used if not PINNED.fullmatch(line)] == []


@pytest.mark.parametrize("name", [path.name for path in FILES])
def test_nothing_is_permitted_unless_a_job_asks_for_it(name: str) -> None:
    workflow = _load(name)
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert job["permissions"] in ({}, {"contents": "read"})
        assert job["timeout-minutes"] <= 90


@pytest.mark.parametrize("name", [path.name for path in FILES])
def test_checkouts_keep_no_credentials_and_scripts_hold_no_expressions(name: str) -> None:
    for job in _load(name)["jobs"].values():
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False
            assert "${{" not in step.get("run", "")


def test_the_last_job_waits_for_every_other() -> None:
    jobs = _load("ci.yml")["jobs"]
    assert jobs["passed"]["if"] == "always()"
    assert set(jobs["passed"]["needs"]) == set(jobs) - {"passed"}
