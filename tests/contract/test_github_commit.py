"""A change committed to a branch: one commit, forward only, and nothing where there is nothing to change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gate.adapters.github import FilesAt
from gate.errors import CommitError, UsageError
from tests.support.github import MISSING, PIN
from tests.support.github_client import ClientBench, client_bench
from tests.support.github_commits import OTHER, bump, history, pin, setting, text_at
from tests.support.github_trees import put


def test_all_files_change_in_one_commit(at: ClientBench) -> None:
    wanted = {PIN: "# the pin\r\ntargetRevision: four\r\n", OTHER: pin("four")}
    made = bump(at, setting(wanted))
    git = at.lab.repository.git
    assert (made.branch, made.commit, made.parent) == ("main", git.commit("main"), at.lab.second)
    assert (made.changed, made.files, made.verified) == (True, (PIN, OTHER), True)
    assert [text_at(at, path) for path in wanted] == list(wanted.values())
    assert text_at(at, "README.md") == "# Envs\n"
    assert git.text("log", "-1", "--format=%B", "main") == "Bump the pin\n\nIt was asked for."
    assert git.text("rev-list", "--parents", "-1", "main").split() == [made.commit, at.lab.second]


def test_who_commits_is_who_asks_so_that_github_may_sign(at: ClientBench) -> None:
    bump(at, "four")
    [body] = [seen.request_body for seen in at.lab.github.requests if seen.path.endswith("/git/commits")]
    assert set(body) == {"message", "tree", "parents"}
    assert (
        at.lab.repository.git.text("log", "-1", "--format=%an %cn", "main") == "github-actions[bot] github-actions[bot]"
    )


def test_a_signature_that_github_does_not_give_is_told(tmp_path: Path) -> None:
    with client_bench(tmp_path, signs_commits=False) as at:
        assert bump(at, "four").verified is False


def test_nothing_to_change_makes_no_commit(at: ClientBench) -> None:
    for edit in (setting({}), setting({PIN: pin("two")})):
        made = bump(at, edit)
        assert (made.commit, made.parent, made.files, made.verified) == (at.lab.second, None, (), None)
        assert not made.changed
    assert history(at) == ["Two", "One"]
    assert at.lab.paths("POST") == at.lab.paths("PATCH") == []


def test_a_second_bump_to_the_same_is_the_same_commit(at: ClientBench) -> None:
    first = bump(at, "four")
    second = bump(at, "four")
    assert (second.commit, second.changed) == (first.commit, False)
    assert history(at) == ["Bump the pin", "Two", "One"]


def test_a_bump_asks_seven_times_and_no_bump_twice(at: ClientBench) -> None:
    before = at.client.requests
    bump(at, "four")
    assert at.client.requests - before == 7
    bump(at, "four")
    assert at.client.requests - before == 9


# --- files


def test_files_keep_their_modes_and_new_ones_are_ordinary(at: ClientBench) -> None:
    put(at, "run.sh", "100755", "old\n")
    made = bump(at, setting({"run.sh": "new\n", OTHER: pin("new")}))
    listed = at.lab.repository.git.text("ls-tree", "-r", made.commit)
    assert {line.split("\t")[1]: line.split()[0] for line in listed.splitlines()} == {
        "run.sh": "100755", OTHER: "100644", PIN: "100644", "README.md": "100644",
    }  # fmt: skip


def test_a_link_is_not_overwritten_with_what_it_leads_to(at: ClientBench) -> None:
    put(at, "link.yaml", "120000", PIN)
    with pytest.raises(CommitError, match=r"link\.yaml in acme/environments is a symbolic link"):
        bump(at, setting({"link.yaml": pin("four")}))
    assert history(at) == ["Mode", "Two", "One"]


def test_a_directory_is_not_overwritten(at: ClientBench) -> None:
    with pytest.raises(CommitError, match=r"envs at .* cannot be read: is a directory"):
        bump(at, setting({"envs": "x"}))


@pytest.mark.exhaustive
def test_modes_are_found_in_a_repository_too_large_for_one_answer(
    at: ClientBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(at, "a/b/run.sh", "100755", "old\n")
    send = at.client.send

    async def truncating(verb: str, path: str, **options: Any) -> Any:
        answer = await send(verb, path, **options)
        if options.get("query") == {"recursive": 1}:
            return replace(answer, body={**answer.body, "tree": [], "truncated": True})
        return answer

    monkeypatch.setattr(at.client, "send", truncating)
    made = bump(at, setting({"a/b/run.sh": "new\n", "c/new.yaml": "x\n"}))
    assert at.lab.repository.git.text("ls-tree", made.commit, "a/b/run.sh").startswith("100755 blob")
    assert text_at(at, "c/new.yaml") == "x\n"


def test_a_file_that_is_not_there_reads_as_none(at: ClientBench) -> None:
    seen: list[str | None] = []

    async def edit(files: FilesAt) -> Mapping[str, str]:
        seen.extend([await files.read(PIN), await files.read("no/such.yaml"), files.commit])
        return {}

    bump(at, edit)
    assert seen == [pin("two"), None, at.lab.second]


# --- a branch that moves


def test_the_edit_is_made_anew_on_the_tip_that_another_left(at: ClientBench) -> None:
    seen: list[str] = []

    async def edit(files: FilesAt) -> Mapping[str, str]:
        text = await files.read(PIN)
        if not seen:
            at.lab.repository.commit("main", {PIN: "# theirs\n" + pin("two"), "theirs.txt": "x\n"}, "Theirs")
        seen.append(files.commit)
        assert text is not None
        return {PIN: text.replace("two", "four")}

    made = bump(at, edit)
    assert seen == [at.lab.second, made.parent]
    assert text_at(at) == "# theirs\n" + pin("four")
    assert text_at(at, "theirs.txt") == "x\n"
    assert history(at) == ["Bump the pin", "Theirs", "Two", "One"]


@pytest.mark.parametrize("moves", [1, 3])
def test_three_moves_are_followed(at: ClientBench, moves: int) -> None:
    made = bump(at, setting({PIN: pin("four")}, _mover(at, moves)))
    assert history(at) == ["Bump the pin", *[f"Move {move}" for move in range(moves, 0, -1)], "Two", "One"]
    assert made.commit == at.lab.repository.git.commit("main")


def test_a_fourth_move_ends_it_with_no_commit_of_ours(at: ClientBench) -> None:
    with pytest.raises(CommitError, match="branch main of acme/environments moved on 4 times") as raised:
        bump(at, setting({PIN: pin("four")}, _mover(at, 4)))
    assert "concurrency group" in raised.value.change
    assert "Bump the pin" not in history(at)


def test_where_the_other_did_the_same_nothing_is_left_to_do(at: ClientBench) -> None:
    theirs: list[str] = []

    def move(_files: FilesAt) -> None:
        if not theirs:
            theirs.append(at.lab.repository.commit("main", {PIN: pin("four")}, "Theirs"))

    made = bump(at, setting({PIN: pin("four")}, move))
    assert (made.commit, made.changed) == (theirs[0], False)
    assert history(at) == ["Theirs", "Two", "One"]


def _mover(at: ClientBench, times: int) -> Callable[[FilesAt], None]:
    moved: list[str] = []

    def move(_files: FilesAt) -> None:
        if len(moved) < times:
            number = len(moved) + 1
            moved.append(at.lab.repository.commit("main", {"n": f"{number}\n"}, f"Move {number}"))

    return move


# --- a tip that the caller knows


def test_a_known_tip_saves_a_request(at: ClientBench) -> None:
    assert bump(at, "four", tip=at.lab.second).parent == at.lab.second
    assert "/git/ref/heads/main" not in at.lab.paths("GET")


def test_a_tip_that_is_none_any_more_costs_a_retry(at: ClientBench) -> None:
    made = bump(at, "four", tip=at.lab.first)
    assert made.parent == at.lab.second
    assert history(at) == ["Bump the pin", "Two", "One"]


def test_an_old_tip_is_not_believed_to_have_it_already(at: ClientBench) -> None:
    made = bump(at, "one", tip=at.lab.first)
    assert (made.parent, text_at(at)) == (at.lab.second, pin("one"))


# --- what cannot be


@pytest.mark.parametrize("branch", ["", "a b", "-x", "main..dev"])
def test_a_branch_that_cannot_be_one_is_refused_unasked(at: ClientBench, branch: str) -> None:
    before = at.client.requests
    with pytest.raises(UsageError, match="is not a branch"):
        bump(at, "four", branch=branch)
    assert at.client.requests == before


def test_a_branch_that_is_not_there_is_named(at: ClientBench) -> None:
    with pytest.raises(CommitError, match="There is no branch none of acme/environments"):
        bump(at, "four", branch="none")


def test_what_the_edit_raises_comes_out_and_nothing_was_written(at: ClientBench) -> None:
    async def edit(_files: FilesAt) -> Mapping[str, str]:
        raise UsageError("The manifest has no such Application.")

    with pytest.raises(UsageError, match="no such Application"):
        bump(at, edit)
    assert at.lab.paths("POST") == []


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a//b", ""])
def test_paths_that_lead_out_are_refused(at: ClientBench, path: str) -> None:
    with pytest.raises(UsageError, match="is not the path of a file"):
        bump(at, setting({path: "x"}))
    assert at.lab.paths("POST") == []


def test_an_unknown_tip_is_a_clear_error(at: ClientBench) -> None:
    with pytest.raises(CommitError):
        bump(at, "four", tip=MISSING)
