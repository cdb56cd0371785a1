"""Environment repositories: a real bare repository, and a clone in which commits are made."""

import json
import os
import subprocess
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from gate.lab.cluster.store import Object

BRANCH = "main"
_NAME = "Laboratory"
_SETTINGS = {
    "GIT_AUTHOR_NAME": _NAME,
    "GIT_COMMITTER_NAME": _NAME,
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_TERMINAL_PROMPT": "0",
}


class RepositoryError(Exception):
    """Git refused; the text says which command and why."""


def manifest_file(objects: Sequence[Object]) -> str:
    """The text of a manifest file with these objects, in this order (JSON is YAML)."""
    return "---\n".join(json.dumps(body, indent=2) + "\n" for body in objects)


class EnvironmentRepository:
    """A bare repository that Argo CD reads at ``url``, and a clone of it at ``path``.

    Both folders are made. Raises RepositoryError.
    """

    def __init__(self, bare: Path, path: Path, url: str) -> None:
        self.bare, self.path, self.url = bare, path, url
        if bare.exists():
            raise RepositoryError(f"there already is a repository {bare.name!r}")
        _git(None, "init", "--quiet", "--bare", f"--initial-branch={BRANCH}", str(bare))
        # A pinned commit need not be the end of a branch.
        _git(bare, "config", "uploadpack.allowAnySHA1InWant", "true")
        _git(None, "clone", "--quiet", str(bare), str(path))
        # Equal changes in the same second would be equal commits, here and in a laboratory beside this one.
        self.git("config", "user.email", f"laboratory-{uuid.uuid4().hex[:8]}@example.test")

    @property
    def head(self) -> str:
        """The newest commit of the clone."""
        return self.git("rev-parse", "HEAD")

    def commit(self, files: Mapping[str, str | None], message: str, push: bool = True) -> str:
        """Write the files (None removes one), commit, push; the new commit's SHA.

        Without files it is an empty commit.
        """
        for name, text in files.items():
            _put(self.path / name, text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self._pushed(push)

    def revert(self, sha: str, push: bool = True) -> str:
        """Commit the opposite of a commit; the new commit's SHA."""
        self.git("revert", "--no-edit", sha)
        return self._pushed(push)

    def make_default(self, branch: str) -> None:
        """Make a branch that was pushed the repository's default branch."""
        _git(self.bare, "symbolic-ref", "HEAD", f"refs/heads/{branch}")

    def tree(self, sha: str) -> str:
        """The tree of a commit: equal trees have equal content."""
        return self.git("rev-parse", f"{sha}^{{tree}}")

    def git(self, *arguments: str) -> str:
        """Run git in the clone; what it printed."""
        return _git(self.path, *arguments)

    def _pushed(self, push: bool) -> str:
        if push:
            self.git("push", "--quiet", "origin", f"HEAD:{BRANCH}")
        return self.head


def _put(path: Path, text: str | None) -> None:
    try:
        if text is None:
            path.unlink()
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    except OSError as error:
        raise RepositoryError(
            f"{path.name} could not be written: {(error.strerror or 'no reason is known').lower()}"
        ) from error


def _git(folder: Path | None, *arguments: str) -> str:
    # A hook's own GIT_DIR or index is not ours.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    run = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
        env={**inherited, **_SETTINGS},
        start_new_session=True,  # a Ctrl-C is for the program, which lets Git finish
    )
    if run.returncode != 0:
        raise RepositoryError(f"`git {' '.join(arguments)}` failed: {run.stderr.strip()}")
    return run.stdout.strip()
