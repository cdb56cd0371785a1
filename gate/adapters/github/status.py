"""The commit status ``gate/<environment>``: pending first, then on change, once a minute, final once."""

from typing import Any, Final, NamedTuple

from gate.adapters.failures import ReadFailed
from gate.adapters.github.address import check_repository, quoted
from gate.adapters.github.answer import Answer, Refused
from gate.adapters.github.client import GitHubClient
from gate.adapters.github.models import JsonStatus, parse_json
from gate.adapters.github.results import PublishOutcome, PublishResult, not_published
from gate.errors import InternalError
from gate.facts.upstream import is_full_id
from gate.render.status import LONGEST, CommitStatus
from gate.render.text import clean

BETWEEN: Final = 60.0  # seconds between two statuses that are not final: 1000 is all a commit can take
_PENDING_TIME = 20.0
_FINAL_TIME = 150.0  # long enough for one minute's pause that GitHub may ask for, and its double
_CANCEL_TIME = 3
_CANCEL_IDLE = 1.0


class StatusFound(NamedTuple):
    """The latest status of ours on a commit; ``id`` is GitHub's, and no two have the same."""

    id: int
    state: str
    description: str

    def says_the_same(self, said: CommitStatus) -> bool:
        """Whether state and reason are those of this one; what follows may hold numbers that change all the time."""
        reason = self.description.partition(" - ")[0]
        return (self.state, reason) == (said.state, said.description.partition(" - ")[0])


async def latest_status(client: GitHubClient, repository: str, commit: str, context: str) -> JsonStatus | None:
    """The latest status of this context on a commit (its full id). Raises Refused and ReadFailed."""
    what = f"commit statuses of {commit[:12]}"
    path = f"/repos/{quoted(check_repository(repository))}/commits/{commit}/statuses"
    answer = await client.send("GET", path, what=what, query={"per_page": 100})
    found = [parse_json(JsonStatus, item, what) for item in answer.body] if isinstance(answer.body, list) else []
    return next((one for one in found if one.context.lower() == context.lower()), None)


async def read_status(
    client: GitHubClient, repository: str, commit: str, context: str, author: str
) -> StatusFound | None:
    """The latest status of this context on a commit (its full id), where ``author`` wrote it.

    None where there is none, somebody else wrote the latest, or it could not be read: then it is better
    said once more.
    """
    try:
        latest = await latest_status(client, repository, commit, context)
    except (Refused, ReadFailed):
        return None
    if latest is None or latest.creator is None or latest.creator.login.lower() != author.lower():
        return None
    return StatusFound(latest.id, latest.state, latest.description or "")


class StatusPublisher:
    """Publishes the status of one commit for one environment, and never raises for GitHub's sake.

    ``commit`` is the full id that the status goes on, ``target_url`` the run attempt's page (left
    out unless it is https). ``read_only`` says that the token is known to be unable to write, so
    that nothing is attempted. Times are in seconds of the client's clock.
    """

    def __init__(
        self,
        client: GitHubClient,
        repository: str,
        commit: str,
        environment: str,
        *,
        target_url: str | None = None,
        read_only: bool = False,
    ) -> None:
        if not is_full_id(commit):
            raise InternalError(f"A status needs a full commit id, not {commit!r}.")
        self._client = client
        self._path = f"/repos/{quoted(check_repository(repository))}/statuses/{commit}"
        self._target_url = target_url if target_url is not None and target_url.startswith("https://") else None
        self._read_only = read_only
        self._last: CommitStatus | None = None
        self._asked_at: float | None = None
        self._final = False
        self.context = f"gate/{environment}"
        self.what = f"commit status {self.context} on {commit[:12]}"

    @property
    def final(self) -> bool:
        """Whether the final status was taken; nothing is published after it."""
        return self._final

    async def publish_pending(self, description: str) -> PublishResult:
        """Say that the verdict is not there yet: at once the first time, then on change, once a minute."""
        said = CommitStatus("pending", clean(description, LONGEST))
        if said == self._last:
            return self._result(PublishOutcome.UNCHANGED)
        clock = self._client.patience.clock
        if self._asked_at is not None and clock() - self._asked_at < BETWEEN:
            return self._result(PublishOutcome.DEFERRED)
        self._asked_at = clock()
        return await self._publish(said, within=_PENDING_TIME)

    async def publish_final(self, status: CommitStatus, *, within: float = _FINAL_TIME) -> PublishResult:
        """Say the verdict, once; a second call publishes nothing. ``within`` is in seconds."""
        if status.state == "pending":
            raise InternalError("A final status cannot be pending.")
        result = await self._publish(status, within=within)
        self._final = self._final or result.published
        return result

    async def publish_now(self, status: CommitStatus) -> PublishResult:
        """The last word of a cancelled run: one attempt of at most 3 s, with no pause before it.

        A request under way is waited for at most a second, so that it does not come after this one.
        """
        await self._client.idle(_CANCEL_IDLE)
        client = self._client.hurried(_CANCEL_TIME)
        try:
            result = await self._publish(status, within=_CANCEL_TIME - _CANCEL_IDLE, client=client)
        finally:
            client.close()
        self._final = self._final or result.published
        return result

    async def _publish(
        self, status: CommitStatus, *, within: float, client: GitHubClient | None = None
    ) -> PublishResult:
        if self._final:
            return self._result(PublishOutcome.NOT_ATTEMPTED, "the final status stands already")
        if self._read_only:
            return self._result(PublishOutcome.NOT_ATTEMPTED, "the token of this event is read-only")
        by = self._client if client is None else client
        said = status._replace(description=clean(status.description, LONGEST))
        body: dict[str, Any] = {**said._asdict(), "context": self.context}
        if self._target_url is not None:
            body["target_url"] = self._target_url
        try:
            deadline = by.patience.deadline(within)
            answer = await by.send("POST", self._path, what=self.what, body=body, deadline=deadline)
        except (Refused, ReadFailed) as failure:
            result = not_published(self.what, failure)
            if result.outcome is PublishOutcome.NOT_FOUND:
                return result.model_copy(update={"outcome": PublishOutcome.UNKNOWN_COMMIT})
            return result
        if answer.status != 201:
            return self._result(PublishOutcome.REFUSED, f"HTTP {answer.status} where 201 was due")
        self._last = said
        return self._result(PublishOutcome.PUBLISHED, url=_url(answer))

    def _result(self, outcome: PublishOutcome, detail: str = "", url: str | None = None) -> PublishResult:
        return PublishResult(what=self.what, outcome=outcome, detail=detail, url=url)


def _url(answer: Answer) -> str | None:
    url = answer.body.get("url") if isinstance(answer.body, dict) else None
    return url if isinstance(url, str) else None
