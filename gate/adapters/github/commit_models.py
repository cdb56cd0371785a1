"""What a change to a branch is made of, and what became of it."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from gate.adapters.github.models import FullId, Json, JsonObjectId, JsonPull
from gate.observed import Frozen


class FilesAt(Protocol):
    """The files of one commit, as far as an edit wants to see them."""

    @property
    def commit(self) -> str:
        """The full id of the commit."""
        ...

    async def read(self, path: str) -> str | None:
        """The text of a file, line ends as they are; None where there is no such file.

        Raises CommitError where it cannot be read or is no text, UsageError for a path that cannot be one.
        """
        ...


Edit = Callable[[FilesAt], Awaitable[Mapping[str, str]]]
"""From the files of a commit to path -> new text. What it leaves out, or gives back as it was, does not
change; an empty mapping: nothing to do. It is called again for every commit that the branch moves to, so
that it has to decide by what it reads and nothing else. What it raises ends the change before anything is
written to the branch."""


class Committed(Frozen):
    """What stands on ``branch`` now.

    ``commit`` is the full id with the wanted text: a new one with its one ``parent``, or, where there
    was nothing to change, the tip that had it already (``parent`` None, ``files`` empty). ``verified``
    is what GitHub said of the new commit's signature, None where it said nothing or there is no new commit.
    """

    branch: str
    commit: FullId
    parent: FullId | None = None
    files: tuple[str, ...] = ()
    verified: bool | None = None

    @property
    def changed(self) -> bool:
        """Whether a commit was made."""
        return self.parent is not None


class Proposed(Frozen):
    """A change on its way through a pull request.

    ``number`` and ``url`` are None only where the target branch has the wanted text already, so that
    there is nothing to propose; ``committed`` then names the target's tip, else the tip of the pull
    request's own branch. ``opened``: by this call. ``note`` says what a person should know of it.
    """

    committed: Committed
    number: int | None = None
    url: str | None = None
    opened: bool = False
    note: str = ""


class JsonRef(Json):
    """A ref of Git."""

    object: JsonObjectId


class JsonVerification(Json):
    """Whether GitHub calls a signature valid."""

    verified: bool


class JsonNewCommit(Json):
    """A commit as the Git database shows it."""

    sha: FullId
    tree: JsonObjectId
    verification: JsonVerification | None = None


class JsonTreeEntry(Json):
    """One name in a directory."""

    path: str
    mode: str
    type: str
    sha: FullId


class JsonTree(Json):
    """A directory."""

    sha: FullId
    tree: list[JsonTreeEntry]
    truncated: bool = False


class JsonSignature(Json):
    """A signature, in the words of GraphQL."""

    isValid: bool  # noqa: N815 - GitHub's name for it


class JsonSignedCommit(Json):
    """A commit, in the words of GraphQL."""

    oid: FullId
    signature: JsonSignature | None = None


class JsonCreatedOnBranch(Json):
    """The payload of ``createCommitOnBranch``."""

    commit: JsonSignedCommit


class OpenPull(Frozen):
    """A pull request that is open, and what it says."""

    number: int
    url: str | None
    title: str
    body: str


class JsonOpenPull(JsonPull):
    """A pull request with its text."""

    title: str
    body: str | None = None
    html_url: str = ""
