"""Changes committed through the gate's client on the bench, and what they left in Git."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from gate.adapters.github import CommitPublisher, Committed, Edit, FilesAt
from gate.adapters.github.answer import NotConfirmed
from tests.support.github import PIN
from tests.support.github_client import ClientBench

OTHER = "envs/staging/app.yaml"


def setting(texts: Mapping[str, str], before: Callable[[FilesAt], None] | None = None) -> Edit:
    """An edit that gives these files these texts; ``before`` is told each time it is made."""

    async def edit(files: FilesAt) -> Mapping[str, str]:
        if before is not None:
            before(files)
        return texts

    return edit


def pin(value: str) -> str:
    return f"targetRevision: {value}\n"


def bump(at: ClientBench, edit: Edit | str, *, branch: str = "main", signed: bool = False, **options: Any) -> Committed:
    """Commit a bump of the pin."""
    wanted = setting({PIN: pin(edit)}) if isinstance(edit, str) else edit
    publisher = CommitPublisher(at.repository, signed=signed)
    return at.run(publisher.commit(branch, wanted, "Bump the pin\n\nIt was asked for.", **options))


def history(at: ClientBench, branch: str = "main") -> list[str]:
    """The first lines of a branch's messages, newest first."""
    return at.lab.repository.git.text("log", "--format=%s", "--first-parent", branch).splitlines()


def text_at(at: ClientBench, path: str = PIN, name: str = "main") -> str:
    """What a file holds."""
    return at.lab.repository.git.run("show", f"{name}:{path}").decode()


def when_lost(at: ClientBench, verb: str, then: Callable[[], object]) -> None:
    """Do something between a lost answer and what the gate makes of it."""
    send: Callable[..., Awaitable[Any]] = at.client.send

    async def told(asked: str, path: str, **options: Any) -> Any:
        try:
            return await send(asked, path, **options)
        except NotConfirmed:
            if asked == verb:
                then()
            raise

    at.client.send = told  # type: ignore[method-assign, assignment]
