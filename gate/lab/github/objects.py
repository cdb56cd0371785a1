"""Writing Git objects: blobs, trees from a list of changes, commits."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gate.lab.github.git import Git, GitError, is_id
from gate.lab.github.identity import Identity

MODES = {"100644": "blob", "100755": "blob", "120000": "blob", "040000": "tree", "160000": "commit"}


def write_blob(git: Git, content: bytes) -> str:
    """Store a file's content."""
    return git.text("hash-object", "-w", "--stdin", stdin=content)


def write_tree(git: Git, base: str | None, entries: list[dict[str, Any]]) -> str:
    """The tree `base` (None: empty) with these entries set, or removed where `sha` is null."""
    with tempfile.TemporaryDirectory() as scratch:
        index = {"GIT_INDEX_FILE": str(Path(scratch) / "index")}
        if base is not None:
            git.run("read-tree", base, environment=index)
        lines = []
        for entry in entries:
            if entry.get("mode") == "040000" and entry.get("sha"):
                git.run("rm", "-r", "--cached", "-q", "--ignore-unmatch", "--",
                        entry["path"], environment=index)  # fmt: skip
                git.run("read-tree", f"--prefix={entry['path']}/", entry["sha"], environment=index)
            else:
                lines.append(_index_line(git, entry))
        text = "".join(lines).encode()
        git.run("update-index", "-z", "--index-info", stdin=text, environment=index)
        return git.run("write-tree", environment=index).decode().strip()


def _index_line(git: Git, entry: Mapping[str, Any]) -> str:
    """One entry for `update-index --index-info`."""
    if "content" in entry:
        sha = write_blob(git, entry["content"].encode())
    elif entry.get("sha") is None:
        return f"0 {'0' * 40}\t{entry['path']}\0"
    else:
        sha = entry["sha"]
        if not is_id(sha) or (entry["mode"] != "160000" and git.first_object(sha) is None):
            raise GitError(f"{sha} is no object of this repository")
    return f"{entry['mode']} {sha}\t{entry['path']}\0"


def commit_tree(
    git: Git,
    tree: str,
    parents: list[str],
    message: str,
    by: Identity,
    *,
    author: Mapping[str, str] | None = None,
    committer: Mapping[str, str] | None = None,
) -> str:
    """Store a commit; author and committer default to the caller, as GitHub does."""
    caller = {"name": by.login, "email": f"{by.id}+{by.login}@users.noreply.github.com"}
    author = {**caller, **(author or {})}
    committer = {**author, **(committer or {})}
    environment = {}
    for role, person in (("AUTHOR", author), ("COMMITTER", committer)):
        environment[f"GIT_{role}_NAME"] = person["name"]
        environment[f"GIT_{role}_EMAIL"] = person["email"]
        if "date" in person:
            environment[f"GIT_{role}_DATE"] = person["date"]
    arguments = [argument for parent in parents for argument in ("-p", parent)]
    command = ("commit-tree", tree, *arguments)
    return git.run(*command, stdin=message.encode(), environment=environment).decode().strip()
