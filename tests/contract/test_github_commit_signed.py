"""Signed commits through GraphQL: compared and set in one step, and settled by history where an answer is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.adapters.github import FilesAt
from gate.errors import CommitError
from gate.lab.github import Fault
from gate.lab.github.exchange import Reply
from tests.support.github import PIN
from tests.support.github_client import ClientBench, client_bench
from tests.support.github_commits import OTHER, bump, history, pin, setting, text_at, when_lost
from tests.support.github_trees import put

GRAPHQL = "/graphql"
OURS = ["Bump the pin", "Two", "One"]


@pytest.fixture(params=["", "/api/v3"], ids=["github.com", "enterprise server"])
def hosted(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ClientBench]:
    with client_bench(tmp_path, prefix=request.param) as made:
        yield made


def test_one_signed_commit_for_all_files(hosted: ClientBench) -> None:
    wanted = {PIN: "targetRevision: four\r\n", OTHER: pin("four")}
    made = bump(hosted, setting(wanted), signed=True)
    git = hosted.lab.repository.git
    assert (made.commit, made.parent) == (git.commit("main"), hosted.lab.second)
    assert (made.files, made.verified) == ((PIN, OTHER), True)
    assert [text_at(hosted, path) for path in wanted] == list(wanted.values())
    assert git.text("log", "-1", "--format=%B", "main") == "Bump the pin\n\nIt was asked for."
    assert hosted.lab.paths("POST") == [GRAPHQL]


def test_graphql_is_not_below_the_prefix_of_an_enterprise_server(tmp_path: Path) -> None:
    with client_bench(tmp_path, prefix="/api/v3") as at:
        root = at.lab.github.server_url
        body = {"query": "query { viewer { login } }"}
        assert at.lab.api.post(f"{root}/api/v3/graphql", json=body).status_code == 404
        assert at.lab.api.post(f"{root}/api/graphql", json=body).status_code == 200


def test_nothing_to_change_makes_no_commit(at: ClientBench) -> None:
    assert bump(at, "two", signed=True).changed is False
    assert (history(at), at.lab.paths("POST")) == (["Two", "One"], [])


def test_the_edit_is_made_anew_on_the_tip_that_another_left(at: ClientBench) -> None:
    seen: list[str] = []

    def move(files: FilesAt) -> None:
        if not seen:
            at.lab.repository.commit("main", {"theirs": "x\n"}, "Theirs")
        seen.append(files.commit)

    made = bump(at, setting({PIN: pin("four")}, move), signed=True)
    assert seen == [at.lab.second, made.parent]
    assert history(at) == ["Bump the pin", "Theirs", "Two", "One"]


def test_another_run_with_our_message_is_not_taken_for_ours(at: ClientBench) -> None:
    theirs: list[str] = []

    def move(_files: FilesAt) -> None:
        if not theirs:
            theirs.append(at.lab.repository.commit("main", {"theirs": "x\n"}, "Bump the pin\n\nIt was asked for."))

    made = bump(at, setting({PIN: pin("four")}, move), signed=True)
    assert (made.parent, made.commit) == (theirs[0], at.lab.repository.git.commit("main"))


@pytest.mark.parametrize("kind", ["error", "close"])
def test_a_lost_answer_is_settled_by_history(at: ClientBench, kind: str) -> None:
    at.lab.github.faults.add(Fault(kind=kind, path=GRAPHQL, after=True))  # type: ignore[arg-type]
    made = bump(at, "four", signed=True)
    assert (made.commit, made.verified) == (at.lab.repository.git.commit("main"), None)
    assert (history(at), at.lab.paths("POST")) == (OURS, [GRAPHQL])


def test_what_was_not_done_is_done(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault(kind="error", path=GRAPHQL))
    made = bump(at, "four", signed=True)
    assert (history(at), at.lab.paths("POST")) == (OURS, [GRAPHQL] * 2)
    assert made.verified is True


def test_a_lost_answer_is_ours_though_others_are_on_top_already(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault(kind="error", path=GRAPHQL, after=True))
    when_lost(at, "POST", lambda: at.lab.repository.commit("main", {"theirs": "x\n"}, "Theirs"))
    made = bump(at, "four", signed=True)
    assert made.commit == at.lab.repository.git.text("rev-parse", "main~1")
    assert history(at) == ["Theirs", *OURS]


def test_a_commit_of_others_with_our_message_is_not_taken_for_ours(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault(kind="error", path=GRAPHQL))

    def others() -> None:
        at.lab.repository.commit("main", {"theirs": "x\n"}, "Theirs")
        at.lab.repository.commit("main", {"theirs": "y\n"}, "Bump the pin\n\nIt was asked for.")

    when_lost(at, "POST", others)
    made = bump(at, "four", signed=True)
    assert made.commit == at.lab.repository.git.commit("main")
    assert history(at) == ["Bump the pin", "Bump the pin", "Theirs", "Two", "One"]


def test_a_lost_answer_and_a_branch_read_as_it_was_make_one_commit(tmp_path: Path) -> None:
    with client_bench(tmp_path, ref_lag=1) as at:
        at.lab.github.faults.add(Fault(kind="error", path=GRAPHQL, after=True))
        made = bump(at, "four", signed=True)
        assert made.commit == at.lab.repository.git.commit("main")
        assert history(at) == OURS


def test_what_never_works_ends(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault(kind="error", path=GRAPHQL, times=None))
    with pytest.raises(CommitError, match="It is not known whether branch main"):
        bump(at, "four", signed=True)
    assert (history(at), len(at.lab.paths("POST"))) == (["Two", "One"], 4)


def test_a_limit_that_graphql_tells_with_200_is_waited_for(at: ClientBench, monkeypatch: pytest.MonkeyPatch) -> None:
    limited = {"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded for installation."}]}
    monkeypatch.setattr(Fault, "reply", lambda _fault: Reply(200, limited, {"Retry-After": "7"}))
    at.lab.github.faults.add(Fault(path=GRAPHQL))
    assert bump(at, "four", signed=True).verified is True
    assert at.clock.slept == [7]


def test_an_executable_would_lose_its_mode_and_is_refused(at: ClientBench) -> None:
    put(at, "run.sh", "100755", "old\n")
    edit = setting({"run.sh": "new\n"})
    with pytest.raises(CommitError, match=r"run\.sh is executable") as raised:
        bump(at, edit, signed=True)
    assert "mode 644" in raised.value.change
    assert bump(at, edit).changed
