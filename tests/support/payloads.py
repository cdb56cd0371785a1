"""Events with all that the gate reads of them, to be changed in one thing at a time, and the runs they make."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gate.config.event import Run, parse_payload, parse_run
from gate.errors import ExitCode, UsageError

HEAD, BASE, MERGE, TIP = "a" * 40, "b" * 40, "c" * 40, "d" * 40
VARIABLES = {
    "GITHUB_REPOSITORY": "acme/environments",
    "GITHUB_RUN_ID": "4711",
    "GITHUB_RUN_ATTEMPT": "2",
    "GITHUB_SHA": TIP,
    "GITHUB_REF": "refs/heads/main",
}
OURS = {"id": 1, "full_name": "acme/environments", "fork": False, "default_branch": "main"}
FORK = {"id": 2, "full_name": "stranger/environments", "fork": True}


def run(event: str, payload: object, *, commit: str | None = None, number: int | None = None, **changes: Any) -> Run:
    variables = {**VARIABLES, "GITHUB_EVENT_NAME": event, **changes}
    return parse_run(variables, parse_payload(json.dumps(payload), "event.json"), commit=commit, pull_request=number)


def refused(event: str, payload: object, **changes: Any) -> str:
    with pytest.raises(UsageError) as raised:
        run(event, payload, **changes)
    assert raised.value.exit_code is ExitCode.COULD_NOT_RUN
    assert raised.value.change != ""
    return raised.value.happened


def push(**changes: Any) -> dict[str, Any]:
    return {
        "ref": "refs/heads/main",
        "before": BASE,
        "after": HEAD,
        "created": False,
        "deleted": False,
        "head_commit": {"id": HEAD, "message": "Deploy"},
        "repository": OURS,
        **changes,
    }


def pull_request(head_repo: object = OURS, **changes: Any) -> dict[str, Any]:
    pull = {
        "number": 12,
        "state": "open",
        "merge_commit_sha": MERGE,
        "head": {"ref": "promote/prod", "sha": HEAD, "repo": head_repo},
        "base": {"ref": "main", "sha": BASE, "repo": OURS},
        **changes,
    }
    return {
        "action": "synchronize",
        "number": 12,
        "before": BASE,
        "after": HEAD,
        "pull_request": pull,
        "repository": OURS,
    }


def merge_group(**changes: Any) -> dict[str, Any]:
    group = {
        "head_sha": HEAD,
        "head_ref": f"refs/heads/gh-readonly-queue/main/pr-104-{BASE}",
        "base_sha": BASE,
        "base_ref": "refs/heads/main",
        "head_commit": {"id": MERGE},
        **changes,
    }
    return {"action": "checks_requested", "merge_group": group, "repository": OURS}


def workflow_run(**changes: Any) -> dict[str, Any]:
    found = {
        "event": "pull_request",
        "head_sha": HEAD,
        "head_branch": "promote/prod",
        "head_repository": OURS,
        "pull_requests": [listed(12, 1)],
        **changes,
    }
    return {"action": "completed", "workflow_run": found, "repository": OURS}


def listed(number: int, repository: int) -> dict[str, Any]:
    """A pull request as the payload of workflow_run lists it."""
    return {
        "number": number,
        "head": {"ref": "promote/prod", "sha": HEAD, "repo": {"id": 1, "name": "environments"}},
        "base": {"ref": "main", "sha": BASE, "repo": {"id": repository, "name": "environments"}},
    }
