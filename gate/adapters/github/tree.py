"""Files of a commit, and new commits made of them by the Git database."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from gate.adapters.failures import one_line
from gate.adapters.github.address import check_path
from gate.adapters.github.commit_models import Edit, JsonNewCommit, JsonTree, JsonTreeEntry
from gate.adapters.github.models import JsonObjectId, parse_json
from gate.adapters.github.reading import GitHubRepository, advice
from gate.errors import CommitError
from gate.observed import Present, Unreadable

PLAIN: Final = "100644"
EXECUTABLE: Final = "100755"
_OTHER = {"120000": "a symbolic link", "040000": "a directory", "160000": "a submodule"}


class NewCommit(NamedTuple):
    """A commit that was made; ``verified`` as GitHub said of its signature, None where it said nothing."""

    id: str
    verified: bool | None


class FilesOfCommit:
    """The files of one commit, each read once. ``commit`` is its full id."""

    def __init__(self, repository: GitHubRepository, commit: str, deadline: float) -> None:
        self.repository = repository
        self.commit = commit
        self.deadline = deadline
        self._tree: str | None = None
        self._whole: JsonTree | None = None

    async def read(self, path: str) -> str | None:
        """The text of a file; None where there is none. Raises CommitError where it cannot be read."""
        found = await self.repository.read_file(path, self.commit, deadline=self.deadline)
        if isinstance(found, Unreadable):
            raise CommitError(
                f"{path} at {self.commit[:12]} of {self.repository.name} cannot be read: {found.error}.",
                **advice(found),
            )
        return found.value if isinstance(found, Present) else None

    async def changes(self, edit: Edit) -> dict[str, str]:
        """What the edit really changes here, path -> new text."""
        wanted = await edit(self)
        return {path: text for path, text in wanted.items() if await self.read(path) != text}

    async def mode(self, path: str) -> str | None:
        """The Git mode of what stands at a path, which a link's content would not tell; None where nothing does.

        Raises Refused and ReadFailed.
        """
        entry = await self._entry(await self._read_whole(), check_path(path))
        return None if entry is None else entry.mode

    async def paths(self) -> list[str]:
        """Every path, as far as GitHub gives them in one answer. Raises Refused and ReadFailed."""
        return [entry.path for entry in (await self._read_whole()).tree]

    async def modes(self, paths: Mapping[str, str]) -> dict[str, str]:
        """The Git mode that each path has, or gets as a new file. Raises CommitError for what is no file."""
        whole = await self._read_whole()
        modes = {}
        for path in paths:
            entry = await self._entry(whole, check_path(path))
            mode = PLAIN if entry is None else entry.mode
            if mode in _OTHER:
                raise CommitError(
                    f"{one_line(path, 200)} in {self.repository.name} is {_OTHER[mode]}, not a file.",
                    means="the new text would take its place.",
                    change="name the file itself in the configuration.",
                )
            modes[path] = mode
        return modes

    async def read_commit_tree(self) -> str:
        """The tree of the commit."""
        if self._tree is None:
            what = f"commit {self.commit} of {self.repository.name}"
            path = f"{self.repository.path}/git/commits/{self.commit}"
            answer = await self.repository.client.send("GET", path, what=what, deadline=self.deadline)
            self._tree = parse_json(JsonNewCommit, answer.body, what).tree.sha
        return self._tree

    async def _read_whole(self) -> JsonTree:
        if self._whole is None:
            self._whole = await self._read_tree(await self.read_commit_tree(), recursive=True)
        return self._whole

    async def _entry(self, whole: JsonTree, path: str) -> JsonTreeEntry | None:
        """What stands at a path; directory by directory, where GitHub did not give all in one answer."""
        if not whole.truncated:
            return next((entry for entry in whole.tree if entry.path == path), None)
        at: str = whole.sha
        *folders, name = path.split("/")
        for folder in folders:
            below = await self._named(at, folder)
            if below is None or below.type != "tree":
                return None
            at = below.sha
        return await self._named(at, name)

    async def _named(self, tree: str, name: str) -> JsonTreeEntry | None:
        found = await self._read_tree(tree)
        return next((entry for entry in found.tree if entry.path == name), None)

    async def _read_tree(self, tree: str, *, recursive: bool = False) -> JsonTree:
        what = f"tree {tree} of {self.repository.name}"
        answer = await self.repository.client.send(
            "GET",
            f"{self.repository.path}/git/trees/{tree}",
            what=what,
            query={"recursive": 1} if recursive else None,
            deadline=self.deadline,
        )
        return parse_json(JsonTree, answer.body, what)


async def make_commit(files: FilesOfCommit, changes: Mapping[str, str], message: str) -> NewCommit:
    """A commit with these changes on top of the files' commit, which no branch holds yet.

    Nobody is named as author or committer: that is what lets GitHub sign it.
    """
    modes = await files.modes(changes)
    entries = [{"path": path, "mode": modes[path], "type": "blob", "content": text} for path, text in changes.items()]
    tree = await _post(files, "trees", {"base_tree": await files.read_commit_tree(), "tree": entries})
    body = {"message": message, "tree": parse_json(JsonObjectId, tree, "new tree").sha, "parents": [files.commit]}
    made = parse_json(JsonNewCommit, await _post(files, "commits", body), "new commit")
    return NewCommit(made.sha, None if made.verification is None else made.verification.verified)


async def _post(files: FilesOfCommit, kind: str, body: Mapping[str, Any]) -> Any:
    """A new object; made twice, it is at worst one that nothing refers to."""
    what = f"new {kind.removesuffix('s')} in {files.repository.name}"
    path = f"{files.repository.path}/git/{kind}"
    answer = await files.repository.client.send("POST", path, what=what, body=body, deadline=files.deadline)
    return answer.body
