"""The rules GitHub's description does not know, each refused and each kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from gate.lab.github import GITHUB_ACTIONS, Identity, MergeRefused
from tests.support.github import PERSON, PIN, Bench, bench

MISSING = "f" * 40


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


def post_status(lab: Bench, sha: str, **fields: Any) -> httpx.Response:
    body = {"state": "success", "context": "gate/prod"} | fields
    return lab.api.post(f"{lab.url}/statuses/{sha}", json=body)


def first_error(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 422
    assert answer.json()["message"] == "Validation Failed"
    error: dict[str, Any] = answer.json()["errors"][0]
    return error


def test_a_description_has_140_characters(lab: Bench) -> None:
    assert post_status(lab, lab.second, description="é" * 140).status_code == 201
    error = first_error(post_status(lab, lab.second, description="x" * 141))
    assert error["field"] == "description"
    assert error["message"] == "description is too long (maximum is 140 characters)"
    assert len(lab.github.statuses(lab.second)) == 1


def test_a_state_is_one_of_four(lab: Bench) -> None:
    assert first_error(post_status(lab, lab.second, state="passed"))["field"] == "state"
    assert first_error(post_status(lab, lab.second, state=None))["code"] == "missing_field"


def test_a_commit_and_context_have_1000_statuses(lab: Bench) -> None:
    for _ in range(999):
        lab.github.plant_status(lab.second, "pending", "gate/PROD")
    assert post_status(lab, lab.second).status_code == 201
    assert "maximum number of statuses" in first_error(post_status(lab, lab.second))["message"]
    assert post_status(lab, lab.second, context="gate/staging").status_code == 201
    assert post_status(lab, lab.first).status_code == 201


def test_contexts_ignore_case(lab: Bench) -> None:
    post_status(lab, lab.second, state="failure", context="Gate/Prod")
    post_status(lab, lab.second, state="success", context="gate/prod")
    combined = lab.api.get(f"{lab.url}/commits/main/status").json()
    assert (combined["state"], combined["total_count"]) == ("success", 1)


@pytest.mark.parametrize("name", [MISSING, "abcdef0", "main..first", "main~1", "-x"])
def test_an_unknown_commit_is_422_with_its_name(lab: Bench, name: str) -> None:
    for answer in (lab.api.get(f"{lab.url}/commits/{name}"), post_status(lab, name)):
        assert answer.status_code == 422
        assert answer.json()["message"] == f"No commit found for SHA: {name}"


def test_short_ids_resolve_for_reading_but_take_no_status(lab: Bench) -> None:
    assert lab.api.get(f"{lab.url}/commits/{lab.second[:8]}").json()["sha"] == lab.second
    assert post_status(lab, lab.second[:8]).status_code == 422
    assert post_status(lab, lab.second).status_code == 201


def test_an_ambiguous_short_id_resolves_to_nothing(lab: Bench) -> None:
    git = lab.repository.git
    stream = "".join(
        f"commit refs/heads/many\ncommitter N <n@example.com> {1_800_000_000 + number} +0000\ndata 1\nN\n"
        for number in range(1500)  # of 65536 beginnings: two of them are the same
    )
    git.run("fast-import", "--quiet", stdin=stream.encode())
    commits = git.text("rev-list", "many").split()
    beginnings = Counter(sha[:4] for sha in commits)
    sha = next(sha for sha in commits if beginnings[sha[:4]] > 1)
    assert lab.api.get(f"{lab.url}/commits/{sha[:4]}").status_code == 422
    assert lab.api.get(f"{lab.url}/commits/{sha}").status_code == 200


@pytest.mark.parametrize("encoded", ["promote/prod", "promote%2Fprod", "heads/promote/prod"])
def test_refs_with_slashes(lab: Bench, encoded: str) -> None:
    assert lab.api.get(f"{lab.url}/commits/{encoded}").json()["sha"] == lab.promotion
    assert lab.api.get(f"{lab.url}/commits/{encoded}/status").json()["sha"] == lab.promotion
    assert lab.api.get(f"{lab.url}/commits/{encoded}/statuses").json() == []
    assert lab.api.get(f"{lab.url}/statuses/{encoded}").json() == []
    compared = lab.api.get(f"{lab.url}/compare/main...{encoded}")
    assert compared.json()["ahead_by"] == 1


def test_unknown_and_unrelated_commits_do_not_compare(lab: Bench) -> None:
    lab.repository.commit("island", {"x": "x\n"}, "Island", parents=[])
    unrelated = lab.api.get(f"{lab.url}/compare/main...island")
    assert (unrelated.status_code, "No common ancestor" in unrelated.text) == (404, True)
    assert lab.api.get(f"{lab.url}/compare/main...{MISSING}").status_code == 404
    assert lab.api.get(f"{lab.url}/compare/main").status_code == 404


def test_a_comment_has_65536_characters_on_create_and_on_edit(lab: Bench) -> None:
    number = lab.github.open_pull("promote/prod").number
    path = f"{lab.url}/issues/{number}/comments"
    created = lab.api.post(path, json={"body": "x" * 65536})
    assert created.status_code == 201
    one = f"{lab.url}/issues/comments/{created.json()['id']}"
    for answer in (
        lab.api.post(path, json={"body": "x" * 65537}),
        lab.api.patch(one, json={"body": "x" * 65537}),
    ):
        message = "Body is too long (maximum is 65536 characters)"
        assert first_error(answer)["message"] == message
    assert lab.api.patch(one, json={"body": "y" * 65536}).status_code == 200
    assert [len(comment["body"]) for comment in lab.github.comments(number)] == [65536]
    assert lab.api.post(f"{lab.url}/issues/99/comments", json={"body": "x"}).status_code == 404


def test_refs_move_forward_only(lab: Bench) -> None:
    path = f"{lab.url}/git/refs/heads/main"
    aside = lab.repository.commit("aside", {"b": "b\n"}, "B", parents=[lab.first])
    refused = lab.api.patch(path, json={"sha": aside, "force": False})
    assert (refused.status_code, refused.json()["message"]) == (422, "Update is not a fast forward")
    assert lab.api.patch(path, json={"sha": lab.promotion}).status_code == 200
    assert lab.api.patch(path, json={"sha": aside, "force": True}).json()["object"]["sha"] == aside
    assert lab.api.patch(path, json={"sha": MISSING}).json()["message"] == "Object does not exist"
    other = lab.api.patch(f"{lab.url}/git/refs/heads/none", json={"sha": aside})
    assert (other.status_code, other.json()["message"]) == (422, "Reference does not exist")
    assert lab.api.get(f"{lab.url}/git/ref/heads/none").status_code == 404


def test_refs_are_made_once_with_their_full_name(lab: Bench) -> None:
    path = f"{lab.url}/git/refs"
    good = {"ref": "refs/heads/promote/new", "sha": lab.second}
    assert lab.api.post(path, json=good).status_code == 201
    assert lab.api.post(path, json=good).json()["message"] == "Reference already exists"
    assert lab.api.post(path, json=good | {"ref": "promote/other"}).status_code == 422
    assert lab.api.post(path, json=good | {"ref": "refs/heads/a b"}).status_code == 422


def test_a_branch_that_wants_pull_requests_takes_no_direct_update(lab: Bench) -> None:
    path, body = f"{lab.url}/git/refs/heads/main", {"sha": lab.promotion}
    parameters = {
        "dismiss_stale_reviews_on_push": False,
        "require_code_owner_review": False,
        "require_last_push_approval": False,
        "required_approving_review_count": 1,
        "required_review_thread_resolution": False,
    }
    lab.github.add_rule("main", {"type": "pull_request", "parameters": parameters})
    refused = lab.api.patch(path, json=body)
    assert refused.status_code == 422
    assert "Repository rule violations found" in refused.json()["message"]
    lab.github.world.repositories["acme/environments"].rules.clear()
    assert lab.api.patch(path, json=body).status_code == 200


def test_a_required_status_blocks_the_merge_until_its_app_reports_success(lab: Bench) -> None:
    number = lab.github.open_pull("promote/prod").number
    app = Identity("acme-gate[bot]", 7007, app_id=424242)
    lab.github.require_status("main", "gate/prod", integration_id=app.app_id)
    [rule] = lab.api.get(f"{lab.url}/rules/branches/main").json()
    assert rule["parameters"]["required_status_checks"][0]["integration_id"] == 424242
    assert lab.api.get(f"{lab.url}/rules/branches/free/to/all").json() == []

    test_merge = lab.github.pull(number).merge_commit_sha
    assert test_merge is not None
    lab.github.plant_status(test_merge, "success", "gate/prod", creator=app)
    lab.github.plant_status(lab.promotion, "success", "gate/prod", creator=GITHUB_ACTIONS)
    assert lab.api.get(f"{lab.url}/pulls/{number}").json()["mergeable_state"] == "blocked"
    with pytest.raises(MergeRefused, match="gate/prod"):
        lab.github.merge_pull(number)
    assert lab.api.put(f"{lab.url}/pulls/{number}/merge", json={}).status_code == 405

    lab.github.plant_status(lab.promotion, "success", "Gate/Prod", creator=app)
    assert lab.api.get(f"{lab.url}/pulls/{number}").json()["mergeable_state"] == "clean"
    assert lab.github.merge_pull(number).merged_at is not None


def test_pull_requests_need_commits_and_no_twin(lab: Bench) -> None:
    path, body = f"{lab.url}/pulls", {"title": "T", "head": "promote/prod", "base": "main"}
    same = lab.api.post(path, json=body | {"head": "main"})
    assert first_error(same)["message"] == "No commits between main and main"
    assert first_error(lab.api.post(path, json=body | {"head": "none"}))["field"] == "head"
    assert first_error(lab.api.post(path, json=body | {"base": "none"}))["field"] == "base"
    assert lab.api.post(path, json=body).status_code == 201
    assert "already exists" in first_error(lab.api.post(path, json=body))["message"]


def test_a_pull_request_from_a_fork_names_it(lab: Bench) -> None:
    number = lab.github.open_pull("someone:promote/prod", user=PERSON).number
    head = lab.api.get(f"{lab.url}/pulls/{number}").json()["head"]
    assert (head["label"], head["repo"]["fork"]) == ("someone:promote/prod", True)
    assert head["repo"]["full_name"] == "someone/environments"


def test_bot_commits_are_signed_only_without_names_of_their_own(lab: Bench) -> None:
    git, path = lab.repository.git, f"{lab.url}/git/commits"
    body = {"message": "M", "tree": git.tree("main"), "parents": [lab.second]}
    assert lab.api.post(path, json=body).json()["verification"]["verified"] is True
    named = body | {"author": {"name": "A", "email": "a@example.com"}}
    assert lab.api.post(path, json=named).json()["verification"]["verified"] is False
    assert lab.api.post(path, json=body | {"tree": MISSING}).status_code == 422
    assert lab.api.post(path, json=body | {"parents": [MISSING]}).status_code == 422


def test_trees_refuse_what_is_not_there(lab: Bench) -> None:
    path, tree = f"{lab.url}/git/trees", lab.repository.git.tree("main")
    entry = {"path": "a.txt", "mode": "100644", "type": "blob", "sha": MISSING}
    assert lab.api.post(path, json={"base_tree": tree, "tree": [entry]}).status_code == 422
    good = {"path": "a.txt", "mode": "100644", "type": "blob", "content": "a\n"}
    assert lab.api.post(path, json={"base_tree": MISSING, "tree": [good]}).status_code == 404
    assert lab.api.post(path, json={"base_tree": tree, "tree": [good]}).status_code == 201


def test_contents_in_three_media_types(lab: Bench) -> None:
    path = f"{lab.url}/contents/{PIN}"
    raw = lab.api.get(path, headers={"Accept": "application/vnd.github.raw+json"})
    assert raw.text == "targetRevision: two\n"
    listing = f"{lab.url}/contents/envs"
    as_object = lab.api.get(listing, headers={"Accept": "application/vnd.github.object+json"})
    assert [entry["name"] for entry in as_object.json()["entries"]] == ["prod"]
    assert [entry["name"] for entry in lab.api.get(listing).json()] == ["prod"]
    gone = lab.api.get(path, params={"ref": "none"})
    assert (gone.status_code, "none" in gone.json()["message"]) == (404, True)
    assert lab.api.get(path, params={"ref": lab.first[:9]}).status_code == 200


def test_big_files_come_without_content_except_as_raw(lab: Bench) -> None:
    lab.repository.commit("main", {"big.txt": "x" * (1024 * 1024 + 1)}, "Big")
    path = f"{lab.url}/contents/big.txt"
    body = lab.api.get(path).json()
    assert (body["encoding"], body["content"]) == ("none", "")
    raw = lab.api.get(path, headers={"Accept": "application/vnd.github.raw"})
    assert len(raw.content) == body["size"]
