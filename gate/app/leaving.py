"""What a killed run leaves behind: statuses that are pending for ever, unless the action's post step closes them.

The runner keeps a step's state in a file, and gives it to the same action's post step as ``STATE_*``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from gate.adapters.runner.files import append_state
from gate.errors import PublishError, UsageError
from gate.observed import Frozen

if TYPE_CHECKING:  # PyGithub is slow to import
    from gate.adapters.github.client import GitHubClient

NAME = "pending"
_SAID = "the run ended without a verdict"


class Left(Frozen):
    """The commits, each ``(owner/name, full id)``, whose status of one run is not final. ``run_url`` is the run's."""

    environment: str
    run_url: str
    commits: tuple[tuple[str, str], ...]


def leave(environ: Mapping[str, str], say: Callable[[str], None]) -> Callable[[Left], None]:
    """What notes it for the post step; the last note counts. Where no runner takes it nothing is noted."""
    path = environ.get("GITHUB_STATE", "")

    def note(left: Left) -> None:
        try:
            append_state(Path(path), NAME, left.model_dump_json() if left.commits else "")
        except PublishError as error:
            say(error.diagnostics())

    return note if path != "" else lambda _: None


def read_left(environ: Mapping[str, str]) -> Left | None:
    """What the run before this step noted; None where nothing is left. Raises UsageError for what is no note."""
    text = environ.get(f"STATE_{NAME}", "")
    if text == "":
        return None
    try:
        return Left.model_validate_json(text)
    except ValidationError as error:
        raise UsageError(
            f"The state {NAME} of this step cannot be read.",
            means="something else than the gate wrote it.",
            change="look at the commit's status; one that is pending for ever is replaced by the next run.",
        ) from error


async def close_left(left: Left, client: GitHubClient, say: Callable[[str], None]) -> None:
    """Turn each status into an error that is still this run's, and still pending. Tells what could not be done."""
    from gate.adapters.failures import ReadFailed
    from gate.adapters.github.answer import Refused
    from gate.adapters.github.results import not_published
    from gate.adapters.github.status import StatusPublisher, latest_status
    from gate.render.status import CommitStatus

    for repository, commit in left.commits:
        status = StatusPublisher(client, repository, commit, left.environment, target_url=left.run_url)
        try:
            latest = await latest_status(client, repository, commit, status.context)
        except (Refused, ReadFailed) as failure:
            result = not_published(status.what, failure)
        else:
            if latest is None or latest.state != "pending" or latest.target_url != left.run_url:
                continue
            result = await status.publish_final(CommitStatus("error", _SAID))
        say(result.as_error().diagnostics() if result.failed else f"The {status.what} is error now: {_SAID}.")
