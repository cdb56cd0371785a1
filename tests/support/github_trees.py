"""Commits with files of any mode, made past the API."""

from __future__ import annotations

from gate.lab.github.objects import commit_tree, write_tree
from tests.support.github import PERSON
from tests.support.github_client import ClientBench


def put(at: ClientBench, path: str, mode: str, content: str) -> None:
    """Commit one file of this mode to main."""
    git = at.lab.repository.git
    tree = write_tree(git, git.tree("main"), [{"path": path, "mode": mode, "content": content}])
    git.run("update-ref", "refs/heads/main", commit_tree(git, tree, [git.text("rev-parse", "main")], "Mode", PERSON))
