"""Environment repositories: what Argo CD reads, served by the cluster's git server."""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from .api import Object
from .argocd import REPOSITORIES
from .settings import GIT_PORT, NODE_ADDRESS, ClusterError

BRANCH = "main"
AUTHOR = {
    "GIT_AUTHOR_NAME": "Test",
    "GIT_AUTHOR_EMAIL": "test@example.test",
    "GIT_COMMITTER_NAME": "Test",
    "GIT_COMMITTER_EMAIL": "test@example.test",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
}


def manifest_file(objects: Sequence[Object]) -> str:
    """The text of a manifest file with these objects, in this order (JSON is YAML)."""
    return "---\n".join(json.dumps(body, indent=2) + "\n" for body in objects)


class EnvironmentRepository:
    """A bare repository that Argo CD fetches from, and a clone in which commits are made."""

    def __init__(self, name: str, work: Path) -> None:
        self.name = name
        self.bare = REPOSITORIES / f"{name}.git"
        self.path = work / name
        self.url = f"git://{NODE_ADDRESS}:{GIT_PORT}/{name}.git"
        if self.bare.exists():
            raise ClusterError(f"there already is a repository {name!r}")
        _git(None, "init", "--quiet", "--bare", f"--initial-branch={BRANCH}", str(self.bare))
        # A pinned commit need not be the end of a branch.
        _git(self.bare, "config", "uploadpack.allowAnySHA1InWant", "true")
        _git(None, "clone", "--quiet", str(self.bare), str(self.path))

    @property
    def head(self) -> str:
        """The newest commit of the clone."""
        return self.git("rev-parse", "HEAD")

    def commit(self, files: Mapping[str, str | None], message: str, push: bool = True) -> str:
        """Write the files (None removes one), commit, push; the new commit's SHA.

        Without files it is an empty commit.
        """
        for name, text in files.items():
            path = self.path / name
            if text is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self._pushed(push)

    def revert(self, sha: str, push: bool = True) -> str:
        """Commit the opposite of a commit; the new commit's SHA."""
        self.git("revert", "--no-edit", sha)
        return self._pushed(push)

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


def _git(folder: Path | None, *arguments: str) -> str:
    run = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, **AUTHOR},
    )
    if run.returncode != 0:
        raise ClusterError(f"`git {' '.join(arguments)}` failed: {run.stderr.strip()}")
    return run.stdout.strip()
