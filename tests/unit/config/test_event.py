"""From the runner's variables and an event's payload to the run: every event, and what is wrong with one."""

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
OURS = {"id": 1, "full_name": "acme/environments", "fork": False}
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


# --- which commit, which branches, which pull request


def test_a_push_is_about_the_commit_that_was_pushed() -> None:
    found = run("push", push(), GITHUB_SHA=TIP)
    assert found == Run(
        event="push",
        repository="acme/environments",
        server_url="https://github.com",
        api_url="https://api.github.com",
        run_id=4711,
        attempt=2,
        commit=HEAD,
        configuration_ref=HEAD,
        base_branch="main",
        head_branch="main",
        message="Deploy",
    )
    assert found.reported == HEAD
    assert found.run_url == "https://github.com/acme/environments/actions/runs/4711/attempts/2"


def test_an_annotated_tag_is_no_commit_but_has_one() -> None:
    found = run("push", push(ref="refs/tags/v1", after=MERGE))
    assert (found.commit, found.base_branch) == (HEAD, None)


def test_a_deleted_branch_has_nothing_to_judge() -> None:
    for payload in (push(deleted=True), push(after="0" * 40, head_commit=None)):
        assert "deleted a branch or tag" in refused("push", payload)


@pytest.mark.parametrize("event", ["pull_request", "pull_request_target", "pull_request_review"])
def test_a_pull_request_is_about_its_head_and_never_the_test_merge(event: str) -> None:
    found = run(event, pull_request(), GITHUB_SHA=MERGE, GITHUB_REF="refs/pull/12/merge")
    assert (found.commit, found.pull_request) == (HEAD, 12)
    assert (found.base_branch, found.head_branch) == ("main", "promote/prod")
    assert found.configuration_ref == "refs/heads/main"
    assert (found.is_fork, found.read_only) == (False, False)


@pytest.mark.parametrize("repo", [FORK, None, {**FORK, "fork": False}])
def test_a_fork_is_told_by_its_repository(repo: object) -> None:
    found = run("pull_request", pull_request(repo))
    assert (found.is_fork, found.read_only) == (True, True)
    assert run("pull_request_target", pull_request(repo)).read_only is False


def test_a_repository_that_is_itself_a_fork_makes_no_pull_request_foreign() -> None:
    assert run("pull_request", pull_request({**OURS, "fork": True})).is_fork is False


def test_a_merge_group_is_about_its_head_sha_and_names_its_pull_request() -> None:
    found = run("merge_group", merge_group())
    assert (found.commit, found.pull_request, found.base_branch) == (HEAD, 104, "main")
    assert found.configuration_ref == "refs/heads/main"
    release = run("merge_group", merge_group(head_ref=f"refs/heads/gh-readonly-queue/release/1.x/pr-7-{BASE}"))
    assert release.pull_request == 7


@pytest.mark.parametrize("ref", ["refs/heads/pr-7", "refs/heads/gh-readonly-queue/main/pr-x-y", "refs/tags/pr-7-a"])
def test_a_merge_group_of_an_unknown_form_names_no_pull_request(ref: str) -> None:
    assert run("merge_group", merge_group(head_ref=ref)).pull_request is None


def test_a_workflow_run_is_about_the_commit_of_the_run_before() -> None:
    found = run("workflow_run", workflow_run())
    assert (found.commit, found.pull_request, found.base_branch) == (HEAD, 12, "main")
    assert (found.configuration_ref, found.is_fork) == ("refs/heads/main", False)


def test_a_workflow_run_of_a_fork_trusts_the_default_branch_only() -> None:
    for repository in (FORK, None):
        payload = workflow_run(head_repository=repository, pull_requests=[], head_branch="main", event="push")
        found = run("workflow_run", payload)
        assert (found.is_fork, found.pull_request) == (True, None)
        assert found.configuration_ref == TIP


def test_a_workflow_run_for_a_push_trusts_what_was_pushed() -> None:
    found = run("workflow_run", workflow_run(event="push", pull_requests=[]))
    assert (found.commit, found.configuration_ref) == (HEAD, HEAD)


