"""Reading history: commits, and the files that differ between two of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from gate.lab.github.git import EMPTY_TREE, Git

FORMAT = "%H%x00%T%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%B"
FIELDS = 10
STATUS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "C": "copied"}


@dataclass(frozen=True)
class Signature:
    """Author or committer."""

    name: str
    email: str
    date: str


@dataclass(frozen=True)
class Commit:
    """One commit as Git stores it, dates in UTC."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Signature
    committer: Signature
    message: str


@dataclass(frozen=True)
class FileChange:
    """One file that differs; `patch` is empty for binary files."""

    path: str
    previous: str | None
    status: str
    sha: str | None
    additions: int
    deletions: int
    patch: str


def read_commits(git: Git, *arguments: str) -> list[Commit]:
    """Commits in `git log`'s order; the arguments choose them."""
    output = git.run("log", "-z", f"--format=tformat:{FORMAT}", *arguments).decode(errors="replace")
    fields = output.split("\0")
    return [_commit(fields[start : start + FIELDS]) for start in range(0, len(fields) - 1, FIELDS)]


def read_commit(git: Git, sha: str) -> Commit:
    """One commit by its full id."""
    return read_commits(git, "--no-walk", sha)[0]


def _commit(fields: list[str]) -> Commit:
    sha, tree, parents, *people, message = fields
    author, committer = (
        Signature(name, email, timestamp(datetime.fromtimestamp(int(seconds), UTC)))
        for name, email, seconds in (people[:3], people[3:])
    )
    return Commit(sha, tree, tuple(parents.split()), author, committer, message.rstrip("\n"))


def timestamp(moment: datetime) -> str:
    """A time as GitHub writes it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def read_changes(git: Git, old: str | None, new: str) -> list[FileChange]:
    """What differs from `old` (None: the empty tree) to `new`, renames detected."""
    pair = (old or EMPTY_TREE, new)
    options = ("diff-tree", "-r", "-M", "--no-ext-diff", "--no-color")
    listing = git.run(*options, "--raw", "--numstat", "--no-abbrev", "-z", *pair)
    tokens = iter(listing.decode(errors="replace").split("\0"))
    raw, counts = _read_listing(tokens)
    patches = _patches(git.run(*options, "-p", *pair).decode(errors="replace"))
    if len(patches) != len(raw):  # a file that became a symlink has two sections
        patches = [""] * len(raw)
    return [
        FileChange(path, previous, status, sha, *counts[path], patch)
        for (path, previous, status, sha), patch in zip(raw, patches, strict=True)
    ]


Raw = tuple[str, str | None, str, str | None]


def _read_listing(tokens: Iterator[str]) -> tuple[list[Raw], dict[str, tuple[int, int]]]:
    """`--raw` records first (they start with a colon), then `--numstat` ones."""
    raw: list[Raw] = []
    counts: dict[str, tuple[int, int]] = {}
    for token in tokens:
        if token.startswith(":"):
            *_, sha, letter = token.split(" ")
            path, previous = next(tokens), None
            if letter[0] in "RC":
                path, previous = next(tokens), path
            gone = letter[0] == "D"
            raw.append((path, previous, STATUS.get(letter[0], "changed"), None if gone else sha))
        elif token:
            additions, deletions, path = token.split("\t")
            if not path:
                _, path = next(tokens), next(tokens)
            counts[path] = (_number(additions), _number(deletions))
    return raw, counts


def _number(text: str) -> int:
    """A numstat counter; binary files have "-"."""
    return 0 if text == "-" else int(text)


def _patches(diff: str) -> list[str]:
    """The hunks of each file, in order; file contents never start a line with "diff"."""
    sections = re.split(r"^diff --git .*\n", diff, flags=re.MULTILINE)[1:]
    return [section[section.find("\n@@") + 1 :].rstrip("\n") if "\n@@" in section else "" for section in sections]
