"""From an event to the run: which commit, which branches, which pull request, and inputs that win."""

from __future__ import annotations

import pytest

from gate.config.event import Run, parse_bare_run
from tests.support.payloads import (
    BASE,
    FORK,
    HEAD,
    MERGE,
    OURS,
    TIP,
    VARIABLES,
    listed,
    merge_group,
    pull_request,
    push,
    refused,
    run,
    workflow_run,
)

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


def test_a_workflow_run_for_a_push_trusts_the_default_branch() -> None:
    found = run("workflow_run", workflow_run(event="push", head_branch="main", pull_requests=[]))
    assert (found.commit, found.configuration_ref, found.proposed_to) == (HEAD, "refs/heads/main", "main")
    other = run("workflow_run", workflow_run(event="push", pull_requests=[]))
    assert (other.commit, other.configuration_ref, other.proposed_to) == (HEAD, "refs/heads/main", "main")


@pytest.mark.parametrize("repository", [OURS, {"id": 1}, None])
def test_a_push_to_another_branch_decides_nothing(repository: object) -> None:
    """Its status would stand on the head of a pull request that is opened a moment later."""
    found = run("push", push(ref="refs/heads/promote/prod", repository=repository))
    default = "main" if repository == OURS else "HEAD"
    assert (found.commit, found.proposed_to) == (HEAD, default)
    assert found.configuration_ref == ("refs/heads/main" if repository == OURS else "HEAD")


def test_a_push_whose_default_branch_is_not_known_is_not_trusted() -> None:
    assert run("push", push(repository={"id": 1})).configuration_ref == "HEAD"


def test_a_run_that_a_person_started_on_another_branch_is_not_trusted() -> None:
    payload = {"repository": OURS, "inputs": None}
    found = run("workflow_dispatch", payload, GITHUB_REF="refs/heads/promote/prod")
    assert (found.commit, found.configuration_ref, found.proposed_to) == (TIP, "refs/heads/main", "main")
    main = run("workflow_dispatch", payload)
    assert (main.configuration_ref, main.proposed_to) == (TIP, None)


def test_a_pull_request_is_a_change_to_the_default_branch_whatever_it_goes_into() -> None:
    """Its author can have it go into another branch, and the status stays."""
    other = {"ref": "evil", "sha": BASE, "repo": OURS}
    for found in (
        run("pull_request", pull_request()),
        run("pull_request", pull_request(base=other)),
        run("merge_group", merge_group()),
        run("merge_group", merge_group(base_ref="refs/heads/evil")),
    ):
        assert (found.proposed_to, found.configuration_ref) == ("main", "refs/heads/main")
    assert run("push", push()).proposed_to is None


def test_a_token_of_dependabot_may_be_read_only() -> None:
    assert run("pull_request", pull_request(), GITHUB_ACTOR="dependabot[bot]").maybe_read_only is True
    assert run("pull_request", pull_request(), GITHUB_ACTOR="octo-dev").maybe_read_only is False


@pytest.mark.parametrize("event", ["push", "merge_group", "workflow_dispatch", "repository_dispatch", "schedule"])
def test_a_run_by_its_variables_alone_is_about_its_sha(event: str) -> None:
    found = parse_bare_run({**VARIABLES, "GITHUB_EVENT_NAME": event})
    assert found is not None
    assert (found.reported, found.configuration_ref, found.proposed_to) == (TIP, "HEAD", "HEAD")


@pytest.mark.parametrize("event", ["pull_request", "pull_request_target", "workflow_run", "issue_comment", ""])
def test_a_run_whose_sha_is_another_commit_is_not_guessed(event: str) -> None:
    assert parse_bare_run({**VARIABLES, "GITHUB_EVENT_NAME": event, "GITHUB_SHA": MERGE}) is None


@pytest.mark.parametrize("name", ["GITHUB_SHA", "GITHUB_RUN_ID", "GITHUB_REPOSITORY"])
def test_a_run_without_its_variables_is_none(name: str) -> None:
    assert parse_bare_run({**VARIABLES, "GITHUB_EVENT_NAME": "push", name: ""}) is None


def test_a_workflow_run_takes_no_pull_request_of_another_repository_and_none_of_two() -> None:
    assert run("workflow_run", workflow_run(pull_requests=[listed(5, 9), listed(12, 1)])).pull_request == 12
    two = run("workflow_run", workflow_run(pull_requests=[listed(12, 1), listed(13, 1)]))
    assert (two.pull_request, two.base_branch, two.configuration_ref) == (None, None, TIP)


@pytest.mark.parametrize("event", ["workflow_dispatch", "repository_dispatch", "schedule"])
def test_what_has_no_commit_of_its_own_takes_the_tip(event: str) -> None:
    found = run(event, {"schedule": "0 5 * * *", "repository": OURS})
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
    dispatched = run("workflow_dispatch", {"repository": OURS}, commit="promote/prod")
    assert dispatched.proposed_to == "main"
    assert (dispatched.commit, dispatched.reported, dispatched.configuration_ref) == ("promote/prod", None, TIP)
    comment = run("issue_comment", {}, commit=HEAD)
    assert (comment.reported, comment.configuration_ref) == (HEAD, TIP)


@pytest.mark.parametrize("name", ["abc1234", "v1", HEAD[:39], HEAD.upper(), f"{HEAD}\n", ""])
def test_only_a_full_id_is_the_reported_commit(name: str) -> None:
    assert run("workflow_dispatch", {}, commit=name).reported is None


def test_a_sha_256_repository_has_longer_ids() -> None:
    assert run("push", push(after="e" * 64)).reported == "e" * 64
