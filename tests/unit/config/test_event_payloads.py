"""Payloads that are not as GitHub sends them are refused, whatever is wrong with them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gate.config.event import parse_payload
from gate.errors import UsageError
from tests.support.payloads import HEAD, OURS, merge_group, pull_request, push, refused, run, workflow_run


@pytest.mark.parametrize("text", ["", "{", "null", "[]", '"x"', "1", b"\xff\xfe", "[" * 100_000])
def test_an_event_file_without_a_json_object_is_named(text: str | bytes) -> None:
    with pytest.raises(UsageError, match=r"The event file event\.json") as raised:
        parse_payload(text, "event.json")
    assert "does not run as an action" in raised.value.means


PAYLOADS = {
    "push": (push(), ["ref", "after"]),
    "pull_request": (
        pull_request(),
        [
            "pull_request", "pull_request.number", "pull_request.head", "pull_request.head.sha",
            "pull_request.head.ref", "pull_request.base", "pull_request.base.ref", "pull_request.base.repo",
            "pull_request.base.repo.id",
        ],
    ),
    "merge_group": (
        merge_group(),
        ["merge_group", "merge_group.head_sha", "merge_group.head_ref", "merge_group.base_ref"],
    ),
    "workflow_run": (
        workflow_run(),
        ["workflow_run", "workflow_run.head_sha", "workflow_run.event", "repository", "repository.id"],
    ),
    "deployment": ({"deployment": {"sha": HEAD}}, ["deployment", "deployment.sha"]),
}  # fmt: skip
NEEDED = [(event, path) for event, (_, paths) in PAYLOADS.items() for path in paths]


def spoilt(payload: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """A copy in which this field has another value, or is not there (value of Ellipsis)."""
    copy: dict[str, Any] = json.loads(json.dumps(payload))
    *parents, last = path.split(".")
    place = copy
    for name in parents:
        place = place[name]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return copy


@pytest.mark.parametrize("value", [..., None, "", [], {}, 7.5, True], ids=repr)
@pytest.mark.parametrize(("event", "path"), NEEDED)
def test_every_needed_field_is_needed(event: str, path: str, value: object) -> None:
    payload = PAYLOADS[event][0]
    assert run(event, payload).commit == HEAD
    refused(event, spoilt(payload, path, value))


@pytest.mark.parametrize("sha", ["main", HEAD[:12], HEAD.upper(), f" {HEAD}", f"{HEAD}\n", "g" * 40])
@pytest.mark.parametrize(
    ("event", "path"),
    [
        ("push", "after"),
        ("pull_request", "pull_request.head.sha"),
        ("merge_group", "merge_group.head_sha"),
        ("workflow_run", "workflow_run.head_sha"),
        ("deployment", "deployment.sha"),
    ],
)
def test_a_commit_is_a_full_id_and_nothing_around_it(event: str, path: str, sha: str) -> None:
    assert "no full commit id" in refused(event, spoilt(PAYLOADS[event][0], path, sha))


def test_hostile_text_is_repeated_harmlessly() -> None:
    happened = refused("push", push(after="x\n::error::boom\x1b[2K" + "y" * 500))
    assert happened.isprintable()
    assert len(happened) < 200
    branch = "fix`|pass\u202e"
    assert run("pull_request", pull_request(head={"ref": branch, "sha": HEAD, "repo": OURS})).head_branch == branch
