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
    assert {"ci.yml", "cluster.yml", "release.yml"} == {path.name for path in FILES}


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
        assert job["permissions"] in ({}, {"contents": "read"}) or name == "release.yml"
        assert job["timeout-minutes"] <= 90


@pytest.mark.parametrize("name", [path.name for path in FILES])
def test_checkouts_keep_no_credentials_and_scripts_hold_no_expressions(name: str) -> None:
    for job in _load(name)["jobs"].values():
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False
            assert "${{" not in step.get("run", "")


def test_a_release_is_made_of_main_by_jobs_that_each_may_do_one_thing() -> None:
    """Whoever pushes images cannot push commits, whoever signs cannot, and whoever pushes tags reaches no registry."""
    workflow = _load("release.yml")
    assert set(workflow["on"]) == {"workflow_dispatch"}
    assert workflow["concurrency"] == {"group": "release", "cancel-in-progress": False}
    jobs = workflow["jobs"]
    assert {name: job["permissions"] for name, job in jobs.items()} == {
        "check": {"contents": "read", "checks": "read"},
        "build": {"contents": "read", "packages": "write"},
        "index": {"packages": "write", "id-token": "write", "attestations": "write"},
        "publish": {"contents": "write"},
    }
    assert jobs["check"]["if"] == "github.ref == 'refs/heads/main'"
    assert all("check" in job["needs"] for name, job in jobs.items() if name != "check")
    assert not any("if" in job for name, job in jobs.items() if name != "check")
    assert jobs["publish"]["environment"] == "release"
    matrix = jobs["build"]["strategy"]["matrix"]["include"]
    assert [one["architecture"] for one in matrix] == ["amd64", "arm64"] == list(jobs["build"]["outputs"])


def test_a_release_waits_for_what_ci_calls_its_last_job() -> None:
    text = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    assert f'select(.name == "{_load("ci.yml")["jobs"]["passed"]["name"]}")' in text


def test_a_release_pins_verifies_and_then_tags() -> None:
    steps = _load("release.yml")["jobs"]["publish"]["steps"]
    scripts = "\n".join(step.get("run", "") for step in steps)
    order = ["release.py pin", "git commit", "release.py verify", "git tag ", "git push origin", "gh release create"]
    places = [scripts.index(part) for part in order]
    assert places == sorted(places)


def test_the_last_job_waits_for_every_other() -> None:
    jobs = _load("ci.yml")["jobs"]
    assert jobs["passed"]["if"] == "always()"
    assert set(jobs["passed"]["needs"]) == set(jobs) - {"passed"}
