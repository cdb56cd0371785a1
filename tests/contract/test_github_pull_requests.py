"""Finding the pull request to comment on: by input, event, message and index, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.adapters.github import PullRequestFound, find_pull_request
from gate.lab.github import Fault
from tests.support.github import PIN
from tests.support.github_client import ClientBench, client_bench


def found_for(at: ClientBench, commit: str, message: str = "", **options: int | str) -> PullRequestFound:
    arguments = {"commit": commit, "message": message} | options
    return at.run(find_pull_request(at.repository, **arguments))  # type: ignore[arg-type]  # keywords of the call


def test_an_input_wins_and_the_event_comes_next(at: ClientBench) -> None:
    assert found_for(at, at.lab.second, "Two (#9)", given=4, from_event=5).number == 4
    assert found_for(at, at.lab.second, "Two (#9)", from_event=5).number == 5
    assert at.client.requests == 0


@pytest.mark.parametrize("method", ["squash", "merge"])
def test_a_merge_is_found_by_its_message_and_verified(at: ClientBench, method: str) -> None:
    pull = at.lab.github.open_pull("promote/prod")
    merged = at.lab.github.merge_pull(pull.number, method=method)
    sha = merged.merge_commit_sha
    assert sha is not None
    message = at.lab.repository.git.text("log", "-1", "--format=%B", sha)
    assert str(pull.number) in message
    assert found_for(at, sha, message) == PullRequestFound(number=pull.number, how="message")
    assert at.client.requests == 1


def test_a_number_in_a_message_proves_nothing(at: ClientBench) -> None:
    other = at.lab.github.open_pull("promote/prod")
    sha = at.lab.repository.commit("main", {"x": "1"}, f"Sneaky (#{other.number})")
    for message in (f"Sneaky (#{other.number})", "Unknown (#999999)", "Merge pull request #0 from a/b"):
        found = found_for(at, sha, message)
        assert found.number is None
        assert "No pull request to comment on" in found.note


def test_the_index_is_asked_until_it_has_caught_up(tmp_path: Path) -> None:
    with client_bench(tmp_path, index_lag=3) as at:
        pull = at.lab.github.open_pull("promote/prod")
        sha = at.lab.github.merge_pull(pull.number, method="squash").merge_commit_sha
        assert sha is not None
        assert found_for(at, sha) == PullRequestFound(number=pull.number, how="index")
        assert at.clock.slept == [2, 4, 8]


def test_the_index_is_asked_five_times_and_never_beyond_the_deadline(tmp_path: Path) -> None:
    with client_bench(tmp_path, index_lag=99) as at:
        assert found_for(at, at.lab.second).number is None
        assert at.clock.slept == [2, 4, 8, 16]
        assert at.client.requests == 5
        at.clock.slept.clear()
        found = at.run(find_pull_request(at.repository, commit=at.lab.second, deadline=at.client.patience.deadline(7)))
        assert found.number is None
        assert at.clock.slept == [2, 4]


def test_the_merged_pull_request_wins_over_an_open_one(at: ClientBench) -> None:
    at.lab.repository.commit("release", {"r": "1"}, "Release", parents=[at.lab.first])
    merged = at.lab.github.open_pull("promote/prod", "release")
    sha = at.lab.github.merge_pull(merged.number).merge_commit_sha
    assert sha is not None
    still_open = at.lab.github.open_pull("release", "main")
    assert at.lab.github.pull(still_open.number).head_sha == sha
    assert found_for(at, sha) == PullRequestFound(number=merged.number, how="index")


def test_an_open_pull_request_is_found_by_its_head_and_base(at: ClientBench) -> None:
    at.lab.repository.commit("release", {"r": "1"}, "Release", parents=[at.lab.first])
    one = at.lab.github.open_pull("promote/prod", "main")
    assert found_for(at, at.lab.promotion).number == one.number
    two = at.lab.github.open_pull("promote/prod", "release")
    both = found_for(at, at.lab.promotion)
    assert both.number is None
    assert f"#{one.number}, #{two.number} fit equally well" in both.note
    assert found_for(at, at.lab.promotion, base="release").number == two.number


def test_a_pull_request_from_a_fork_is_not_taken_for_ours(at: ClientBench) -> None:
    at.lab.github.open_pull("stranger:promote/prod", "main")
    assert found_for(at, at.lab.promotion).number is None


def test_a_pull_request_that_only_contains_the_commit_is_not_taken(at: ClientBench) -> None:
    at.lab.repository.commit("promote/prod", {PIN: "targetRevision: four\n"}, "Four")
    at.lab.github.open_pull("promote/prod", "main")
    found = found_for(at, at.lab.promotion)
    assert found.number is None
    assert "none of the pull requests with this commit" in found.note


def test_failures_become_a_note(tmp_path: Path) -> None:
    with client_bench(tmp_path, permissions={"contents": "read"}) as at:
        assert "needs pull-requests: read" in found_for(at, at.lab.second).note
        at.lab.github.faults.add(Fault("error", times=None))
        assert "HTTP 502; tried 5 times" in found_for(at, at.lab.second).note
