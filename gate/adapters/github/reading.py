"""Reading one repository: commits, how two are related, and files."""

import base64
import binascii
import re
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from gate.adapters.failures import Cause, ReadFailed, one_line
from gate.adapters.github.address import check_path, check_ref, check_repository, quoted
from gate.adapters.github.answer import LoginRefused, Refused, has_next_page
from gate.adapters.github.client import GitHubClient
from gate.adapters.github.models import (
    CommitFound,
    JsonCommit,
    JsonComparison,
    JsonContent,
    RelationFound,
    commit_found,
    parse_json,
    paths,
)
from gate.errors import AccessError, UsageError
from gate.facts.upstream import is_full_id
from gate.observed import Absent, Observed, Present, Unreadable

T = TypeVar("T")

_SHORT_ID = re.compile(r"[0-9a-f]{4,39}")
_MOST_FILES = 300  # GitHub lists no more in a comparison
_LARGEST_FILE = 1024 * 1024  # larger ones come without their content
_DENIED = {
    401: "the token is wrong or has expired",
    403: "the token may not read this; it needs contents: read",
    404: "not there, or the token may not see it",
}


def advice(unread: Unreadable) -> dict[str, str]:
    """What it usually means that something could not be read, and what to change: ``means`` and ``change``."""
    means, change = {
        401: (
            "the token is wrong, was revoked, or outlived its hour.",
            "pass another github-token, or leave it out and use the job's own.",
        ),
        403: ("the token may not read this repository.", "give the job or the token contents: read."),
        404: (
            "the name is misspelt, or the token does not see this repository.",
            "check the name, and give the token contents: read.",
        ),
        None: ("GitHub did not answer, or not with what was asked for.", "run the job again."),
    }.get(unread.status, ("GitHub refused.", "run the job again."))
    return {"means": means, "change": change}


def said(refused: Refused) -> str:
    """Why something could not be read, in one line."""
    told = None if isinstance(refused, LoginRefused) else _DENIED.get(refused.status)
    return f"HTTP {refused.status}, {told or refused.says or 'refused'}"


