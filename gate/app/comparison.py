"""A proposed commit beside the branch that it would go into: the manifests on both sides, read by API."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from gate.adapters.failures import ReadFailed
from gate.adapters.github.answer import Refused
from gate.adapters.github.models import RelationFound
from gate.adapters.github.reading import GitHubRepository, advice
from gate.adapters.github.tree import EXECUTABLE, PLAIN, FilesOfCommit
from gate.config.problems import nearest, printable
from gate.errors import AccessError
from gate.observed import Present, Unreadable
from gate.pin.promotion import Versions

T = TypeVar("T")

_TIME = 120.0
_FILES = (PLAIN, EXECUTABLE)
_LATER = "the branch has it since the change began, and perhaps of a file that the change touches: update the branch"
_SEVERAL = (
    "it and the branch were merged into each other, so that a merge may make another file of it: update the branch"
)
_ENDINGS = (".yaml", ".yml", ".json")
_MOST_PARENTS = 20
_CALLED = {"120000": "a symbolic link", "040000": "a directory", "160000": "a submodule"}


@dataclass
class TargetBranch:
    """The newest commit of the branch that changes go into; read once, however many changes there are."""

    repository: GitHubRepository
    files: FilesOfCommit
    _modes: dict[str, str | None] = field(default_factory=dict)

    async def mode(self, path: str) -> str | None:
        """The Git mode of what stands at a path there; None where nothing does."""
        if path not in self._modes:
            self._modes[path] = await _mode(self.files, path)
        return self._modes[path]

    async def paths(self) -> list[str]:
        """What there is, as far as GitHub tells it in one answer."""
        return await _guarded(self.files.paths(), self.files, "the files are")


async def open_target(repository: GitHubRepository, branch: str) -> TargetBranch:
    """The branch of this name, ``HEAD`` for the default branch. Raises UsageError and AccessError."""
    name = branch if branch == "HEAD" else f"heads/{branch}"
    tip = await repository.resolve_commit(name)
    return TargetBranch(repository, _files(repository, tip.id))


async def _mode(files: FilesOfCommit, path: str) -> str | None:
    return await _guarded(files.mode(path), files, f"{path} is")


async def _guarded(asked: Awaitable[T], files: FilesOfCommit, what: str) -> T:
    try:
        return await asked
    except Refused as refused:
        error = f"HTTP {refused.status}, {refused.says}"
    except ReadFailed as failure:
        error = failure.error
    raise AccessError(
        f"What {what} at {files.commit} cannot be found out: {error}.",
        means="GitHub did not answer, or the token may not read this repository.",
        change="run the job again; give the job or the token contents: read.",
    )


def _files(repository: GitHubRepository, commit: str) -> FilesOfCommit:
    return FilesOfCommit(repository, commit, repository.client.patience.deadline(_TIME))


@dataclass(frozen=True)
class Comparison:
    """``relation`` is that of the commit to the branch. ``began`` is None for unrelated histories."""

    target: TargetBranch
    relation: RelationFound
    head: FilesOfCommit
    began: FilesOfCommit | None

    @property
    def changed(self) -> frozenset[str] | None:
        """The paths that the commit changes since it began; None where not all are known."""
        known = not self.relation.truncated and self.began is not None
        return frozenset(self.relation.files) if known else None

    @property
    def contained(self) -> bool:
        """Whether the branch has the commit already."""
        return self.relation.relation in ("behind", "identical")

    async def leaves(self, paths: Iterable[str]) -> bool:
        """Whether it is certain, without reading them, that the commit leaves these files as they are."""
        return self.contained or all([await self._is_left(path) for path in paths])

    async def _is_left(self, path: str) -> bool:
        """A symbolic link is not: what it leads to may be changed. Nor is what is not there: nobody knows of what."""
        if self.changed is None or path in self.changed or await self.target.mode(path) not in _FILES:
            return False
        return not await self._may_have_moved(path) and await self._began_once() is True

    async def _began_once(self) -> bool | None:
        """Whether it began at one commit of the branch only; None where that is not known.

        Where both were merged into each other there are several, of which GitHub names one; Git's merge looks at all.
        """
        if self.began is None or self.relation.relation != "diverged":
            return True
        ids = {one.id for one in self.relation.commits}
        parents = {parent for one in self.relation.commits for parent in one.commit.parents}
        others = parents - ids - {self.began.commit}
        if self.relation.truncated or len(others) > _MOST_PARENTS:
            return None
        for one in sorted(others):
            found = await self.target.repository.read_relation(self.began.commit, one)
            if not isinstance(found, Present):
                return None
            if found.value.relation not in ("behind", "identical"):
                return False
        return True

    async def _may_have_moved(self, path: str) -> bool:
        """Whether the branch may have made this file since of one that the commit changes.

        Git's merge would carry that change over into it.
        """
        began = self.began
        if began is None or began.commit == self.target.files.commit or await _mode(began, path) is not None:
            return False
        for one in self.changed or ():
            if await self.target.mode(one) is None and await _mode(began, one) is not None:
                return True
        return False

    async def read(self, path: str) -> Versions:
        """A manifest in its three versions. Raises AccessError where it cannot be read.

        A change may not make a link of it, or lead one elsewhere, which would let another file decide from then
        on. One that the branch has already is followed on both sides.
        """
        target = await self.target.files.read(path)
        if await self._is_left(path):
            return Versions(head=target, began=target, target=target)
        began = None if self.began is None else await self.began.read(path)
        mode = await _mode(self.head, path)
        if mode is None:  # whatever GitHub says of a path that leads through a link
            why = "" if began is not None else _LATER if target is not None else await self._nowhere(path)
            return Versions(head=None, began=began, target=target, fault=why)
        touched = self.changed is None or path in self.changed
        if mode not in _FILES and (touched or await self.target.mode(path) in _FILES):
            return Versions(head=None, began=began, target=target, fault=f"it is {_CALLED.get(mode, 'no file')}")
        head = await self.head.read(path)
        once = True if head == target else await self._began_once()
        uncertain = once is False or (once is None and head == began)
        return Versions(head=head, began=began, target=target, fault=_SEVERAL if uncertain else "")

    async def _nowhere(self, path: str) -> str:
        """What to say of a file that is not there, and was not."""
        near = nearest(path, [one for one in await self.target.paths() if one.endswith(_ENDINGS)])
        meant = "" if near is None else f" (did you mean {printable(near, 200)}?)"
        return (
            f"there is no such file, nor on the branch that it would go into{meant}: correct pin.file in the"
            " configuration, or put the manifest there first"
        )


async def compare(target: TargetBranch, commit: str) -> Comparison:
    """A commit (its full id) beside the branch. Raises AccessError where GitHub does not tell."""
    repository = target.repository
    found = await repository.read_relation(target.files.commit, commit)
    if not isinstance(found, Present):
        why = found.error if isinstance(found, Unreadable) else "it is not there"
        hints = advice(found) if isinstance(found, Unreadable) else {}
        raise AccessError(f"What {commit} changes cannot be found out: {why}.", **hints)
    base = found.value.merge_base
    return Comparison(
        target=target,
        relation=found.value,
        head=_files(repository, commit),
        began=None if base is None else _files(repository, base),
    )
