"""The GitHub stand-in as a process of its own, and the validator behind all these tests."""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from gate.lab.github import Exchange
from tests.support.github import NAME, new_repository
from tests.support.openapi import SLICE, Validator, operation_for

ROOT = Path(__file__).parents[2]
PIN = {"envs/prod/app.yaml": "targetRevision: one\n"}


@dataclass(frozen=True)
class Process:
    """A running stand-in."""

    api: httpx.Client
    sha: str
    running: subprocess.Popen[str]


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Process]:
    directory, port_file = tmp_path / "environments.git", tmp_path / "port"
    sha = new_repository(directory).commit("main", PIN, "One")
    command = [
        sys.executable, "-m", "gate.lab.github", "--repository", f"{NAME}={directory}",
        "--port-file", str(port_file), "--token", "secret-token", "--permission", "statuses=write",
        "--require-status", "main=gate/prod",
    ]  # fmt: skip
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        url = running.stdout.readline().strip()
        assert url == f"http://127.0.0.1:{port_file.read_text().strip()}"
        headers = {"Authorization": "Bearer secret-token"}
        with httpx.Client(base_url=url, headers=headers, trust_env=False) as api:
            yield Process(api, sha, running)
        running.kill()


def test_it_keeps_what_was_published_and_stops_when_told(process: Process) -> None:
    path = f"/repos/{NAME}/statuses/{process.sha}"
    assert process.api.post(path, json={"state": "success", "context": "gate/prod"}).is_success
    assert process.api.get(f"/repos/{NAME}/commits/main").status_code == 403
    [rule] = process.api.get(f"/repos/{NAME}/rules/branches/main").json()
    assert rule["type"] == "required_status_checks"
    answer = process.api.get("/_standin/state")
    state = answer.json()
    [status] = state["repositories"][NAME]["statuses"]
    assert (status["sha"], status["context"]) == (process.sha, "gate/prod")
    assert [request["status"] for request in state["requests"]] == [201, 403, 200]
    assert "secret-token" not in answer.text

    process.running.send_signal(signal.SIGTERM)
    assert process.running.wait(timeout=5) == 0


def test_faults_are_arranged_from_outside(process: Process) -> None:
    path, body = f"/repos/{NAME}/statuses/{process.sha}", {"state": "success"}
    fault = {"kind": "error", "method": "POST", "status": 503, "after": True}
    assert process.api.post("/_standin/faults", json=fault).status_code == 201
    assert process.api.post(path, json=body).status_code == 503
    assert process.api.get("/_standin/faults").json()[0]["matched"] == 1
    assert process.api.post(path, json=body).status_code == 201
    hang = {"kind": "hang", "times": None}
    assert process.api.post("/_standin/faults", json=[hang]).status_code == 201
    with pytest.raises(httpx.ReadTimeout):
        process.api.get(f"/repos/{NAME}", timeout=0.2)
    assert process.api.delete("/_standin/faults").status_code == 204
    assert process.api.get(f"/repos/{NAME}").status_code == 200
    for wrong in ({"kind": "no-such"}, {"colour": "red"}, 7):
        assert process.api.post("/_standin/faults", json=wrong).status_code == 422
    started = time.monotonic()
    process.running.send_signal(signal.SIGTERM)
    process.running.wait(timeout=5)
    assert time.monotonic() - started < 2


def test_the_slice_is_the_recorded_one() -> None:
    source = json.loads((SLICE.parent / "source.json").read_text())
    assert (source["package"], source["version"]) == ("@octokit/openapi", "23.0.2")
    assert hashlib.sha256(SLICE.read_bytes()).hexdigest() == source["slice_sha256"]
    assert f'ARCHIVE_SHA256 = "{source["archive_sha256"]}"' in (SLICE.parent / "make_slice.py").read_text()
    assert "Octokit contributors" in (SLICE.parent / "rest-slice.LICENSE").read_text()


STATUS_PATH = f"/repos/{NAME}/statuses/{'a' * 40}"
STATUS: dict[str, Any] = {
    "url": "u", "avatar_url": None, "id": 1, "node_id": "n", "state": "success",
    "description": None, "target_url": None, "context": "c", "created_at": "t",
    "updated_at": "t", "creator": None,
}  # fmt: skip
GOOD = Exchange(
    "POST", STATUS_PATH, "/repos/{owner}/{repo}/statuses/{sha}", {}, {"state": "success"},
    201, STATUS, {}, datetime(2026, 1, 1, tzinfo=UTC), None,
)  # fmt: skip


@pytest.mark.parametrize(
    "wrong",
    [
        {"request_body": {"state": "passed"}},
        {"request_body": {}},
        {"request_body": None},
        {"response_body": STATUS | {"id": "1"}},
        {"response_body": {"id": 1}},
        {"response_body": STATUS | {"creator": {"login": "x"}}},
        {"status": 200},
        {"status": 422, "response_body": {"error": "no message"}},
        {"path": "/repos/acme/environments/nothing"},
        {"template": None},
        {"query": {"page": "1"}},
        {"method": "PUT"},
    ],
)
def test_the_validator_sees_violations(wrong: dict[str, Any]) -> None:
    validator = Validator()
    validator(GOOD)
    assert validator.violations == []
    validator(replace(GOOD, **wrong))
    assert validator.violations != []


@pytest.mark.parametrize(
    ("path", "template"),
    [
        ("/repos/a/b/commits/env/prod", "/repos/{owner}/{repo}/commits/{ref}"),
        ("/repos/a/b/commits/env/prod/status", "/repos/{owner}/{repo}/commits/{ref}/status"),
        ("/repos/a/b/commits/abc/pulls", "/repos/{owner}/{repo}/commits/{commit_sha}/pulls"),
        ("/repos/a/b/issues/comments/1", "/repos/{owner}/{repo}/issues/comments/{comment_id}"),
        ("/repos/a/b/statuses/main", "/repos/{owner}/{repo}/commits/{ref}/statuses"),
    ],
)
def test_the_validator_finds_operations_by_itself(path: str, template: str) -> None:
    found = operation_for("GET", path)
    assert found is not None
    assert found[0] == template