def test_a_workflow_run_takes_no_pull_request_of_another_repository_and_none_of_two() -> None:
    assert run("workflow_run", workflow_run(pull_requests=[listed(5, 9), listed(12, 1)])).pull_request == 12
    two = run("workflow_run", workflow_run(pull_requests=[listed(12, 1), listed(13, 1)]))
    assert (two.pull_request, two.base_branch, two.configuration_ref) == (None, None, TIP)


@pytest.mark.parametrize("event", ["workflow_dispatch", "repository_dispatch", "schedule"])
def test_what_has_no_commit_of_its_own_takes_the_tip(event: str) -> None:
    found = run(event, {"schedule": "0 5 * * *"})
    assert (found.commit, found.configuration_ref, found.head_branch) == (TIP, TIP, "main")
    assert "GITHUB_SHA" in refused(event, {}, GITHUB_SHA="")
    assert "GITHUB_SHA" in refused(event, {}, GITHUB_SHA="main")


@pytest.mark.parametrize("event", ["deployment", "deployment_status"])
def test_a_deployment_is_about_its_commit(event: str) -> None:
    assert run(event, {"deployment": {"sha": HEAD, "ref": "main"}}).commit == HEAD


@pytest.mark.parametrize("event", ["issue_comment", "release", "check_run", "push_", "PUSH"])
def test_an_event_that_names_no_commit_is_refused_and_the_tip_never_guessed(event: str) -> None:
    assert refused(event, {"issue": {"number": 3}}) == f"The event {event} names no commit to judge."


# --- inputs win


def test_an_input_wins_and_loosens_nothing() -> None:
    found = run("pull_request", pull_request(), commit=MERGE, number=99)
    assert (found.commit, found.pull_request, found.configuration_ref) == (MERGE, 99, "refs/heads/main")
    dispatched = run("workflow_dispatch", {}, commit="promote/prod")
    assert (dispatched.commit, dispatched.reported, dispatched.configuration_ref) == ("promote/prod", None, TIP)
    comment = run("issue_comment", {}, commit=HEAD)
    assert (comment.reported, comment.configuration_ref) == (HEAD, TIP)


@pytest.mark.parametrize("name", ["abc1234", "v1", HEAD[:39], HEAD.upper(), f"{HEAD}\n", ""])
def test_only_a_full_id_is_the_reported_commit(name: str) -> None:
    assert run("workflow_dispatch", {}, commit=name).reported is None


def test_a_sha_256_repository_has_longer_ids() -> None:
    assert run("push", push(after="e" * 64)).reported == "e" * 64


# --- addresses


def test_enterprise_server_addresses_are_taken_as_given() -> None:
    found = run("push", push(), GITHUB_SERVER_URL="https://ghe.example/", GITHUB_API_URL="https://ghe.example/api/v3")
    assert found.api_url == "https://ghe.example/api/v3"
    assert found.run_url.startswith("https://ghe.example/acme/environments/actions/runs/4711")


@pytest.mark.parametrize(
    "value", ["ghe.example", "ftp://x", "https://", "https://a b", "https://u:p@ghe.example", "https://x\n"]
)
@pytest.mark.parametrize("name", ["GITHUB_SERVER_URL", "GITHUB_API_URL"])
def test_what_is_no_address_is_refused_and_not_repeated(name: str, value: str) -> None:
    assert refused("push", push(), **{name: value}) == f"The variable {name} is no web address."


@pytest.mark.parametrize("name", ["GITHUB_EVENT_NAME", "GITHUB_REPOSITORY", "GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT"])
def test_a_variable_that_is_not_set_is_named(name: str) -> None:
    assert refused("push", push(), **{name: ""}) == f"The variable {name} is not set."


@pytest.mark.parametrize("name", ["GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT"])
@pytest.mark.parametrize("value", ["0", "-1", "1.0", "x", "1 ", "\u0663", "9" * 30])
def test_a_number_that_is_none_is_refused(name: str, value: str) -> None:
    assert name in refused("push", push(), **{name: value})


@pytest.mark.parametrize("value", ["acme", "acme/", "/x", "a/b/c", "a/..", "a/.", "a b/c", "acme/x\n", "../x"])
def test_a_repository_that_is_none_is_refused(value: str) -> None:
    assert "GITHUB_REPOSITORY" in refused("push", push(), GITHUB_REPOSITORY=value)


# --- payloads that are not as GitHub sends them


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
