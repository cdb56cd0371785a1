"""Reading files of GitHub: at a commit, at a branch, and what is no file to read."""

from __future__ import annotations

import pytest

from gate.errors import UsageError
from gate.observed import Absent, Present, Unreadable
from tests.support.github import PIN
from tests.support.github_client import ClientBench


def test_a_file_is_read_at_a_commit_and_at_a_branch(at: ClientBench) -> None:
    assert at.run(at.repository.read_file(PIN, at.lab.first)) == Present(value="targetRevision: one\n")
    assert at.run(at.repository.read_file(PIN, "refs/heads/promote/prod")) == Present(value="targetRevision: three\n")


def test_a_file_at_a_branch_is_read_anew_and_at_a_commit_once(at: ClientBench) -> None:
    repository = at.repository
    for ref in (at.lab.second, "main"):
        assert at.run(repository.read_file(PIN, ref)) == Present(value="targetRevision: two\n")
    at.lab.repository.commit("main", {PIN: "targetRevision: four\n"}, "Four")
    assert at.run(repository.read_file(PIN, "main")) == Present(value="targetRevision: four\n")
    assert at.run(repository.read_file(PIN, at.lab.second)) == Present(value="targetRevision: two\n")
    assert at.client.requests == 3


def test_an_absent_file_or_ref_is_absent(at: ClientBench) -> None:
    assert isinstance(at.run(at.repository.read_file("no/such.yaml", "main")), Absent)
    assert isinstance(at.run(at.repository.read_file(PIN, "no-branch")), Absent)


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../x", "a/../b", "a//b", "./a", "a\nb"])
def test_a_path_never_leads_out_of_the_repository(at: ClientBench, path: str) -> None:
    with pytest.raises(UsageError, match="is not the path of a file"):
        at.run(at.repository.read_file(path, "main"))
    assert at.client.requests == 0


def test_directories_large_files_and_binary_files_are_unreadable(at: ClientBench) -> None:
    git = at.lab.repository
    sha = git.commit(
        "odd", {"big.yaml": "x" * (1024 * 1024 + 1), "d/f": "x", "blank": ""}, "Odd", parents=[at.lab.second]
    )
    errors = {}
    for path in ("big.yaml", "d"):
        found = at.run(at.repository.read_file(path, sha))
        assert isinstance(found, Unreadable)
        errors[path] = found.error
    assert "too large" in errors["big.yaml"]
    assert "directory" in errors["d"]
    assert at.run(at.repository.read_file("blank", sha)) == Present(value="")
