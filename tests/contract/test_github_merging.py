"""The stand-in merges as GitHub does: what blocks it, the three methods, branches that have to be up to date."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.lab.github import GITHUB_ACTIONS, Identity, MergeRefused
from tests.support.github import PIN, Bench, bench

APP = Identity("acme-gate[bot]", 7007, app_id=424242)


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


def merge(lab: Bench, number: int, **body: str) -> tuple[int, str]:
    answer = lab.api.put(f"{lab.url}/pulls/{number}/merge", json=body)
    return answer.status_code, answer.json()["message"]


def state(lab: Bench, number: int) -> str:
    found: str = lab.api.get(f"{lab.url}/pulls/{number}").json()["mergeable_state"]
    return found


def green(lab: Bench, sha: str, context: str = "gate/prod", by: Identity = GITHUB_ACTIONS) -> None:
    lab.github.plant_status(sha, "success", context, creator=by)


# --- what blocks


def test_one_missing_status_is_named_and_several_are_counted(lab: Bench) -> None:
    number = lab.github.open_pull("promote/prod").number
    lab.github.require_status("main", "gate/prod")
    assert merge(lab, number) == (405, 'Required status check "gate/prod" is expected.')
    lab.github.require_status("main", "lint")
    assert merge(lab, number) == (405, "2 of 2 required status checks are expected.")
    green(lab, lab.promotion, "lint")
    assert merge(lab, number) == (405, 'Required status check "gate/prod" is expected.')
    green(lab, lab.promotion)
    assert merge(lab, number)[0] == 200


def test_an_older_success_does_not_hide_a_newer_failure(lab: Bench) -> None:
    number = lab.github.open_pull("promote/prod").number
    lab.github.require_status("main", "gate/prod")
    green(lab, lab.promotion)
    assert state(lab, number) == "clean"
    lab.github.plant_status(lab.promotion, "failure", "gate/prod")
    assert (state(lab, number), merge(lab, number)[0]) == ("blocked", 405)


def test_a_new_head_wants_its_own_status(lab: Bench) -> None:
    number = lab.github.open_pull("promote/prod").number
    lab.github.require_status("main", "gate/prod")
    green(lab, lab.promotion)
    newer = lab.repository.commit("promote/prod", {PIN: "targetRevision: five\n"}, "Five")
    assert merge(lab, number)[0] == 405
    green(lab, newer)
    assert merge(lab, number)[0] == 200


def test_a_strict_branch_wants_a_head_that_is_up_to_date(lab: Bench) -> None:
    number = lab.github.open_pull("promote/prod").number
    lab.github.require_status("main", "gate/prod", strict=True)
    green(lab, lab.promotion)
    assert state(lab, number) == "clean"
    lab.repository.commit("main", {"other": "x\n"}, "Elsewhere")
    assert (state(lab, number), merge(lab, number)[0]) == ("behind", 405)

    path = f"{lab.url}/pulls/{number}/update-branch"
    wrong = lab.api.put(path, json={"expected_head_sha": lab.first})
    assert (wrong.status_code, "didn't match" in wrong.text) == (422, True)
    assert lab.api.put(path, json={"expected_head_sha": lab.promotion}).status_code == 202
    head = lab.github.pull(number).head_sha
    assert lab.repository.git.is_ancestor(lab.repository.git.text("rev-parse", "main"), head)
    assert (state(lab, number), merge(lab, number)[0]) == ("blocked", 405)
    green(lab, head)
    assert merge(lab, number)[0] == 200
    assert lab.api.put(path, json={}).status_code == 422


def test_without_the_strict_policy_a_head_may_be_behind(lab: Bench) -> None:
    number = lab.github.open_pull("promote/prod").number
    lab.github.require_status("main", "gate/prod")
    green(lab, lab.promotion)
    lab.repository.commit("main", {"other": "x\n"}, "Elsewhere")
    assert (state(lab, number), merge(lab, number)[0]) == ("clean", 200)


def test_an_app_on_the_bypass_list_merges_without(lab: Bench) -> None:
    number = lab.github.open_pull("promote/prod").number
    parameters = {"required_status_checks": [{"context": "gate/prod"}], "strict_required_status_checks_policy": False}
    rule = {"type": "required_status_checks", "parameters": parameters}
    lab.github.add_rule("main", rule, bypass=(424242,))
    assert merge(lab, number)[0] == 405
    with pytest.raises(MergeRefused):
        lab.github.merge_pull(number)
    assert lab.github.merge_pull(number, by=APP).merged_at is not None


def test_another_head_than_the_one_meant_is_409(lab: Bench) -> None:
    number = lab.github.open_pull("promote/prod").number
    assert merge(lab, number, sha=lab.first)[0] == 409
    assert merge(lab, number, sha=lab.promotion)[0] == 200


# --- the three methods


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("method", "subjects", "parents"),
    [
        ("merge", ["Merge pull request #1 from acme/promote/prod", "Elsewhere"], 2),
        ("squash", ["Promote (#1)", "Elsewhere"], 1),
        ("rebase", ["Six", "Promote three", "Elsewhere"], 1),
    ],
)
def test_each_method_leaves_its_own_history(lab: Bench, method: str, subjects: list[str], parents: int) -> None:
    lab.repository.commit("promote/prod", {"six": "6\n"}, "Six")
    number = lab.github.open_pull("promote/prod").number
    lab.repository.commit("main", {"other": "x\n"}, "Elsewhere")
    assert merge(lab, number, merge_method=method)[0] == 200
    merged = lab.github.pull(number)
    git = lab.repository.git
    assert git.text("log", "--format=%s", "--first-parent", "main").splitlines()[: len(subjects)] == subjects
    assert len(git.text("rev-parse", "main^@").split()) == parents
    assert merged.merge_commit_sha == git.commit("main")
    assert {"six", "other", PIN} <= set(git.text("ls-tree", "-r", "--name-only", "main").splitlines())


@pytest.mark.exhaustive
def test_rebased_commits_are_new_ones_by_their_old_authors(lab: Bench) -> None:
    number = lab.github.open_pull("promote/prod").number
    assert merge(lab, number, merge_method="rebase")[0] == 200
    assert lab.github.pull(number).merge_commit_sha not in (lab.promotion, None)
    git = lab.repository.git
    assert git.text("log", "-1", "--format=%an, %cn", "main") == "Octo Dev, github-actions[bot]"
    assert git.tree("main") == git.tree(lab.promotion)


def test_a_merge_commit_cannot_be_rebased(lab: Bench) -> None:
    number = lab.github.open_pull("promote/prod").number
    lab.repository.commit("main", {"other": "x\n"}, "Elsewhere")
    lab.api.put(f"{lab.url}/pulls/{number}/update-branch", json={})
    assert merge(lab, number, merge_method="rebase") == (405, "This branch can't be rebased")
    assert merge(lab, number, merge_method="merge")[0] == 200


# --- branches and texts


def test_a_branch_that_goes_closes_its_pull_request(lab: Bench) -> None:
    number = lab.github.open_pull("promote/prod").number
    lab.repository.commit("other", {"x": "x\n"}, "Other", parents=[lab.second])
    kept = lab.github.open_pull("other").number
    assert lab.api.delete(f"{lab.url}/git/refs/heads/promote/prod").status_code == 204
    assert (lab.github.pull(number).state, lab.github.pull(kept).state) == ("closed", "open")
    assert lab.api.delete(f"{lab.url}/git/refs/heads/promote/prod").status_code == 422


def test_titles_and_bodies_have_their_limits_on_create_and_on_edit(lab: Bench) -> None:
    path, body = f"{lab.url}/pulls", {"head": "promote/prod", "base": "main"}
    for wrong in ({"title": "T" * 257}, {"title": "T", "body": "b" * 65537}):
        assert lab.api.post(path, json=body | wrong).status_code == 422
    made = lab.api.post(path, json=body | {"title": "T" * 256, "body": "b" * 65536})
    assert made.status_code == 201
    for wrong in ({"title": "T" * 257}, {"body": "b" * 65537}):
        assert lab.api.patch(f"{path}/1", json=wrong).status_code == 422
    assert lab.api.patch(f"{path}/1", json={"title": "U", "state": "closed"}).json()["state"] == "closed"


@pytest.mark.parametrize("allowed", [True, False])
def test_actions_open_pull_requests_where_the_settings_allow_it(lab: Bench, allowed: bool) -> None:
    lab.github.world.actions_may_open_pulls = allowed
    body = {"title": "T", "head": "promote/prod", "base": "main"}
    answer = lab.api.post(f"{lab.url}/pulls", json=body)
    assert answer.status_code == (201 if allowed else 403)
    lab.github.world.actions_may_open_pulls = False
    lab.github.add_token("app-token", APP)
    theirs = lab.api.post(f"{lab.url}/pulls", json=body, headers={"Authorization": "token app-token"})
    assert theirs.status_code == (422 if allowed else 201)  # 422: it is open already
