"""Ruleset rules on direct updates of a branch, each refused and the nearest thing taken; refs read as they were."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from gate.lab.github import Identity
from gate.lab.github.objects import commit_tree, write_tree
from tests.support.github import MISSING, PERSON, PIN, Bench, bench

VIOLATED = "Repository rule violations found\n\n{}\n\n"
APP = Identity("acme-gate[bot]", 7007, app_id=424242)


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


def move(lab: Bench, sha: str, *, force: bool = False, token: str | None = None) -> tuple[int, str]:
    headers = {} if token is None else {"Authorization": f"token {token}"}
    body = {"sha": sha, "force": force}
    return said(lab.api.patch(f"{lab.url}/git/refs/heads/main", json=body, headers=headers))


def said(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json().get("message", "") if answer.content else ""


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"type": "update"}, "Cannot update this protected ref."),
        ({"type": "required_signatures"}, "Commits must have verified signatures."),
        (
            {"type": "merge_queue", "parameters": {
                "check_response_timeout_minutes": 5, "grouping_strategy": "ALLGREEN", "max_entries_to_build": 5,
                "max_entries_to_merge": 5, "merge_method": "MERGE", "min_entries_to_merge": 1,
                "min_entries_to_merge_wait_minutes": 5,
            }},
            "Changes must be made through the merge queue",
        ),
    ],
)  # fmt: skip
def test_rules_refuse_a_forward_update(lab: Bench, rule: dict[str, Any], words: str) -> None:
    lab.github.add_rule("main", rule, bypass=(424242,))
    assert move(lab, lab.promotion) == (422, VIOLATED.format(words))
    [listed] = lab.api.get(f"{lab.url}/rules/branches/main").json()
    assert listed["type"] == rule["type"]
    lab.github.add_token("app-token", APP)
    assert move(lab, lab.promotion, token="app-token")[0] == 200


def test_history_is_not_rewritten_where_that_is_forbidden(lab: Bench) -> None:
    lab.github.add_rule("main", {"type": "non_fast_forward"})
    assert move(lab, lab.promotion)[0] == 200
    assert move(lab, lab.first, force=True) == (422, VIOLATED.format("Cannot force-push to this branch"))
    lab.repository.git.run("update-ref", "refs/heads/free", lab.second)
    free = lab.api.patch(f"{lab.url}/git/refs/heads/free", json={"sha": lab.first, "force": True})
    assert free.status_code == 200


def test_a_linear_branch_takes_no_merge_commit(lab: Bench) -> None:
    lab.github.add_rule("main", {"type": "required_linear_history"})
    merged = lab.repository.commit("merged", {"x": "x\n"}, "Merge", parents=[lab.promotion, lab.first])
    assert move(lab, merged) == (422, VIOLATED.format("This branch must not contain merge commits."))
    assert move(lab, lab.promotion)[0] == 200


def test_branches_are_not_deleted_or_made_where_that_is_forbidden(lab: Bench) -> None:
    lab.github.add_rule("main", {"type": "deletion"})
    lab.github.add_rule("release", {"type": "creation"})
    gone = said(lab.api.delete(f"{lab.url}/git/refs/heads/main"))
    assert gone == (422, VIOLATED.format("Cannot delete this branch"))
    path, body = f"{lab.url}/git/refs", {"ref": "refs/heads/release", "sha": lab.second}
    code, words = said(lab.api.post(path, json=body))
    assert (code, "creations being restricted" in words) == (422, True)
    assert lab.api.post(path, json=body | {"ref": "refs/heads/other"}).status_code == 201
    assert lab.api.delete(f"{lab.url}/git/refs/heads/other").status_code == 204


@pytest.mark.parametrize("exempt", [True, False])
def test_a_required_status_of_a_new_branch(lab: Bench, exempt: bool) -> None:
    parameters = {
        "required_status_checks": [{"context": "gate/prod"}],
        "strict_required_status_checks_policy": False,
        "do_not_enforce_on_create": exempt,
    }
    lab.github.add_rule("release", {"type": "required_status_checks", "parameters": parameters})
    path, body = f"{lab.url}/git/refs", {"ref": "refs/heads/release", "sha": lab.second}
    assert lab.api.post(path, json=body).status_code == (201 if exempt else 422)
    if not exempt:
        lab.github.plant_status(lab.second, "success", "gate/prod")
        assert lab.api.post(path, json=body).status_code == 201


def test_every_violated_rule_is_told(lab: Bench) -> None:
    lab.github.require_status("main", "gate/prod")
    lab.github.add_rule("main", {"type": "update"})
    _, words = move(lab, lab.promotion)
    assert 'Required status check "gate/prod" is expected.\n\nCannot update this protected ref.' in words


# --- lag


def test_a_ref_is_read_as_it_was_for_a_while(lab: Bench) -> None:
    lab.github.world.ref_lag = 2
    path = f"{lab.url}/git/ref/heads/main"
    move(lab, lab.promotion)
    seen = [lab.api.get(path).json()["object"]["sha"] for _ in range(3)]
    assert seen == [lab.second, lab.second, lab.promotion]
    lab.api.post(f"{lab.url}/git/refs", json={"ref": "refs/heads/new", "sha": lab.second})
    made = [lab.api.get(f"{lab.url}/git/ref/heads/new").status_code for _ in range(3)]
    assert made == [404, 404, 200]


def test_without_lag_a_ref_is_read_as_it_is(lab: Bench) -> None:
    move(lab, lab.promotion)
    assert lab.api.get(f"{lab.url}/git/ref/heads/main").json()["object"]["sha"] == lab.promotion


# --- links among the contents


def test_a_link_to_a_file_is_answered_as_the_file(lab: Bench) -> None:
    links = {"envs/link.yaml": "prod/app.yaml", "out.yaml": "../elsewhere", "dir": "envs", "dangling": "none"}
    write_links(lab, links)
    found = {path: lab.api.get(f"{lab.url}/contents/{path}").json() for path in links}
    assert (found["envs/link.yaml"]["type"], found["envs/link.yaml"]["size"]) == ("file", len("targetRevision: two\n"))
    assert [found[path]["type"] for path in ("out.yaml", "dir", "dangling")] == ["symlink"] * 3
    assert lab.api.get(f"{lab.url}/contents/{PIN}").json()["type"] == "file"


def write_links(lab: Bench, links: dict[str, str]) -> None:
    git = lab.repository.git
    entries = [{"path": path, "mode": "120000", "content": target} for path, target in links.items()]
    tree = write_tree(git, git.tree("main"), entries)
    git.run("update-ref", "refs/heads/main", commit_tree(git, tree, [lab.second], "Links", PERSON))


def test_the_lag_is_one_of_the_options(tmp_path: Path) -> None:
    with bench(tmp_path, ref_lag=1) as lab:
        assert move(lab, MISSING)[0] == 422
        assert move(lab, lab.promotion)[0] == 200
        assert lab.api.get(f"{lab.url}/git/ref/heads/main").json()["object"]["sha"] == lab.second
