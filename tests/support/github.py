"""A GitHub stand-in with a small environment repository, every exchange validated."""

from __future__ import annotations

import atexit
import shutil
import ssl
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import httpx
from github import Auth, Github
from github.Repository import Repository

from gate.lab.github import GitHubStandIn, Identity
from gate.lab.github.git import Git
from gate.lab.github.objects import commit_tree, write_tree
from tests.support.openapi import Validator

NAME = "acme/environments"
PIN = "envs/prod/app.yaml"
PERSON = Identity("octo-dev", 583231, "User")
MISSING = "f" * 40  # no commit of any bench


@dataclass(frozen=True)
class EnvironmentRepository:
    """A bare repository that tests write to past the API."""

    git: Git

    def commit(
        self,
        branch: str,
        files: Mapping[str, str | None],
        message: str,
        *,
        parents: list[str] | None = None,
    ) -> str:
        """Put a commit on a branch (new ones start at `parents`, or nowhere); its id."""
        tip = self.git.commit(branch) if parents is None else next(iter(parents), None)
        entries: list[dict[str, Any]] = [
            {"path": path, "mode": "100644"} | ({"sha": None} if text is None else {"content": text})
            for path, text in files.items()
        ]
        tree = write_tree(self.git, self.git.tree(tip) if tip else None, entries)
        author = {"name": "Octo Dev", "email": "dev@example.com"}
        above = parents if parents is not None else ([tip] if tip else [])
        sha = commit_tree(self.git, tree, above, message, PERSON, author=author)
        self.git.run("update-ref", f"refs/heads/{branch}", sha)
        return sha


def new_repository(directory: Path) -> EnvironmentRepository:
    """An empty bare repository with the default branch main."""
    git = Git(directory)
    git.run("init", "--bare", "--quiet", "--initial-branch=main")
    return EnvironmentRepository(git)


@dataclass(frozen=True)
class Bench:
    """Everything a test needs: the stand-in, its repository, two kinds of client."""

    github: GitHubStandIn
    repository: EnvironmentRepository
    first: str
    second: str
    promotion: str
    api: httpx.Client
    validator: Validator

    @property
    def url(self) -> str:
        """The repository's API path."""
        return f"/repos/{NAME}"

    def pygithub(self, **options: Any) -> Github:
        """PyGithub as the gate sets it up: lazy, no retries of its own, no pauses."""
        settings: dict[str, Any] = {
            "base_url": self.github.url,
            "lazy": True,
            "retry": None,
            "per_page": 100,
            "seconds_between_requests": 0,
            "seconds_between_writes": 0,
        }
        return Github(auth=Auth.Token(self.github.token), **(settings | options))

    def repo(self) -> Repository:
        """The repository as PyGithub has it, without a request."""
        return self.pygithub().get_repo(NAME)

    def paths(self, method: str) -> list[str]:
        """The paths requested with this method, without the repository."""
        return [exchange.path.removeprefix(self.url) for exchange in self.github.requests if exchange.method == method]


@cache
def _template() -> tuple[Path, str, str, str]:
    """The repository of every bench, made once: its folder and its three commits."""
    folder = tempfile.TemporaryDirectory(prefix="gate-bench-")
    atexit.register(folder.cleanup)
    repository = new_repository(Path(folder.name) / "environments.git")
    shutil.rmtree(repository.git.directory / "hooks")
    first = repository.commit("main", {PIN: "targetRevision: one\n", "README.md": "# Envs\n"}, "One")
    second = repository.commit("main", {PIN: "targetRevision: two\n"}, "Two")
    files = {PIN: "targetRevision: three\n"}
    promotion = repository.commit("promote/prod", files, "Promote three", parents=[second])
    return repository.git.directory, first, second, promotion


@contextmanager
def bench(directory: Path, **options: Any) -> Iterator[Bench]:
    """A bench with two commits on main and one on promote/prod; no violation may remain."""
    template, first, second, promotion = _template()
    repository = EnvironmentRepository(Git(directory / "environments.git"))
    shutil.copytree(template, repository.git.directory)
    validator = Validator()
    settings: dict[str, Any] = {"on_exchange": validator} | options
    with GitHubStandIn({NAME: repository.git.directory}, **settings) as github:
        headers = {"Authorization": f"Bearer {github.token}"}
        # No authorities are loaded: that is slow, and there is no TLS here.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        with httpx.Client(base_url=github.url, headers=headers, trust_env=False, verify=context) as api:
            yield Bench(github, repository, first, second, promotion, api, validator)
    assert not validator.violations, "\n".join(validator.violations)
    assert validator.seen, "no exchange was validated"