class GitHubRepository:
    """Reads one repository. What a full commit id names never changes, so it is asked for once."""

    def __init__(self, client: GitHubClient, name: str) -> None:
        self.client = client
        self.name = check_repository(name)
        self._known: dict[tuple[str, ...], Any] = {}

    @property
    def path(self) -> str:
        """The repository's path in the API."""
        return f"/repos/{quoted(self.name)}"

    async def read_commit(self, name: str, *, deadline: float | None = None) -> Observed[CommitFound]:
        """The commit that a full or short id, a branch or a tag names.

        Absent: nothing, or more than one thing, goes by that name. Unreadable: it could not be
        asked for. Raises UsageError for a name that cannot be one.
        """
        check_ref(name)
        what = f"commit {name} of {self.name}"

        async def read() -> Observed[CommitFound]:
            try:
                answer = await self.client.send(
                    "GET", f"{self.path}/commits/{quoted(name)}", what=what, deadline=deadline
                )
            except Refused as refused:
                # Unknown and ambiguous names are 422, an empty repository 409.
                if refused.status in (409, 422):
                    return Absent(what=what)
                raise
            raw = parse_json(JsonCommit, answer.body, what)
            found = commit_found(raw, with_files=not has_next_page(answer))
            if is_full_id(name) and found.id != name:
                raise ReadFailed(what, f"GitHub answered with another commit, {found.id}", cause=Cause.MALFORMED)
            return Present(value=found)

        return await self._once(("commit", name), what, read, keep=is_full_id(name))

    async def resolve_commit(self, name: str, *, deadline: float | None = None) -> CommitFound:
        """The commit that a name given by a person stands for, as a full id.

        Raises UsageError when it names no commit or more than one, AccessError when it could not
        be asked for.
        """
        found = await self.read_commit(name, deadline=deadline)
        if isinstance(found, Unreadable):
            raise AccessError(
                f"Commit {one_line(name, 80)!r} of {self.name} cannot be read: {found.error}.", **advice(found)
            )
        short = _SHORT_ID.fullmatch(name) is not None
        if isinstance(found, Absent):
            raise UsageError(
                f"{one_line(name, 80)!r} names no single commit of {self.name}.",
                means=(
                    "the short id fits no commit, or several."
                    if short
                    else "the commit was never pushed there, or the branch or tag is gone."
                ),
                change="give the full commit id, 40 hexadecimal digits.",
            )
        if short and not found.value.id.startswith(name):
            raise UsageError(
                f"{name!r} looks like a short commit id, and {self.name} has a branch or tag of that name.",
                means="one name stands for two commits.",
                change=f"give the full commit id; the branch or tag is at {found.value.id}.",
            )
        return found.value

    async def read_relation(self, base: str, head: str, *, deadline: float | None = None) -> Observed[RelationFound]:
        """How commit ``head`` stands to commit ``base``, both full ids, and what it adds to it.

        Absent when the repository does not have both. Raises UsageError for anything but full ids.
        """
        for name in (base, head):
            if not is_full_id(name):
                raise UsageError(
                    f"{one_line(name, 80)!r} is not a full commit id.", change="give all 40 hexadecimal digits."
                )
        what = f"comparison {base}...{head} in {self.name}"

        async def read() -> Observed[RelationFound]:
            try:
                answer = await self.client.send(
                    "GET", f"{self.path}/compare/{base}...{head}", what=what, deadline=deadline
                )
            except Refused as refused:
                if refused.status == 404 and refused.says.startswith("No common ancestor"):
                    return Present(value=RelationFound(base=base, head=head, relation="diverged", merge_base=None))
                if refused.status == 404:
                    return Absent(what=what)
                raise
            return Present(value=relation_found(base, head, parse_json(JsonComparison, answer.body, what)))

        return await self._once(("relation", base, head), what, read, keep=True)

    async def read_file(self, path: str, ref: str, *, deadline: float | None = None) -> Observed[str]:
        """The text of a file (UTF-8, at most 1 MiB) at a branch, tag or commit id.

        Absent: no such file, ref or repository, as far as the token can see. Raises UsageError for
        a path or ref that cannot be one.
        """
        check_ref(ref)
        url = f"{self.path}/contents/{quoted(check_path(path))}"
        what = f"file {path} at {ref} of {self.name}"

        async def read() -> Observed[str]:
            try:
                answer = await self.client.send("GET", url, what=what, query={"ref": ref}, deadline=deadline)
            except Refused as refused:
                if refused.status == 404:
                    return Absent(what=what)
                raise
            if isinstance(answer.body, list):
                raise ReadFailed(what, "is a directory", cause=Cause.MALFORMED)
            return Present(value=file_text(parse_json(JsonContent, answer.body, what), what))

        return await self._once(("file", path, ref), what, read, keep=is_full_id(ref))

    async def _once(
        self, key: tuple[str, ...], what: str, read: Callable[[], Awaitable[Observed[T]]], *, keep: bool
    ) -> Observed[T]:
        """What is known already, else what is read; a failed read becomes Unreadable."""
        if key in self._known:
            known: Present[T] = self._known[key]
            return known
        try:
            found = await read()
        except Refused as refused:
            return Unreadable(what=what, error=said(refused), status=refused.status)
        except ReadFailed as failure:
            return Unreadable(what=what, error=failure.error, status=failure.status)
        if keep and isinstance(found, Present):
            self._known[key] = found
        return found


def relation_found(base: str, head: str, raw: JsonComparison) -> RelationFound:
    """A raw comparison to ours."""
    files = raw.files if raw.files is not None else []
    return RelationFound(
        base=base,
        head=head,
        relation=raw.status,
        merge_base=raw.merge_base_commit.sha,
        commits=tuple(commit_found(commit, with_files=False) for commit in raw.commits),
        files=paths(files),
        truncated=raw.total_commits > len(raw.commits) or raw.files is None or len(files) >= _MOST_FILES,
    )


def file_text(raw: JsonContent, what: str) -> str:
    """The text of a file; raises ReadFailed for what is none."""
    if raw.type != "file":
        raise ReadFailed(what, f"is a {one_line(raw.type, 20)}, not a file", cause=Cause.MALFORMED)
    if raw.size > _LARGEST_FILE or raw.encoding != "base64" or raw.content is None:
        raise ReadFailed(what, f"is too large ({raw.size} bytes, at most {_LARGEST_FILE})", cause=Cause.TOO_LARGE)
    try:
        return base64.b64decode(raw.content).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise ReadFailed(what, "is not UTF-8 text", cause=Cause.MALFORMED) from None
