"""The evidence branch of a repository as a store, read from a local clone or from GitHub."""

from typing import TYPE_CHECKING, Protocol

from gate.adapters.failures import ReadFailed, one_line
from gate.adapters.git.clone import Clone
from gate.errors import AccessError, UsageError
from gate.evidence.entries import MOST, Entry, newest_first
from gate.evidence.messages import folder_of, parse_message

if TYPE_CHECKING:  # PyGithub is slow to import, and a clone does without
    from gate.adapters.github.reading import GitHubRepository

BRANCH = "gate-evidence"
"""The branch's usual name."""

_AT_LEAST, _AT_MOST = 100, 10_000  # commits to look through, for others than the gate's may be among them
_LARGEST = 16 * 1024 * 1024  # what git may print at most


class Branch(Protocol):
    """A branch: its history by path, and the files at its tip. Both raise UsageError, AccessError and ReadFailed."""

    @property
    def what(self) -> str:
        """How messages call it."""
        ...

    async def read_log(self, path: str, most: int) -> tuple[str, ...]:
        """The messages of the commits that touched a path, newest first."""
        ...

    async def read_text(self, path: str) -> str | None:
        """A file; None where it is not there."""
        ...


class BranchStore:
    """Evidence on a branch: one commit a verdict."""

    def __init__(self, branch: Branch) -> None:
        self._branch = branch
        self.what = branch.what

    async def list(self, environment: str, *, commit: str | None = None, most: int = MOST) -> tuple[Entry, ...]:
        """As every store. Commits that the gate did not make are passed over; of a path the first commit counts."""
        where = environment if commit is None else folder_of(environment, commit)
        entries, commits = dict[str, Entry](), max(most, _AT_LEAST)
        while True:
            messages = await self._messages(where, commits)
            for entry in filter(None, map(parse_message, messages)):
                if entry.environment == environment and commit in (None, entry.commit):
                    entries[entry.path] = entry
            if len(entries) >= most or len(messages) < commits or commits >= _AT_MOST:
                return newest_first(entries.values())[:most]
            commits = min(10 * commits, _AT_MOST)  # there are commits of others among them

    async def _messages(self, where: str, most: int) -> tuple[str, ...]:
        try:
            return await self._branch.read_log(where, most)
        except ReadFailed as failure:
            raise AccessError(f"{self.what} cannot be read: {failure.error}.") from failure

    async def read(self, entry: Entry) -> str:
        """As every store."""
        try:
            text = await self._branch.read_text(entry.path)
        except ReadFailed as failure:
            raise AccessError(f"{entry.path} of {self.what} cannot be read: {failure.error}.") from failure
        if text is None:
            raise AccessError(
                f"{entry.path} is not on {self.what} any more.",
                means="somebody removed it; the gate never does.",
                change="look into the history of the branch.",
            )
        return text


class CloneBranch:
    """The branch in a local clone, its own or that of origin, whatever the clone has of it."""

    def __init__(self, clone: Clone, name: str, commit: str) -> None:
        self._clone = clone
        self._commit = commit
        self.what = f"branch {name} of the clone"

    @classmethod
    async def open(cls, clone: Clone, name: str = BRANCH) -> "CloneBranch":
        """The branch at its newest commit here; raises UsageError where the clone does not have it."""
        for full in (f"refs/remotes/origin/{name}", f"refs/heads/{name}"):
            try:
                return cls(clone, name, await clone.resolve(full))
            except UsageError:
                continue
        raise UsageError(
            f"There is no branch {one_line(name, 80)} in the clone.",
            means="it was not fetched, no verdict was ever stored on it, or it has another name.",
            change=f"fetch it: git fetch origin {one_line(name, 80)}:refs/remotes/origin/{one_line(name, 80)}",
        )

    async def read_log(self, path: str, most: int) -> tuple[str, ...]:
        """The messages of the commits that touched a path, newest first."""
        return await self._clone.read_messages(self._commit, path, most)

    async def read_text(self, path: str) -> str | None:
        """A file at the branch's newest commit."""
        content = await self._clone.read_file(path, self._commit, largest=_LARGEST)
        return None if content is None else content.decode("utf-8", errors="replace")


class GitHubBranch:
    """The branch on GitHub, at the commit where it is first read."""

    def __init__(self, repository: "GitHubRepository", name: str = BRANCH) -> None:
        self._repository = repository
        self._name = name
        self._commit: str | None = None
        self.what = f"branch {one_line(name, 80)} of {repository.name}"

    async def read_log(self, path: str, most: int) -> tuple[str, ...]:
        """The messages of the commits that touched a path, newest first."""
        from gate.adapters.github.log import read_messages

        return await read_messages(self._repository, await self._tip(), path, most)

    async def read_text(self, path: str) -> str | None:
        """A file at the same commit."""
        from gate.adapters.github.log import read_large_file

        return await read_large_file(self._repository, path, await self._tip())

    async def _tip(self) -> str:
        from gate.adapters.github.log import read_tip

        if self._commit is None:
            self._commit = await read_tip(self._repository, self._name)
        return self._commit
