"""What is there to copy: workflows with no more permissions than they need, a ruleset that GitHub takes, RBAC."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from tests.conftest import ROOT
from tests.support.openapi import description, operation_for

EXAMPLES = ROOT / "docs" / "examples"
README = (ROOT / "README.md").read_text(encoding="utf-8")
OURS = "OWNER/promotion-gate@FULL_COMMIT_ID"
PINNED = re.compile(rf"uses: (?:{OURS} # vX\.Y\.Z|[\w.-]+/[\w./-]+@[0-9a-f]{{40}} # v\d+(\.\d+)*)")
LEAST = {"contents": "read", "statuses": "write", "pull-requests": "write"}


def _load(path: Path) -> dict[str, Any]:
    loaded = YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


ACTION = _load(ROOT / "action.yml")
WORKFLOWS = [path.name for path in sorted(EXAMPLES.glob("*.yaml")) if "jobs" in _load(path)]


def _jobs(name: str) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Each job with the steps in it that are the gate's."""
    for job in _load(EXAMPLES / name)["jobs"].values():
        yield job, [step for step in job["steps"] if step.get("uses") == OURS]


def _needed(job: dict[str, Any], steps: list[dict[str, Any]]) -> dict[str, str]:
    """The permissions that a job needs for what its steps ask for."""
    given = [step["with"] for step in steps]
    needed = dict(LEAST)
    if any(one.get("mode") == "bump" or "evidence-branch" in one for one in given):
        needed["contents"] = "write"
    if any("oidc-audience" in one for one in given):
        needed["id-token"] = "write"
    if any(step.get("uses", "").startswith("actions/attest@") for step in job["steps"]):
        needed |= {"id-token": "write", "attestations": "write"}
    return needed


def test_there_is_one_for_each_way_to_use_the_gate() -> None:
    assert {"bump.yaml", "promotion-directories.yaml", "promotion-branches.yaml", "recheck.yaml"} <= set(WORKFLOWS)
    modes = {step["with"].get("mode", "check") for name in WORKFLOWS for _, steps in _jobs(name) for step in steps}
    assert modes == {"check", "bump", "recheck", "approve"}
    events = set().union(*(_load(EXAMPLES / name)["on"] for name in WORKFLOWS))
    assert {"push", "pull_request", "merge_group", "schedule", "workflow_dispatch"} <= events
    assert "pull_request_target" not in events


@pytest.mark.parametrize("name", WORKFLOWS)
def test_each_job_is_given_what_its_steps_need_and_no_more(name: str) -> None:
    assert _load(EXAMPLES / name)["permissions"] == {}
    for job, steps in _jobs(name):
        if steps:
            assert job["permissions"] == _needed(job, steps)
            assert job["concurrency"]["cancel-in-progress"] is False
        assert "timeout-minutes" in job


@pytest.mark.parametrize("name", WORKFLOWS)
def test_inputs_and_outputs_are_those_of_the_action(name: str) -> None:
    for job, steps in _jobs(name):
        for step in steps:
            assert set(step["with"]) <= set(ACTION["inputs"])
            read = re.findall(rf"steps\.{step.get('id', 'gate')}\.outputs\.([a-z-]+)", json.dumps(job))
            assert set(read) <= set(ACTION["outputs"])


@pytest.mark.parametrize("name", WORKFLOWS)
def test_every_action_is_pinned_to_a_full_commit_id(name: str) -> None:
    used = re.findall(r"\buses: .*", (EXAMPLES / name).read_text(encoding="utf-8"))
    assert used
    assert [line for line in used if not PINNED.fullmatch(line)] == []


@pytest.mark.parametrize("name", WORKFLOWS)
def test_github_would_take_the_workflow(name: str) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    ended = subprocess.run([*command, str(EXAMPLES / name)], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout


def test_the_readme_names_every_permission_that_an_example_asks_for() -> None:
    asked = {
        f"{key}: {value}" for name in WORKFLOWS for job, _ in _jobs(name) for key, value in job["permissions"].items()
    }
    rows = re.findall(r"^\| GitHub \| (.*?) \|", README, flags=re.MULTILINE)
    assert {found for row in rows for found in re.findall(r"`([a-z-]+: (?:read|write))`", row)} == asked


def _ruleset() -> dict[str, Any]:
    loaded = json.loads((EXAMPLES / "ruleset.json").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def _problems(ruleset: dict[str, Any]) -> list[str]:
    """What GitHub's description has against it as the body of a new ruleset."""
    found = operation_for("POST", "/repos/acme/environments/rulesets")
    assert found is not None
    schema = found[1]["requestBody"]["content"]["application/json"]["schema"]
    whole = {**schema, "components": description()["components"]}
    return [error.message for error in Draft202012Validator(whole).iter_errors(ruleset)]


def test_github_would_take_the_ruleset() -> None:
    assert _problems(_ruleset()) == []
    known = operation_for("POST", "/repos/acme/environments/rulesets")
    assert known is not None
    properties = known[1]["requestBody"]["content"]["application/json"]["schema"]["properties"]
    assert set(_ruleset()) <= set(properties)


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        ("pull_request", {"required_approving_review_count": 11}),
        ("pull_request", {"require_code_owner_review": None}),
        ("required_status_checks", {"required_status_checks": [{"integration_id": 15368}]}),
        ("required_status_checks", {"strict_required_status_checks_policy": "yes"}),
    ],
    ids=str,
)
def test_github_would_not_take_another(rule: str, change: dict[str, Any]) -> None:
    ruleset = _ruleset()
    [meant] = [one for one in ruleset["rules"] if one["type"] == rule]
    meant["parameters"] |= change
    assert _problems(ruleset) != []


def test_the_ruleset_lets_nobody_past_the_status() -> None:
    ruleset = _ruleset()
    rules = {rule["type"]: rule.get("parameters", {}) for rule in ruleset["rules"]}
    assert (ruleset["enforcement"], ruleset["bypass_actors"]) == ("active", [])
    assert {"deletion", "non_fast_forward", "pull_request"} <= set(rules)
    required = rules["required_status_checks"]
    assert [check["context"] for check in required["required_status_checks"]] == ["gate/staging"]
    assert required["strict_required_status_checks_policy"] is True
    page = (ROOT / "docs" / "promotion.md").read_text(encoding="utf-8")
    for check in required["required_status_checks"]:  # what the number means, and what to put in its place
        assert str(check["integration_id"]) in page
