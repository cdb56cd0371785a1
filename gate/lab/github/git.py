"""Git plumbing on one bare repository, untouched by the user's own configuration."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

FULL_ID = re.compile(r"[0-9a-f]{40}")
SHORT_ID = re.compile(r"[0-9a-f]{4,39}")
# What `git check-ref-format` allows, roughly; keeps revision expressions out.
REF_NAME = re.compile(r"(?![-/.])(?!.*(?:\.\.|@\{|//))[^\x00-\x20~^:?*\[\\\x7f]+(?<![/.])")
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


class GitError(Exception):
    """Git refused; the text is its standard error."""


class Git:
    """One repository; every method is one or a few `git` processes."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_LITERAL_PATHSPECS": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C",
        }

    def run(self, *arguments: str, stdin: bytes = b"", environment: Mapping[str, str] | None = None) -> bytes:
        """Standard output of a git command that must succeed."""
        done = subprocess.run(
            ["git", "-c", "safe.directory=*", "--git-dir", str(self.directory), *arguments],
            input=stdin,
            capture_output=True,
            check=False,
            env={**self._environment, **(environment or {})},
        )
        if done.returncode:
            raise GitError(done.stderr.decode(errors="replace").strip())
        return done.stdout

    def text(self, *arguments: str, stdin: bytes = b"") -> str:
        """Standard output as one stripped text."""
        return self.run(*arguments, stdin=stdin).decode(errors="replace").strip()

    def first_object(self, *names: str) -> tuple[str, str] | None:
        """Id and type of the first of these names that exists and is not ambiguous."""
        asked = "".join(f"{name}\n" for name in names).encode()
        for line in self.run("cat-file", "--batch-check", stdin=asked).decode().splitlines():
            fields = line.split(" ")
            if FULL_ID.fullmatch(fields[0]) and len(fields) == 3:
                return fields[0], fields[1]
        return None

    def commit(self, name: str) -> str | None:
        """The full id behind what the API accepts as `{ref}`: branch, tag, full or short id."""
        if not REF_NAME.fullmatch(name):
            return None
        candidates = [f"refs/heads/{name}", f"refs/tags/{name}"]
        if name == "HEAD" or name.startswith("refs/"):
            candidates = [name]
        elif name.startswith(("heads/", "tags/", "pull/")):
            candidates.append(f"refs/{name}")
        if FULL_ID.fullmatch(name):
            candidates = [name]
        elif SHORT_ID.fullmatch(name):
            candidates.append(name)
        found = self.first_object(*(f"{candidate}^{{commit}}" for candidate in candidates))
        return found[0] if found else None

    def tree(self, name: str) -> str | None:
        """The tree behind a tree id or anything that names a commit."""
        if not REF_NAME.fullmatch(name):
            return None
        commit = self.commit(name)
        found = self.first_object(f"{commit or name}^{{tree}}") if commit or is_id(name) else None
        return found[0] if found else None

    def ref(self, name: str) -> tuple[str, str] | None:
        """Id and type of exactly this fully qualified ref."""
        return self.first_object(name) if REF_NAME.fullmatch(name) else None

    def set_ref(self, name: str, new: str, old: str = "") -> None:
        """Move a ref, if it still points where it did."""
        self.run("update-ref", name, new, old or "0" * 40)

    def delete_ref(self, name: str) -> None:
        """Remove a ref."""
        self.run("update-ref", "-d", name)

    def default_branch(self) -> str:
        """The branch HEAD names."""
        return self.text("symbolic-ref", "--short", "HEAD")

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor, None for unrelated histories."""
        try:
            return self.text("merge-base", one, other)
        except GitError:
            return None

    def is_ancestor(self, ancestor: str, of: str) -> bool:
        """Whether `of` contains `ancestor`."""
        return self.merge_base(ancestor, of) == ancestor

    def count(self, excluded: str, included: str) -> int:
        """How many commits `included` has that `excluded` has not."""
        return int(self.text("rev-list", "--count", f"{excluded}..{included}"))

    def between(self, excluded: str, included: str) -> list[str]:
        """Those commits' ids, newest first."""
        return self.text("rev-list", f"{excluded}..{included}").split()

    def blob(self, sha: str) -> bytes:
        """A file's content by its object id."""
        return self.run("cat-file", "blob", sha)


def is_id(name: str) -> bool:
    """Whether this is a full object id."""
    return FULL_ID.fullmatch(name) is not None
