"""The repository that Argo CD deploys from, as a bump needs it: which commit is meant, and may it be pinned?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.adapters.failures import ReadFailed
from gate.app.repositories import open_repositories
from gate.errors import AccessError, UsageError

if TYPE_CHECKING:  # PyGithub is slow to import, and a dry run in a clone does without
    from gate.adapters.github.client import GitHubClient
    from gate.app.intended import Repository
    from gate.app.options import CheckOptions
    from gate.config.event import Run
    from gate.history import Git


@dataclass(frozen=True)
class Source:
    """``name`` is ``owner/name`` on this GitHub server, None elsewhere; ``cloned``: read from a local clone."""

    repository: Repository
    git: Git
    name: str | None
    cloned: bool

    @property
    def what(self) -> str:
        """How messages call it."""
        return "the clone" if self.cloned else str(self.name)

    async def relate(self, base: str, head: str) -> str:
        """How ``head`` stands to ``base``, in a word; ``unknown`` where Git does not tell."""
        try:
            found = await self.git.read_relation(base, head)
        except ReadFailed:
            return "unknown"
        return str(found.relations.get(f"{base}...{head}", "unknown"))

    async def _tip(self, branch: str | None) -> tuple[str, str]:
        """The newest commit of the allowed branch, and how messages call that branch."""
        called = "the default branch" if branch is None else f"branch {branch}"
        if not self.cloned:
            return await self.repository.resolve("HEAD" if branch is None else f"heads/{branch}"), called
        if branch is not None:
            return await self.repository.resolve(branch), called
        try:
            return await self.repository.resolve("refs/remotes/origin/HEAD"), called
        except UsageError:
            return await self.repository.resolve("HEAD"), "HEAD"

    async def check_allowed(self, revision: str, branch: str | None) -> None:
        """Raise UsageError unless this commit is on the allowed branch, AccessError where that cannot be found out."""
        tip, called = await self._tip(branch)
        if tip == revision:
            return
        try:
            found = (await self.git.read_relation(revision, tip)).relations.get(f"{revision}...{tip}")
        except ReadFailed as failure:
            raise AccessError(
                f"Whether {revision} is on {called} of {self.what} cannot be found out: {failure.error}.",
                means="the clone is shallow, or GitHub did not answer.",
                change="fetch all of its history (fetch-depth: 0), or run the job again.",
            ) from failure
        if found not in ("ahead", "identical"):
            raise UsageError(
                f"{revision} is not on {called} of {self.what}: it is not pinned.",
                means="it was never merged, or another branch is the one that releases come from.",
                change="merge it first, or name that branch with bump.allowed-branch in the configuration.",
            )


async def open_source(
    options: CheckOptions, run: Run | None, client: GitHubClient | None, urls: tuple[str, ...]
) -> Source:
    """The repository behind these repoURLs: the local clone that was given, else the one on GitHub.

    Raises AccessError where neither leads there, UsageError where there are several.
    """
    addresses = {url.rstrip("/").removesuffix(".git").lower() for url in urls}
    if len(addresses) > 1:
        raise UsageError(
            f"The Applications come from several repositories: {', '.join(sorted(addresses))}.",
            means="one commit cannot be the pin of all of them.",
            change="make environments of their own of them, or pin them one by one (application).",
        )
    if not urls and options.repo is None:
        raise AccessError(
            "The manifests do not say which repository the Applications come from.",
            means="a generator fills in their repoURL.",
            change="give a local clone of it (repo, --repo).",
        )
    # As if these were the sources of a live Application.
    opened = await open_repositories(options, run, client, ({"spec": {"sources": [{"repoURL": url} for url in urls]}},))
    if opened.source is None or opened.git is None:
        raise AccessError(
            f"Commits cannot be looked up: {opened.why}.",
            means="Argo CD deploys from another server than this one.",
            change="check it out in a step before, with all of its history, and name the folder (repo, --repo).",
        )
    return Source(opened.source, opened.git, opened.source_name, cloned=options.repo is not None)
