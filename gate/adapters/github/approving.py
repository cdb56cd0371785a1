"""What an approval asks of GitHub: what runs said of a commit, and when."""

from datetime import datetime
from typing import NamedTuple

from gate.adapters.github.answer import Refused
from gate.adapters.github.models import JsonStatus, parse_json
from gate.adapters.github.reading import GitHubRepository
from gate.facts.upstream import Time


class JsonDatedStatus(JsonStatus):
    """A commit status, and when it was written."""

    created_at: Time


class Said(NamedTuple):
    """One status: its state, the page it leads to, and when it was written."""

    state: str
    run_url: str | None
    at: datetime


async def read_said(repository: GitHubRepository, commit: str, context: str) -> tuple[Said, ...]:
    """Every status of a context on a commit (its full id), newest first; none where there is no such commit.

    Raises Refused and ReadFailed.
    """
    what = f"commit statuses of {commit[:12]} of {repository.name}"
    try:
        items = await repository.client.pages(f"{repository.path}/commits/{commit}/statuses", what=what)
    except Refused as refused:
        if refused.status in (404, 422):
            return ()
        raise
    found = [parse_json(JsonDatedStatus, item, what) for item in items]
    ours = [one for one in found if one.context.lower() == context.lower()]
    return tuple(Said(one.state, one.target_url, one.created_at) for one in ours)
