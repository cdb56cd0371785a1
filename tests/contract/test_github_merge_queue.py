"""The stand-in's merge queue: groups that are real commits, tried by their status, merged or dropped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.lab.github import MergeRefused
from gate.lab.github.merge_queue import rule
from tests.support.github import PIN, Bench, bench

OTHER = "envs/staging/app.yaml"


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Bench]:
    """A bench whose main has a queue and one required status."""
    with bench(tmp_path) as made:
        made.github.add_rule("main", rule())
        made.github.require_status("main", "gate/prod")
        made.repository.commit("promote/staging", {OTHER: "x\n"}, "Staging", parents=[made.second])
        made.api.get(f"{made.url}/rules/branches/main")
        yield made


def ready(lab: Bench, branch: str) -> int:
    """An open pull request with its status."""
    pull = lab.github.open_pull(branch)
    lab.github.plant_status(pull.head_sha, "success", "gate/prod")
    return pull.number


def main(lab: Bench) -> str:
    return lab.repository.git.text("rev-parse", "main")


def refs(lab: Bench) -> list[str]:
    return lab.repository.git.text("for-each-ref", "--format=%(refname)", "refs/heads/gh-readonly-queue").splitlines()


def test_a_group_is_a_merge_on_a_branch_of_its_own(lab: Bench) -> None:
    number = ready(lab, "promote/prod")
    entry = lab.github.enqueue(number)
    git = lab.repository.git
    assert entry.head_ref == f"refs/heads/gh-readonly-queue/main/pr-{number}-{lab.second}"
    assert git.text("rev-parse", entry.head_ref) == entry.head_sha
    assert git.text("rev-parse", f"{entry.head_sha}^@").split() == [lab.second, lab.promotion]
    assert git.text("show", f"{entry.head_sha}:{PIN}") == "targetRevision: three"
    assert main(lab) == lab.second


def test_a_green_group_becomes_the_branch(lab: Bench) -> None:
    number = ready(lab, "promote/prod")
    entry = lab.github.enqueue(number)
    assert lab.github.settle_queue() == []
    lab.github.plant_status(entry.head_sha, "pending", "gate/prod")
    assert (lab.github.settle_queue(), main(lab)) == ([], lab.second)
    lab.github.plant_status(entry.head_sha, "success", "gate/prod")
    [left] = lab.github.settle_queue()
    assert (left.reason, left.entry) == ("merged", entry)
    pull = lab.github.pull(number)
    assert (main(lab), pull.state, pull.merge_commit_sha) == (entry.head_sha, "closed", entry.head_sha)
    assert refs(lab) == []


@pytest.mark.parametrize("state", ["failure", "error"])
def test_a_red_group_is_dropped(lab: Bench, state: str) -> None:
    number = ready(lab, "promote/prod")
    entry = lab.github.enqueue(number)
    lab.github.plant_status(entry.head_sha, state, "gate/prod")
    [left] = lab.github.settle_queue()
    assert left.reason == "dequeued"
    assert (main(lab), lab.github.pull(number).state, refs(lab)) == (lab.second, "open", [])
    assert lab.github.enqueue(number).head_ref == entry.head_ref


def test_the_status_of_the_pull_request_is_not_that_of_the_group(lab: Bench) -> None:
    number = ready(lab, "promote/prod")
    lab.github.enqueue(number)
    lab.github.plant_status(lab.promotion, "success", "gate/prod")
    assert (lab.github.settle_queue(), main(lab)) == ([], lab.second)


@pytest.mark.exhaustive
def test_a_group_stands_on_the_group_before_it(lab: Bench) -> None:
    first, second = (lab.github.enqueue(ready(lab, branch)) for branch in ("promote/prod", "promote/staging"))
    assert second.base_sha == first.head_sha
    lab.github.plant_status(second.head_sha, "success", "gate/prod")
    assert lab.github.settle_queue() == []
    lab.github.plant_status(first.head_sha, "success", "gate/prod")
    assert [left.reason for left in lab.github.settle_queue()] == ["merged", "merged"]
    assert main(lab) == second.head_sha


@pytest.mark.exhaustive
def test_what_stood_behind_a_dropped_group_is_built_anew(lab: Bench) -> None:
    first, second = (lab.github.enqueue(ready(lab, branch)) for branch in ("promote/prod", "promote/staging"))
    lab.github.plant_status(second.head_sha, "success", "gate/prod")
    lab.github.plant_status(first.head_sha, "failure", "gate/prod")
    assert [left.reason for left in lab.github.settle_queue()] == ["dequeued", "invalidated"]
    [rebuilt] = lab.github.world.repositories["acme/environments"].queue
    assert (rebuilt.number, rebuilt.base_sha) == (second.number, lab.second)
    assert rebuilt.head_sha != second.head_sha
    lab.github.plant_status(rebuilt.head_sha, "success", "gate/prod")
    lab.github.settle_queue()
    assert lab.repository.git.text("show", f"main:{PIN}") == "targetRevision: two"


def test_only_what_meets_the_requirements_gets_into_the_queue(lab: Bench) -> None:
    number = lab.github.open_pull("promote/prod").number
    with pytest.raises(MergeRefused, match="gate/prod"):
        lab.github.enqueue(number)
    lab.github.plant_status(lab.promotion, "success", "gate/prod")
    lab.github.enqueue(number)
    with pytest.raises(MergeRefused, match="already queued"):
        lab.github.enqueue(number)


def test_a_branch_without_a_queue_has_none(lab: Bench) -> None:
    lab.repository.git.run("update-ref", "refs/heads/dev", lab.second)
    number = lab.github.open_pull("promote/prod", "dev").number
    with pytest.raises(MergeRefused, match="not enabled"):
        lab.github.enqueue(number)
    assert lab.github.merge_pull(number).merged_at is not None


def test_where_a_queue_is_required_it_is_the_one_way_in(lab: Bench) -> None:
    number = ready(lab, "promote/prod")
    answer = lab.api.put(f"{lab.url}/pulls/{number}/merge", json={})
    assert answer.status_code == 405
    assert "Changes must be made through the merge queue" in answer.json()["message"]


@pytest.mark.exhaustive
def test_a_queue_brings_heads_up_to_date_itself(lab: Bench) -> None:
    lab.github.require_status("main", "gate/prod", strict=True)
    number = ready(lab, "promote/prod")
    lab.repository.commit("main", {"other": "x\n"}, "Elsewhere")
    entry = lab.github.enqueue(number)
    assert entry.base_sha == main(lab)
    assert "other" in lab.repository.git.text("ls-tree", "--name-only", entry.head_sha)
