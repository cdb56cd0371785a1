"""A change by pull request: one branch and one pull request, made once and used again; nobody else's is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.adapters.github import Proposed, PullRequestPublisher
from gate.errors import CommitError, UsageError
from gate.lab.github import Fault
from tests.support.github import PERSON, PIN
from tests.support.github_client import ClientBench, client_bench
from tests.support.github_commits import OTHER, history, pin, setting, text_at

BRANCH = "gate/bump/prod"


@pytest.fixture(params=[False, True], ids=["git data", "signed"])
def signed(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def propose(
    at: ClientBench, value: str, *, signed: bool = False, title: str = "Bump prod", body: str = "Why"
) -> Proposed:
    publisher = PullRequestPublisher(at.repository, signed=signed)
    edit = setting({PIN: pin(value)})
    return at.run(publisher.propose("main", BRANCH, edit, f"Bump to {value}", title=title, body=body))


def branches(at: ClientBench) -> list[str]:
    return at.lab.repository.git.text("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads").splitlines()


def over_main(at: ClientBench) -> list[str]:
    return at.lab.repository.git.text("log", "--format=%s", f"main..{BRANCH}").splitlines()


def test_branch_and_pull_request_are_made(at: ClientBench, signed: bool) -> None:
    made = propose(at, "four", signed=signed)
    assert (made.number, made.opened, made.note) == (1, True, "")
    assert made.url == f"{at.lab.github.server_url}/acme/environments/pull/1"
    assert made.committed.parent == at.lab.second
    assert (made.committed.branch, made.committed.files, made.committed.verified) == (BRANCH, (PIN,), True)
    pull = at.lab.github.pull(1)
    assert (pull.title, pull.body, pull.base, pull.head_sha) == ("Bump prod", "Why", "main", made.committed.commit)
    assert (text_at(at, name=BRANCH), text_at(at)) == (pin("four"), pin("two"))
    assert branches(at) == [BRANCH, "main", "promote/prod"]


def test_the_same_wish_again_changes_nothing(at: ClientBench, signed: bool) -> None:
    first = propose(at, "four", signed=signed)
    posted, patched = at.lab.paths("POST"), at.lab.paths("PATCH")
    second = propose(at, "four", signed=signed)
    assert (second.number, second.opened, second.url) == (first.number, False, first.url)
    assert (second.committed.commit, second.committed.changed) == (first.committed.commit, False)
    assert (at.lab.paths("POST"), at.lab.paths("PATCH")) == (posted, patched)


@pytest.mark.exhaustive
def test_a_new_wish_takes_the_place_of_the_old_in_the_same_pull_request(at: ClientBench, signed: bool) -> None:
    first = propose(at, "four", signed=signed)
    second = propose(at, "five", signed=signed, title="Bump prod to five", body="Newer")
    assert (second.number, second.opened) == (first.number, False)
    pull = at.lab.github.pull(1)
    assert (pull.title, pull.body, pull.state, pull.head_sha) == (
        "Bump prod to five", "Newer", "open", second.committed.commit,
    )  # fmt: skip
    assert (over_main(at), text_at(at, name=BRANCH)) == (["Bump to five"], pin("five"))
    assert branches(at) == [BRANCH, "main", "promote/prod"]


@pytest.mark.exhaustive
def test_a_target_that_moved_elsewhere_leaves_a_good_proposal_alone(at: ClientBench) -> None:
    first = propose(at, "four")
    at.lab.repository.commit("main", {OTHER: pin("x")}, "Elsewhere")
    assert propose(at, "four").committed.commit == first.committed.commit


def test_a_target_that_moved_in_the_same_place_is_followed(at: ClientBench, signed: bool) -> None:
    propose(at, "four", signed=signed)
    theirs = at.lab.repository.commit("main", {PIN: pin("three")}, "By hand")
    assert at.lab.github.pull(1).merge_commit_sha is None  # a conflict
    made = propose(at, "four", signed=signed)
    assert made.committed.parent == theirs
    assert (over_main(at), at.lab.github.pull(1).state) == (["Bump to four"], "open")
    assert at.lab.github.pull(1).merge_commit_sha is not None


@pytest.mark.exhaustive
@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
def test_a_branch_left_from_a_merged_pull_request_is_used_again(at: ClientBench, method: str) -> None:
    propose(at, "four")
    at.lab.github.merge_pull(1, method=method)
    made = propose(at, "five")
    assert (made.number, made.opened) == (2, True)
    assert over_main(at) == ["Bump to five"]
    assert at.lab.github.pull(2).merge_commit_sha is not None


def test_commits_of_others_are_kept_and_built_on(at: ClientBench) -> None:
    propose(at, "four")
    theirs = at.lab.repository.commit(BRANCH, {"theirs": "x\n"}, "A fix of mine")
    made = propose(at, "five")
    assert made.committed.parent == theirs
    assert "Commits of others" in made.note
    assert over_main(at) == ["Bump to five", "A fix of mine", "Bump to four"]
    assert text_at(at, "theirs", BRANCH) == "x\n"


def test_a_branch_of_others_without_a_pull_request_is_left_alone(at: ClientBench) -> None:
    theirs = at.lab.repository.commit(BRANCH, {"theirs": "x\n"}, "Mine", parents=[at.lab.second])
    with pytest.raises(CommitError, match="holds commits that are not the gate's, and no open pull request") as raised:
        propose(at, "four")
    assert "delete the branch" in raised.value.change
    assert at.lab.repository.git.commit(BRANCH) == theirs
    assert at.lab.github.world.repositories["acme/environments"].pulls == {}


def test_what_the_target_has_already_is_not_proposed(at: ClientBench) -> None:
    made = propose(at, "two")
    assert (made.number, made.url, made.opened, made.note) == (None, None, False, "")
    assert (made.committed.branch, made.committed.commit) == ("main", at.lab.second)
    assert branches(at) == ["main", "promote/prod"]


def test_a_proposal_that_is_not_wanted_any_more_is_named_and_left_to_people(at: ClientBench) -> None:
    propose(at, "four")
    made = propose(at, "two")
    assert "pull request #1 is still open" in made.note
    assert (made.number, at.lab.github.pull(1).state) == (None, "open")


def test_pull_requests_of_others_are_not_touched(at: ClientBench) -> None:
    at.lab.repository.commit("dev", {"x": "x\n"}, "Dev", parents=[at.lab.first])
    at.lab.repository.commit(
        BRANCH, {PIN: pin("four")}, "Theirs\n\nPromotion-Gate-Branch: gate/bump/prod", parents=[at.lab.second]
    )
    others = [
        at.lab.github.open_pull("promote/prod", user=PERSON).number,
        at.lab.github.open_pull(f"stranger:{BRANCH}", user=PERSON, title="From a fork").number,
        at.lab.github.open_pull(BRANCH, "dev", user=PERSON, title="Elsewhere").number,
    ]
    made = propose(at, "five")
    assert made.number == 4
    assert [at.lab.github.pull(number).state for number in others] == ["open"] * 3
    assert [at.lab.github.pull(number).title for number in others] == ["Promote", "From a fork", "Elsewhere"]


# --- trouble


def test_a_lost_answer_to_opening_opens_no_second(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault(kind="error", method="POST", path="*/pulls", after=True))
    made = propose(at, "four")
    assert (made.number, made.opened) == (1, True)
    assert at.lab.paths("POST").count("/pulls") == 1


def test_what_was_not_opened_is_opened(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault(kind="error", method="POST", path="*/pulls"))
    assert propose(at, "four").number == 1
    assert at.lab.paths("POST").count("/pulls") == 2


@pytest.mark.exhaustive
def test_a_lost_answer_to_making_the_branch_makes_no_trouble(at: ClientBench, signed: bool) -> None:
    at.lab.github.faults.add(Fault(kind="error", method="POST", path="*/git/refs", after=True))
    assert propose(at, "four", signed=signed).opened
    assert over_main(at) == ["Bump to four"]


def test_actions_that_may_not_open_pull_requests_are_told_where_to_allow_it(at: ClientBench) -> None:
    at.lab.github.world.actions_may_open_pulls = False
    with pytest.raises(CommitError, match="not permitted to create") as raised:
        propose(at, "four")
    assert "Settings, Actions, General" in raised.value.change
    at.lab.github.world.actions_may_open_pulls = True
    assert propose(at, "four").opened


def test_a_token_without_pull_requests_is_told(tmp_path: Path) -> None:
    with client_bench(tmp_path, permissions={"contents": "write"}) as at:
        with pytest.raises(CommitError, match="Resource not accessible") as raised:
            propose(at, "four")
        assert "pull-requests: write" in raised.value.change


def test_long_texts_fit(at: ClientBench) -> None:
    made = propose(at, "four", title="T" * 400, body="b\n" * 40_000)
    pull = at.lab.github.pull(made.number or 0)
    assert (len(pull.title), len(pull.body or "") <= 65536) == (250, True)
    assert "Cut here" in (pull.body or "")
    assert propose(at, "four", title="T" * 400, body="b\n" * 40_000).opened is False


@pytest.mark.parametrize(("base", "branch"), [("main", "a b"), ("a..b", BRANCH), ("main", "")])
def test_branches_that_cannot_be_are_refused_unasked(at: ClientBench, base: str, branch: str) -> None:
    publisher = PullRequestPublisher(at.repository)
    with pytest.raises(UsageError, match="is not a branch"):
        at.run(publisher.propose(base, branch, setting({}), "Bump", title="T", body="B"))
    assert at.client.requests == 0


def test_a_target_that_is_not_there_is_named(at: ClientBench) -> None:
    publisher = PullRequestPublisher(at.repository)
    with pytest.raises(CommitError, match="There is no branch none of"):
        at.run(publisher.propose("none", BRANCH, setting({}), "Bump", title="T", body="B"))
    assert history(at) == ["Two", "One"]


@pytest.mark.exhaustive
def test_a_branch_left_behind_by_a_killed_run_is_no_hindrance(at: ClientBench) -> None:
    propose(at, "four", signed=True)
    scratch = f"{BRANCH}-{at.lab.second[:12]}"
    at.lab.repository.commit(scratch, {PIN: pin("half")}, "Half", parents=[at.lab.second])
    assert propose(at, "five", signed=True).committed.verified is True
    assert (over_main(at), text_at(at, name=BRANCH)) == (["Bump to five"], pin("five"))
    assert branches(at) == [BRANCH, "main", "promote/prod"]
