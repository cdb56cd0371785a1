"""Git facts by either way: a local clone, or GitHub's API for the Application's own repository."""

from typing import TYPE_CHECKING, TypeVar

from gate.adapters.failures import ReadFailed
from gate.adapters.git.clone import Clone
from gate.facts.moment import GitRecord, Raw, RawCommit
from gate.observed import Absent, Observed, Present, Unreadable

if TYPE_CHECKING:  # PyGithub is slow to import, and a clone does without
    from gate.adapters.github.reading import GitHubRepository

T = TypeVar("T")


class CloneGit:
    """Facts from a local clone."""

    def __init__(self, clone: Clone) -> None:
        self._clone = clone

    async def read_commit(self, commit: str) -> RawCommit | None:
        """The commit of this full id; None when the clone does not have it."""
        return await self._clone.read_commit(commit)

    async def read_relation(self, base: str, head: str) -> GitRecord:
        """The relation of ``head`` to ``base`` with the commits between them."""
        changed = await self._clone.read_changes(base, head)
        return GitRecord(commits=changed.commits, relations={f"{base}...{head}": changed.relation})


class GitHubGit:
    """Facts from GitHub's API."""

    def __init__(self, repository: "GitHubRepository") -> None:
        self._repository = repository

    async def read_commit(self, commit: str) -> RawCommit | None:
        """The commit of this full id; None when the repository does not have it."""
        found = await self._repository.read_commit(commit)
        return None if isinstance(found, Absent) else _value(found).commit

    async def read_relation(self, base: str, head: str) -> GitRecord:
        """The relation of ``head`` to ``base`` with the commits between them."""
        found = _value(await self._repository.read_relation(base, head))
        between = f"{base}...{head}"
        return GitRecord(
            commits={one.id: one.commit for one in found.commits},
            relations={between: found.relation},
            files={between: found.files} if found.relation == "ahead" and not found.truncated else {},
        )


def _value(found: Observed[T]) -> T:
    if isinstance(found, Present):
        return found.value
    if isinstance(found, Unreadable):
        raise ReadFailed(found.what, found.error, found.status)
    raise ReadFailed(found.what, "is not there, or the token may not see it", 404)


def source_urls(applications: tuple[Raw, ...]) -> tuple[str, ...]:
    """The Git repository URLs that Applications name, each once, charts left out."""
    urls: list[str] = []
    for raw in applications:
        spec = raw.get("spec")
        if not isinstance(spec, dict):
            continue
        many = spec.get("sources")
        sources = many if isinstance(many, list) and many else [spec.get("source")]
        plain = [source for source in sources if isinstance(source, dict) and not source.get("chart")]
        urls.extend(source["repoURL"] for source in plain if isinstance(source.get("repoURL"), str))
    return tuple(dict.fromkeys(urls))
