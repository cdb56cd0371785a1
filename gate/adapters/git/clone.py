"""Facts from a local clone (``--repo DIR``), in the same models as the facts from GitHub."""

import re
from pathlib import Path
from typing import Literal, NamedTuple, Self

from gate.adapters.failures import Cause, ReadFailed, one_line
from gate.adapters.git.objects import parse_commit
from gate.adapters.git.process import Git, Output
from gate.errors import AccessError, UsageError
from gate.facts.moment import RawCommit

FullRelation = Literal["ahead", "behind", "identical", "diverged"]
COMMITS_AT_MOST = 50
FILES_AT_MOST = 300
_FILE_CAP = 1024 * 1024
_FULL = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SHORT = re.compile(r"[0-9a-f]{4,63}")
_REF = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._/+-]*")
_LINK = "120000"


class Changed(NamedTuple):
    """The relation of one commit to another, and the commits only the first has: full id to commit, newest first."""

    relation: FullRelation
    commits: dict[str, RawCommit]
    truncated: bool


class Clone:
    """A clone whose facts are read without network, hooks or writes. Made by ``open``."""

    def __init__(self, git: Git, *, shallow: bool) -> None:
        self._git = git
        self.shallow = shallow

    @classmethod
    async def open(cls, directory: Path, seconds: float = 20.0) -> Self:
        """The clone in this directory; raises AccessError when there is none."""
        git = Git(directory, seconds)
        if not git.directory.is_dir():
            raise _no_clone(directory, "there is no such directory")
        answer = await git.run("repository", "rev-parse", "--is-shallow-repository")
        if answer.code != 0:
            raise _no_clone(directory, answer.error)
        return cls(git, shallow=answer.text.strip() == b"true")

    async def resolve(self, given: str) -> str:
        """The full commit id of a full id, a short one, a branch or a tag; raises UsageError.

        Branches and tags of the clone come first; a remote branch (``origin/main``, or ``main`` of
        origin) is used when there is no local one.
        """
        _check_reference(given)
        if _FULL.fullmatch(given):
            found = {given} if await self._commit_of(given) == given else set[str]()
        else:
            found = await self._named(given)
            if _SHORT.fullmatch(given):
                found |= await self._shortened(given)
        if not found:
            raise self._unknown(given)
        if len(found) > 1:
            raise UsageError(
                f"{given!r} is ambiguous in {self._git.directory}: it can mean {', '.join(sorted(found))}.",
                means="several commits start with it, or a branch and a tag share the name.",
                change="Give the full commit id.",
            )
        return found.pop()

    async def _named(self, name: str) -> set[str]:
        """The commits that a branch or tag of this name, or else a remote branch, stands for."""
        if name == "HEAD" or name.startswith("refs/"):
            names = [[name]]
        else:
            names = [
                [f"refs/heads/{name}", f"refs/tags/{name}"],
                [f"refs/remotes/{name}"],
                [f"refs/remotes/origin/{name}"],
            ]
        for group in names:
            found = {commit for ref in group if (commit := await self._commit_of(ref)) is not None}
            if found:
                return found
        return set()

    async def _shortened(self, prefix: str) -> set[str]:
        answer = await self._git.run("commit", "rev-parse", f"--disambiguate={prefix}")
        ids = answer.text.decode("ascii", "replace").split() if answer.code == 0 else []
        # Trees and blobs may share the prefix; they are no commits and so not meant.
        return {identifier for identifier in ids if await self._commit_of(identifier) == identifier}

    async def _commit_of(self, name: str) -> str | None:
        answer = await self._git.run(
            "commit", "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"
        )
        text = answer.text.decode("ascii", "replace").strip()
        # Peeling to a commit reads it: an id of nothing, or of something else, is refused.
        return text if answer.code == 0 and _FULL.fullmatch(text) else None

    def _unknown(self, given: str) -> UsageError:
        shallow = "the clone is shallow, so older commits are not in it, or " if self.shallow else ""
        return UsageError(
            f"{given!r} names no commit in {self._git.directory}.",
            means=f"{shallow}it was not fetched, or is misspelt.",
            change="Fetch it (in a workflow: actions/checkout with fetch-depth: 0), or give the full commit id.",
        )

    async def read_commit(self, commit: str) -> RawCommit | None:
        """A commit by full id, with the files it changed against its first parent; None when it is not there.

        Raises ReadFailed when a shallow clone may only have cut it off.
        """
        _check_full(commit)
        answer = await self._git.run("commit", "cat-file", "commit", commit)
        if answer.code != 0:
            if self.shallow:
                raise ReadFailed("commit", f"{commit} is not in this shallow clone (fetch-depth: 0 fetches it)")
            return None
        # The raw object also tells the parents that a shallow clone has cut off.
        parsed = parse_commit(answer.text)
        return parsed.model_copy(update={"files": await self._files(commit, parsed.parents)})

    async def _files(self, commit: str, parents: tuple[str, ...]) -> tuple[str, ...] | None:
        """Paths that differ from the first parent, at most ``FILES_AT_MOST``; None when that is not in the clone."""
        command = ["diff-tree", "-r", "-z", "--name-only", "--no-commit-id", "--no-renames", "--no-ext-diff"]
        if parents and await self._commit_of(parents[0]) is None:
            return None
        ends = [parents[0], commit] if parents else ["--root", commit]
        answer = _good(await self._git.run("commit", *command, *ends, "--"), "commit")
        return tuple(path for path in answer.decode("utf-8", "replace").split("\0") if path != "")[:FILES_AT_MOST]

    async def read_relation(self, base: str, head: str) -> FullRelation:
        """How ``head`` stands to ``base``; raises ReadFailed when the clone cannot prove it."""
        _check_full(base)
        _check_full(head)
        for commit in (base, head):
            if await self._commit_of(commit) != commit:
                raise ReadFailed("commit", f"{commit} is not in the clone, so its relation cannot be proven")
        if base == head:
            return "identical"
        if await self._is_ancestor(base, head):
            return "ahead"
        if await self._is_ancestor(head, base):
            return "behind"
        if self.shallow:
            text = f"this shallow clone cannot prove how {head} stands to {base} (fetch-depth: 0 fetches all)"
            raise ReadFailed("commit", text)
        return "diverged"

    async def _is_ancestor(self, older: str, newer: str) -> bool:
        answer = await self._git.run("commit", "merge-base", "--is-ancestor", older, newer)
        if answer.code not in (0, 1):
            raise ReadFailed("commit", f"git cannot compare the commits: {answer.error}")
        return answer.code == 0

    async def read_changes(self, since: str, to: str) -> Changed:
        """What ``to`` has and ``since`` has not; raises ReadFailed where the clone cannot prove it."""
        relation = await self.read_relation(since, to)
        most = str(COMMITS_AT_MOST + 1)
        listed = await self._git.run("commit", "rev-list", "--max-count", most, to, f"^{since}", "--")
        ids = _good(listed, "commit").decode("ascii", "replace").split()
        found = {identifier: await self.read_commit(identifier) for identifier in ids[:COMMITS_AT_MOST]}
        commits = {identifier: commit for identifier, commit in found.items() if commit is not None}
        return Changed(relation, commits, len(ids) > COMMITS_AT_MOST)

    async def read_messages(self, commit: str, path: str, most: int) -> tuple[str, ...]:
        """Messages of the commits down from ``commit`` that touched a path, newest first. Raises ReadFailed."""
        _check_full(commit)
        options = ("-z", "--format=%B", "--no-color", "--encoding=UTF-8", f"--max-count={most}")
        answer = _good(await self._git.run("history", "log", *options, commit, "--", path), "history")
        return tuple(one for one in answer.decode("utf-8", "replace").split("\0") if one != "")

    async def read_patch(self, commit: str) -> dict[str, tuple[str, str]] | None:
        """Path to what stood there before and after this commit, each as mode and object id; against its first parent.

        None where the clone does not have both, or the commit has no parent. Raises ReadFailed.
        """
        _check_full(commit)
        if await self._commit_of(f"{commit}^1") is None:
            return None
        options = ("-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff", "--no-commit-id")
        answer = _good(await self._git.run("patch", "diff-tree", *options, f"{commit}^1", commit, "--"), "patch")
        parts = answer.decode("utf-8", "surrogateescape").split("\0")
        patch = {}
        for facts, path in zip(parts[:-1:2], parts[1::2], strict=True):
            old_mode, new_mode, old, new, _ = facts.removeprefix(":").split(" ")
            patch[path] = (f"{old_mode} {old}", f"{new_mode} {new}")
        return patch

    async def read_file(self, path: str, commit: str, *, largest: int = _FILE_CAP) -> bytes | None:
        """The content of a file at a commit, at most so many bytes; None when it is not there. Raises ReadFailed."""
        _check_full(commit)
        what = f"file {one_line(path)}"
        parts = path.split("/")
        if path == "" or "\0" in path or any(part in ("", ".", "..") for part in parts):
            raise UsageError(
                f"{one_line(path)!r} is not a path inside the repository.", change="Name it from its root."
            )
        listing = _good(await self._git.run(what, "ls-tree", "-z", "-l", "--full-tree", commit, "--", path), what)
        entry, _, _ = listing.decode("utf-8", "replace").partition("\0")
        if entry == "":
            return None
        mode, kind, blob, size = entry.partition("\t")[0].split()
        if kind != "blob" or mode == _LINK:
            raise ReadFailed(what, "it is a directory, a submodule or a symbolic link, not a file")
        if int(size) > largest:
            raise ReadFailed(what, f"it is longer than {largest // 1024 // 1024} MiB", cause=Cause.TOO_LARGE)
        return _good(await self._git.run(what, "cat-file", "blob", blob), what)


def _good(answer: Output, what: str) -> bytes:
    if answer.code != 0:
        raise ReadFailed(what, f"git failed: {answer.error}" if answer.error else "git failed")
    return answer.text


def _check_full(commit: str) -> None:
    if not _FULL.fullmatch(commit):
        raise ReadFailed("commit", f"{one_line(commit, 80)!r} is not a full commit id", cause=Cause.REFUSED)


def _check_reference(given: str) -> None:
    """Refuse options, revision syntax and everything else that is no id, branch or tag."""
    if not _REF.fullmatch(given) or ".." in given or given.endswith((".lock", "/", ".")) or "//" in given:
        raise UsageError(
            f"{one_line(given, 80)!r} is neither a commit id nor the name of a branch or tag.",
            means="options and revision expressions such as HEAD~1 are not taken.",
            change="Give a full commit id, a short one, a branch or a tag.",
        )


def _no_clone(directory: Path, reason: str) -> AccessError:
    return AccessError(
        f"{one_line(str(directory))} is not a usable Git clone: {reason}.",
        means="the path is wrong, or it was checked out without its .git folder.",
        change="Name the clone with --repo DIR.",
    )
