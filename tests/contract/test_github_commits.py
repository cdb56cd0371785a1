"""Reading commits of GitHub: by id, by branch, by a short id that fits one commit, several or none."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from gate.adapters.github import GitHubRepository
from gate.errors import AccessError, UsageError
from gate.observed import Absent, Unreadable
from tests.support.github import MISSING, NAME, PIN, new_repository
from tests.support.github_client import ClientBench, client_bench, commit_of


def test_a_commit_is_read_with_tree_parents_message_author_and_files(at: ClientBench) -> None:
    found = commit_of(at.run(at.repository.read_commit(at.lab.second)))
    git = at.lab.repository.git
    assert found.id == at.lab.second
    assert found.commit.tree == git.tree(at.lab.second)
    assert found.commit.parents == (at.lab.first,)
    assert (found.commit.message, found.commit.author) == ("Two", "Octo Dev")
    assert found.commit.files == (PIN,)
    assert found.commit.committed_at is not None
    assert found.commit.committed_at.tzinfo is not None


def test_a_root_commit_has_no_parents(at: ClientBench) -> None:
    assert commit_of(at.run(at.repository.read_commit(at.lab.first))).commit.parents == ()


@pytest.mark.parametrize("name", ["main", "heads/main", "promote/prod"])
def test_a_branch_is_resolved_to_a_full_id(at: ClientBench, name: str) -> None:
    expected = at.lab.promotion if name == "promote/prod" else at.lab.second
    assert at.run(at.repository.resolve_commit(name)).id == expected


def test_a_short_id_is_resolved_and_an_unknown_one_is_a_usage_error(at: ClientBench) -> None:
    assert at.run(at.repository.resolve_commit(at.lab.second[:8])).id == at.lab.second
    with pytest.raises(UsageError) as raised:
        at.run(at.repository.resolve_commit("abcdef0"))
    assert "'abcdef0' names no single commit of acme/environments" in str(raised.value)
    assert "fits no commit, or several" in raised.value.diagnostics()
    assert "full commit id" in raised.value.change


def two_commits_with_one_short_id(tree: str | None) -> tuple[str, tuple[bytes, bytes]]:
    """The first four digits of two commit objects, and the objects."""
    seen: dict[str, bytes] = {}
    number = 0
    while True:
        person = f"Octo Dev <dev@example.com> {number} +0000"
        commit = f"tree {tree}\nauthor {person}\ncommitter {person}\n\nOne of many\n".encode()
        whole = b"commit %d\0%b" % (len(commit), commit)
        short = hashlib.sha1(whole, usedforsecurity=False).hexdigest()[:4]
        if short in seen:
            return short, (seen[short], commit)
        seen[short] = commit
        number += 1


def test_an_ambiguous_short_id_is_a_usage_error(at: ClientBench) -> None:
    git = at.lab.repository.git
    short, contents = two_commits_with_one_short_id(git.tree(at.lab.second))
    for content in contents:
        sha = git.text("hash-object", "-t", "commit", "-w", "--stdin", stdin=content)
        assert at.run(at.repository.resolve_commit(sha)).id == sha
    with pytest.raises(UsageError, match="names no single commit"):
        at.run(at.repository.resolve_commit(short))


def test_a_branch_that_looks_like_a_short_id_stands_for_nothing(at: ClientBench) -> None:
    at.lab.repository.commit("deadbee", {"x": "1"}, "Trap", parents=[at.lab.second])
    with pytest.raises(UsageError, match="has a branch or tag of that name"):
        at.run(at.repository.resolve_commit("deadbee"))


@pytest.mark.parametrize("name", ["", " main", "main..x", "-x", "a^{tree}", "x\ny", "../../user", "HEAD~1", "a/../b"])
def test_what_cannot_be_a_ref_is_never_asked_for(at: ClientBench, name: str) -> None:
    with pytest.raises(UsageError, match="is not a branch, a tag or a commit id"):
        at.run(at.repository.read_commit(name))
    assert at.client.requests == 0


def test_an_unknown_commit_is_absent_and_an_unseen_repository_unreadable(at: ClientBench) -> None:
    assert isinstance(at.run(at.repository.read_commit(MISSING)), Absent)
    elsewhere = GitHubRepository(at.client, "acme/hidden")
    found = at.run(elsewhere.read_commit(at.lab.second))
    assert isinstance(found, Unreadable)
    assert found.status == 404
    assert "may not see it" in found.error
    with pytest.raises(AccessError, match="cannot be read: HTTP 404"):
        at.run(elsewhere.resolve_commit(at.lab.second))


def test_another_repository_than_the_workflows_is_read(tmp_path: Path) -> None:
    with client_bench(tmp_path) as at:
        other = new_repository(tmp_path / "other.git")
        sha = other.commit("main", {"a": "1"}, "Elsewhere")
        at.lab.github.world.repositories["acme/orders"] = type(at.lab.github.world.repositories[NAME])(
            "acme/orders", 900, other.git, "2026-01-01T00:00:00Z"
        )
        assert (
            commit_of(at.run(GitHubRepository(at.client, "acme/orders").read_commit(sha))).commit.message == "Elsewhere"
        )
        assert isinstance(at.run(at.repository.read_commit(sha)), Absent)


def test_a_full_id_is_asked_for_once_and_a_branch_every_time(at: ClientBench) -> None:
    repository = at.repository
    for _ in range(3):
        at.run(repository.read_commit(at.lab.second))
    assert at.client.requests == 1
    for _ in range(3):
        at.run(repository.read_commit("main"))
    assert at.client.requests == 4
    for _ in range(2):
        at.run(repository.read_commit(MISSING))
    assert at.client.requests == 6  # what is not there yet may come


def test_a_commit_of_more_files_than_a_page_has_no_list_of_files(at: ClientBench) -> None:
    files = {f"f/{number}": "x" for number in range(301)}
    sha = at.lab.repository.commit("many", files, "Many", parents=[at.lab.second])
    assert commit_of(at.run(at.repository.read_commit(sha))).commit.files is None
