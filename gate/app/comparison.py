"""A proposed commit beside the branch that it would go into: the manifests on both sides, read by API."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from gate.adapters.failures import ReadFailed
from gate.adapters.github.answer import Refused
from gate.adapters.github.reading import GitHubRepository, advice
from gate.adapters.github.tree import EXECUTABLE, PLAIN, FilesOfCommit
from gate.errors import AccessError
from gate.observed import Present, Unreadable
from gate.pin.promotion import Versions

_TIME = 120.0
_FILES = (PLAIN, EXECUTABLE)
_LATER = "the branch has it since the change began, and perhaps of a file that the change touches: update the branch"
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


async def open_target(repository: GitHubRepository, branch: str) -> TargetBranch:
    """The branch of this name, ``HEAD`` for the default branch. Raises UsageError and AccessError."""
    name = branch if branch == "HEAD" else f"heads/{branch}"
    tip = await repository.resolve_commit(name)
    return TargetBranch(repository, _files(repository, tip.id))


async def _mode(files: FilesOfCommit, path: str) -> str | None:
    try:
        return await files.mode(path)
    except Refused as refused:
        error = f"HTTP {refused.status}, {refused.says}"
    except ReadFailed as failure:
        error = failure.error
    raise AccessError(
        f"What {path} is at {files.commit} cannot be found out: {error}.",
        means="GitHub did not answer, or the token may not read this repository.",
        change="run the job again; give the job or the token contents: read.",
    )


def _files(repository: GitHubRepository, commit: str) -> FilesOfCommit:
    return FilesOfCommit(repository, commit, repository.client.patience.deadline(_TIME))


@dataclass(frozen=True)
class Comparison:
    """``changed`` are the paths that the commit changes since it began, None where not all are known.

    ``contained``: the branch has the commit already. ``began`` is None for unrelated histories.
    """

    target: TargetBranch
    head: FilesOfCommit
    began: FilesOfCommit | None
    changed: frozenset[str] | None
    contained: bool

    async def leaves(self, paths: Iterable[str]) -> bool:
        """Whether it is certain, without reading them, that the commit leaves these files as they are."""
        return self.contained or all([await self._is_left(path) for path in paths])

    async def _is_left(self, path: str) -> bool:
        """A symbolic link is not: what it leads to may be changed. Nor is what is not there: nobody knows of what."""
        if self.changed is None or path in self.changed or await self.target.mode(path) not in _FILES:
            return False
        return not await self._may_have_moved(path)

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
            fault = "" if target is None or began is not None else _LATER
            return Versions(head=None, began=began, target=target, fault=fault)
        touched = self.changed is None or path in self.changed
        if mode not in _FILES and (touched or await self.target.mode(path) in _FILES):
            return Versions(head=None, began=began, target=target, fault=f"it is {_CALLED.get(mode, 'no file')}")
        return Versions(head=await self.head.read(path), began=began, target=target)


async def compare(target: TargetBranch, commit: str) -> Comparison:
    """A commit (its full id) beside the branch. Raises AccessError where GitHub does not tell."""
    repository = target.repository
    found = await repository.read_relation(target.files.commit, commit)
    if not isinstance(found, Present):
        why = found.error if isinstance(found, Unreadable) else "it is not there"
        hints = advice(found) if isinstance(found, Unreadable) else {}
        raise AccessError(f"What {commit} changes cannot be found out: {why}.", **hints)
    relation = found.value
    return Comparison(
        target=target,
        head=_files(repository, commit),
        began=None if relation.merge_base is None else _files(repository, relation.merge_base),
        changed=None if relation.truncated or relation.merge_base is None else frozenset(relation.files),
        contained=relation.relation in ("behind", "identical"),
    )
