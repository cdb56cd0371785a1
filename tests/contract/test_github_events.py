"""Event payloads of the stand-in fit what octokit/webhooks describes, and the gate reads them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from gate.config.event import parse_payload, parse_run
from gate.lab.github.merge_queue import rule
from tests.support.github import NAME, PERSON, Bench, bench
from tests.support.graphql import SLICE as GRAPHQL_SLICE

SLICES = GRAPHQL_SLICE.parent


@cache
def definitions() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SLICES / "events-slice.json").read_text())["definitions"]
    return found


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        made.api.get("/rate_limit")  # the bench wants to see an exchange
        yield made


def check(payload: dict[str, Any], name: str) -> None:
    """Fail on anything that the event's schema does not describe."""
    schema = {"$ref": f"#/definitions/{name}", "definitions": definitions()}
    wrong = [f"{error.json_path}: {error.message}" for error in Draft7Validator(schema).iter_errors(payload)]
    assert wrong == []


def commit_of(event: str, payload: dict[str, Any], tip: str) -> tuple[str | None, int | None, str | None]:
    """Reported commit, pull request and base branch, as the gate understands the event."""
    variables = {
        "GITHUB_EVENT_NAME": event, "GITHUB_REPOSITORY": NAME, "GITHUB_RUN_ID": "1", "GITHUB_RUN_ATTEMPT": "1",
        "GITHUB_SHA": tip, "GITHUB_REF": "refs/heads/main",
    }  # fmt: skip
    run = parse_run(variables, parse_payload(json.dumps(payload), "event.json"))
    return run.reported, run.pull_request, run.base_branch


def test_push(lab: Bench) -> None:
    payload = lab.github.events().push()
    check(payload, "push$event")
    assert (payload["before"], payload["after"], payload["created"]) == (lab.first, lab.second, False)
    assert payload["head_commit"]["modified"] == ["envs/prod/app.yaml"]
    assert commit_of("push", payload, lab.second)[0] == lab.second
    forced = lab.github.events().push("main", before=lab.promotion)
    check(forced, "push$event")
    assert (payload["forced"], forced["forced"]) == (False, True)


def test_a_push_that_made_the_branch(lab: Bench) -> None:
    lab.repository.commit("island", {"x": "x\n"}, "Island", parents=[])
    payload = lab.github.events().push("island")
    check(payload, "push$event")
    assert (payload["created"], payload["before"]) == (True, "0" * 40)


@pytest.mark.parametrize("action", ["opened", "synchronize", "reopened"])
def test_pull_request(lab: Bench, action: str) -> None:
    number = lab.github.open_pull("promote/prod").number
    payload = lab.github.events(PERSON).pull_request(number, action)
    check(payload, f"pull_request${action}")
    assert payload["sender"]["login"] == "octo-dev"
    pull = payload["pull_request"]
    assert pull["merge_commit_sha"] not in (pull["head"]["sha"], None)
    assert commit_of("pull_request", payload, pull["merge_commit_sha"]) == (lab.promotion, number, "main")


def test_pull_request_closed_and_from_a_fork(lab: Bench) -> None:
    number = lab.github.open_pull("someone:promote/prod", user=PERSON).number
    opened = lab.github.events().pull_request(number, "opened")
    check(opened, "pull_request$opened")
    assert opened["pull_request"]["head"]["repo"]["fork"] is True
    lab.github.merge_pull(number)
    closed = lab.github.events().pull_request(number, "closed")
    check(closed, "pull_request$closed")
    assert closed["pull_request"]["merged"] is True


def test_merge_group(lab: Bench) -> None:
    lab.github.add_rule("main", rule())
    entry = lab.github.enqueue(lab.github.open_pull("promote/prod").number)
    asked = lab.github.events().merge_group(entry)
    check(asked, "merge_group$checks_requested")
    assert commit_of("merge_group", asked, entry.head_sha) == (entry.head_sha, entry.number, "main")
    check(lab.github.events().merge_group(entry, "merged"), "merge_group$destroyed")


def test_dispatches(lab: Bench) -> None:
    check(lab.github.events().workflow_dispatch(inputs={"revision": lab.first}), "workflow_dispatch$event")
    check(lab.github.events().workflow_dispatch(), "workflow_dispatch$event")
    payload = lab.github.events().repository_dispatch("image-pushed", {"revision": lab.first})
    check(payload, "repository_dispatch$event")
    assert payload["branch"] == "main"


def test_schedule(lab: Bench) -> None:
    payload = lab.github.events().schedule("0 * * * *")
    assert (payload["schedule"], payload["repository"]["full_name"]) == ("0 * * * *", NAME)
    assert commit_of("schedule", payload, lab.second)[0] == lab.second


def test_workflow_run(lab: Bench) -> None:
    number = lab.github.open_pull("promote/prod").number
    events = lab.github.events()
    payload = events.workflow_run(lab.promotion, "promote/prod", event="pull_request", numbers=(number,))
    check(payload, "workflow_run$completed")
    assert commit_of("workflow_run", payload, lab.second)[:2] == (lab.promotion, number)
    check(events.workflow_run(lab.second, "main"), "workflow_run$completed")


def test_the_schemas_see_violations(lab: Bench) -> None:
    payload = lab.github.events().push()
    violations: list[dict[str, Any]] = [{"after": 7}, {"unknown": True}, {"head_commit": {}}]
    for wrong in violations:
        with pytest.raises(AssertionError):
            check(payload | wrong, "push$event")


def test_the_slices_are_the_recorded_ones() -> None:
    for source in json.loads((SLICES / "other-sources.json").read_text()):
        name, script = source["slice"], (SLICES / "make_other_slices.py").read_text()
        found = hashlib.sha256((SLICES / f"{name}-slice.json").read_bytes()).hexdigest()
        assert found == source["slice_sha256"]
        assert f'("{source["package"]}", "{source["version"]}", "{source["archive_sha256"]}")' in script
        assert "Permission is hereby granted" in (SLICES / f"{name}-slice.LICENSE").read_text()
