"""An approval wherever it may be asked for: a merge group, a person, another layout, a laptop."""

import json
import subprocess
from pathlib import Path

import pytest
import yaml

from gate.lab.github.merge_queue import rule
from tests.support.action import LIMIT, PROGRAM, stage
from tests.support.approving import approve, checked
from tests.support.environments import manifest
from tests.support.promoting import CONFIG, GATE, PRODUCTION, branches, layout, state

pytestmark = pytest.mark.exhaustive


def test_a_merge_group_is_approved_by_what_would_be_on_main(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        checked(on)
        on.lab.github.add_rule("main", rule())
        assert approve(on).code == 0
        entry = on.lab.github.enqueue(on.pull)
        on.event, on.payload = "merge_group", on.lab.github.events().merge_group(entry)
        ended = approve(on, run=4713)
        assert ended.code == 0, ended.log
        assert on.statuses(entry.head_sha) == [("pending", GATE), ("success", GATE)]


def test_a_person_may_start_it_on_the_branch_of_the_pull_request(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        checked(on)
        on.event, on.payload = "workflow_dispatch", on.lab.github.events().workflow_dispatch("promote/next")
        on.more |= {"GITHUB_REF": "refs/heads/promote/next", "GITHUB_SHA": on.promotion}
        ended = approve(on)
        assert ended.code == 0, ended.log
        assert state(on) == "success"
        tip, pin = on.lab.repository.git.commit("main"), {PRODUCTION: manifest(on.commit)}
        lonely = on.lab.repository.commit("promote/lonely", pin, "No pull request yet", parents=[tip or ""])
        on.more |= {"GITHUB_REF": "refs/heads/promote/lonely", "GITHUB_SHA": lonely}
        ended = approve(on, run=4713)
        assert (ended.code, ended.outputs["reason"]) == (2, "PullRequestNotOpen"), ended.log


def test_with_one_branch_for_each_environment_the_head_says_what_is_promoted(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        head = branches(on)
        on.event, on.payload = "push", on.lab.github.events().push("env/staging")
        on.more |= {"GITHUB_SHA": head, "GITHUB_REF": "refs/heads/env/staging"}
        ended = on.run()
        assert ended.code == 0, ended.log
        on.event, on.payload = "pull_request", on.lab.github.events().pull_request(on.pull)
        ended = approve(on)
        assert ended.code == 0, ended.log
        assert on.statuses(head) == [("pending", GATE), ("success", GATE)] * 2


def test_the_last_environment_has_nothing_to_approve(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        checked(on)
        ended = approve(on, environment="production")
        assert ended.code == 64, ended.log
        assert "There is nothing that production promotes to" in ended.log


def test_from_a_laptop_it_says_what_it_would_say(tmp_path: Path) -> None:
    """Nothing is published, and it says what could not be asked."""
    with stage(tmp_path, config=layout()) as on:
        checked(on)
        (on.workspace / CONFIG).write_text(yaml.safe_dump(layout()))
        clone = str(on.lab.repository.git.directory)
        asked = len(on.lab.github.requests)
        options = ["--no-publish", "-e", "staging", "--evidence", "evidence", "--repo", clone, "--format", "json"]
        options += ["--revision", on.commit, "--kubeconfig", "kubeconfig"]
        for age, code, reason in (("1h", 0, "AllLayersAgree"), ("2s", 2, "EvidenceTooOld")):
            done = subprocess.run(
                [
                    *PROGRAM,
                    "approve",
                    *options,
                    "--revision",
                    on.commit,
                    "--kubeconfig",
                    "kubeconfig",
                    "--max-age",
                    age,
                ],
                cwd=on.workspace,
                env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
                capture_output=True,
                text=True,
                timeout=LIMIT,
                check=False,
            )
            said = json.loads(done.stdout)
            assert (done.returncode, said["reason"]) == (code, reason), done.stderr
            assert ("GitHub is not asked" in done.stderr) is (code == 0)
        assert len(on.lab.github.requests) == asked
