"""Committing while GitHub has trouble: an answer that is lost is settled by history, and nothing is done twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.errors import CommitError
from gate.lab.github import Fault
from tests.support.github import PIN
from tests.support.github_client import ClientBench, client_bench
from tests.support.github_commits import bump, history, pin, text_at, when_lost
from tests.support.sampling import sampled

REF = "*/git/refs/heads/main"
OURS = ["Bump the pin", "Two", "One"]

LOST = [
    Fault(kind="error", status=502, method="PATCH", path=REF, after=True),
    Fault(kind="close", method="PATCH", path=REF, after=True),
]
NOT_DONE = [
    Fault(kind="error", status=503, method="PATCH", path=REF),
    Fault(kind="close", method="PATCH", path=REF),
]


@pytest.mark.parametrize("fault", LOST, ids=lambda fault: fault.kind)
def test_a_lost_answer_is_settled_by_reading_the_branch(at: ClientBench, fault: Fault) -> None:
    at.lab.github.faults.add(fault)
    made = bump(at, "four")
    assert (made.commit, made.parent) == (at.lab.repository.git.commit("main"), at.lab.second)
    assert history(at) == OURS
    assert len(at.lab.paths("PATCH")) == 1
    assert at.lab.paths("POST").count("/git/commits") == 1


@pytest.mark.parametrize("fault", NOT_DONE, ids=lambda fault: fault.kind)
def test_what_was_not_done_is_done_with_the_same_commit(at: ClientBench, fault: Fault) -> None:
    at.lab.github.faults.add(fault)
    made = bump(at, "four")
    assert made.commit == at.lab.repository.git.commit("main")
    assert (history(at), len(at.lab.paths("PATCH"))) == (OURS, 2)
    assert at.lab.paths("POST").count("/git/commits") == 1


def test_a_lost_answer_is_ours_though_others_are_on_top_already(at: ClientBench) -> None:
    at.lab.github.faults.add(LOST[0])
    when_lost(at, "PATCH", lambda: at.lab.repository.commit("main", {"theirs": "x\n"}, "Theirs"))
    made = bump(at, "four")
    git = at.lab.repository.git
    assert made.commit == git.text("rev-parse", "main~1")
    assert history(at) == ["Theirs", *OURS]


def test_what_was_not_done_before_others_came_is_done_on_top_of_them(at: ClientBench) -> None:
    at.lab.github.faults.add(NOT_DONE[0])
    when_lost(at, "PATCH", lambda: at.lab.repository.commit("main", {"theirs": "x\n"}, "Theirs"))
    made = bump(at, "four")
    assert history(at) == ["Bump the pin", "Theirs", "Two", "One"]
    assert (made.commit, text_at(at, "theirs")) == (at.lab.repository.git.commit("main"), "x\n")


def test_where_even_the_branch_cannot_be_read_it_says_so(at: ClientBench) -> None:
    at.lab.github.faults.add(LOST[0], Fault(kind="error", path="*/git/ref/heads/main", skip=1, times=None))
    with pytest.raises(CommitError, match=r"It is not known whether branch main .* was moved") as raised:
        bump(at, "four")
    assert at.lab.repository.git.text("rev-parse", "main") in str(raised.value)
    at.lab.github.faults.clear()
    assert bump(at, "four").changed is False
    assert history(at) == OURS


def test_a_patch_that_never_works_ends(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault(kind="error", method="PATCH", times=None))
    with pytest.raises(CommitError, match="It is not known whether"):
        bump(at, "four")
    assert (history(at), len(at.lab.paths("PATCH"))) == (["Two", "One"], 4)


STEPS = ["*/git/trees", "*/git/commits", "*/git/ref/heads/main", f"*/contents/{PIN}"]


@pytest.mark.parametrize("path", sampled(STEPS, ["*/git/commits"]))
@pytest.mark.parametrize("after", [False, True])
def test_every_other_step_may_be_repeated(at: ClientBench, path: str, after: bool) -> None:
    at.lab.github.faults.add(Fault(kind="error", path=path, after=after, times=2))
    made = bump(at, "four")
    assert (history(at), made.commit) == (OURS, at.lab.repository.git.commit("main"))


def test_a_limit_is_waited_for(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault(kind="secondary-limit", method="PATCH", retry_after=40))
    bump(at, "four")
    assert 40 in at.clock.slept
    assert (history(at), len(at.lab.paths("PATCH"))) == (OURS, 2)


def test_a_limit_beyond_the_deadline_is_told(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault(kind="secondary-limit", method="PATCH", retry_after=400, times=None))
    with pytest.raises(CommitError, match=r"too many requests \(retry-after: 400,") as raised:
        bump(at, "four")
    assert "budget of its own" in raised.value.change
    assert (history(at), at.clock.slept) == (["Two", "One"], [])


def test_github_that_is_down_is_told(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault(kind="error", status=503, times=None))
    with pytest.raises(CommitError, match="The change to branch main of acme/environments was not made: HTTP 503"):
        bump(at, "four")


# --- refs that are behind


def test_a_branch_that_is_read_as_it_was_costs_time_only(tmp_path: Path) -> None:
    with client_bench(tmp_path, ref_lag=3) as at:
        first = bump(at, "four")
        second = bump(at, "five")
        assert (second.parent, text_at(at)) == (first.commit, pin("five"))
        assert history(at) == ["Bump the pin", *OURS]
        assert at.clock.slept == [1, 2]


def test_a_branch_that_stays_behind_is_given_up(tmp_path: Path) -> None:
    with client_bench(tmp_path, ref_lag=100) as at:
        bump(at, "four")
        with pytest.raises(CommitError, match=r"refuses to move branch main .* and still shows it there"):
            bump(at, "five")
        assert (at.clock.slept, history(at)) == ([1, 2, 4, 8, 16], OURS)


def test_a_lost_answer_and_a_branch_read_as_it_was_make_one_commit(tmp_path: Path) -> None:
    with client_bench(tmp_path, ref_lag=2) as at:
        at.lab.github.faults.add(LOST[0])
        made = bump(at, "four")
        assert (history(at), made.commit) == (OURS, at.lab.repository.git.commit("main"))
        assert at.lab.paths("POST").count("/git/commits") == 1
