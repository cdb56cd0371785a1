"""The repositories of a check: that of the reported commit, and the one Argo CD deploys from."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.adapters.failures import ReadFailed
from gate.adapters.git.clone import Clone
from gate.app.gitfacts import CloneGit, GitHubGit, source_urls
from gate.app.intended import Repository
from gate.app.options import CheckOptions
from gate.config.event import Run
from gate.errors import AccessError
from gate.facts.moment import Raw
from gate.history import Git
from gate.observed import Present, Unreadable

if TYPE_CHECKING:  # PyGithub is slow to import, and a clone does without
    from gate.adapters.github.client import GitHubClient
    from gate.adapters.github.reading import GitHubRepository

_NO_GIT = (
    "the Application's repository {urls} is not on this GitHub server, and no local clone was given "
    "(--repo, or the input repo)"
)


class CloneRepository:
    """A local clone as a repository to resolve names and read files in."""

    def __init__(self, clone: Clone) -> None:
        self._clone = clone

    async def resolve(self, name: str) -> str:
        """The full commit id of a name; raises UsageError."""
        return await self._clone.resolve(name)

    async def read_text(self, path: str, commit: str) -> str | None:
        """A file at a commit; None when it is not there."""
        try:
            content = await self._clone.read_file(path, commit)
        except ReadFailed as failure:
            raise AccessError(f"{path} at {commit} cannot be read: {failure.error}.") from failure
        return None if content is None else content.decode("utf-8", errors="replace")


class RemoteRepository:
    """A repository on GitHub."""

    def __init__(self, repository: "GitHubRepository") -> None:
        self._repository = repository

    async def resolve(self, name: str) -> str:
        """The full commit id of a name; raises UsageError or AccessError."""
        return (await self._repository.resolve_commit(name)).id

    async def read_text(self, path: str, commit: str) -> str | None:
        """A file at a commit, branch or tag; None when it is not there."""
        found = await self._repository.read_file(path, commit)
        if isinstance(found, Present):
            return found.value
        if isinstance(found, Unreadable):
            from gate.adapters.github.reading import advice

            raise AccessError(
                f"{found.what[:1].upper()}{found.what[1:]} cannot be read: {found.error}.", **advice(found)
            )
        return None


@dataclass(frozen=True)
class Repositories:
    """``environment`` holds the reported commit, ``source`` what Argo CD deploys; None: no access.

    ``why`` says why there are no Git facts. ``source_name`` is ``owner/name`` on this GitHub server.
    """

    environment: Repository | None
    source: Repository | None
    git: Git | None
    why: str = ""
    source_name: str | None = None


async def open_repositories(
    options: CheckOptions, run: Run | None, client: "GitHubClient | None", applications: tuple[Raw, ...]
) -> Repositories:
    """The repositories by what was given: a local clone answers for the source, GitHub for the rest."""
    environment: Repository | None = None
    if client is not None and run is not None:
        environment = RemoteRepository(_on_github(client, run.repository))
    urls = source_urls(applications)
    name = None if client is None else _name_on_github(urls, run)
    if options.repo is not None:
        clone = await Clone.open(options.repo)
        local = CloneRepository(clone)
        return Repositories(environment or local, local, CloneGit(clone), source_name=name)
    if name is None and not urls and run is not None:
        name = run.repository
    if name is None or client is None:
        return Repositories(environment, None, None, why=_NO_GIT.format(urls=", ".join(urls) or "(not known)"))
    source = _on_github(client, name)
    return Repositories(environment, RemoteRepository(source), GitHubGit(source), source_name=name)


def _on_github(client: "GitHubClient", name: str) -> "GitHubRepository":
    from gate.adapters.github.reading import GitHubRepository

    return GitHubRepository(client, name)


def _name_on_github(urls: tuple[str, ...], run: Run | None) -> str | None:
    """``owner/name`` of the one repository that all URLs lead to; None where that is not on this server."""
    from gate.adapters.github.address import parse_repository

    server_url = run.server_url if run is not None else "https://github.com"
    names = {parse_repository(url, server_url) for url in urls}
    return names.pop() if len(names) == 1 else None
