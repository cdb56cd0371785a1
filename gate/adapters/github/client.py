"""One client of one GitHub host: authentication, pacing, retries, and answers as plain JSON."""

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum, auto
from typing import Any, Final

from github import GithubException

from gate.adapters.failures import Cause, ReadFailed, describe_network_error, one_line
from gate.adapters.github.access import GitHubAccess, check_access
from gate.adapters.github.answer import (
    Answer,
    NotConfirmed,
    Refused,
    graphql_refusal,
    has_next_page,
    parsed,
    refusal,
)
from gate.adapters.github.login import PAGE, Login, app_auth, log_in, login_answer, login_refused, same_login
from gate.adapters.github.worker import Worker
from gate.adapters.retry import Patience, read_with_retry, transient_answer

GRAPHQL: Final = "graphql"
_MOST_PAGES = 100
_USUAL_TIME = 60.0  # seconds for a request whose caller names no deadline

# GitHub asks for at least a minute where it limits without a header.
PATIENCE: Final = Patience(attempts=5, first_wait=0.5, longest_wait=8.0, unsaid_wait=60.0)


class Repeat(Enum):
    """When a request may be sent again."""

    ALWAYS = auto()
    WHEN_NOT_CARRIED_OUT = auto()
    """After a refusal for too many requests only: anything else may have been carried out."""


class GitHubClient:
    """Sends requests one at a time. Its text form shows no token."""

    def __init__(self, access: GitHubAccess, patience: Patience = PATIENCE) -> None:
        self._access = access
        self.patience = patience
        self.requests = 0
        self._host = check_access(access)
        self._worker = Worker()
        if access.app is not None:
            app_auth(access.app)
        self._login: Login | None = None

    def __repr__(self) -> str:
        return f"<GitHubClient {self._access.api_url}>"

    def connected(self) -> Login:
        """The login, made on the first call: for an App that asks GitHub which installation is meant."""
        if self._login is None:
            self._login = log_in(self._access)
        return self._login

    async def account(self) -> str | None:
        """The login of the account that a GitHub App acts as; None for a token. Raises Refused and ReadFailed."""
        if self._access.app is None:
            return None
        if self._login is None:
            try:
                await self.send("GET", "/rate_limit", what="the GitHub App's account")
            except Refused:  # some servers have no limits to tell of; the login stands before that
                if self._login is None:
                    raise
        return self.connected().account

    def close(self) -> None:
        """Give up the connections."""
        if self._login is not None:
            self._login.github.close()

    def hurried(self, seconds: int) -> "GitHubClient":
        """The same access for a run that is told to end: one attempt, no pauses, a short timeout.

        A GitHub App that has logged in need not do so again.
        """
        access = self._access.model_copy(update={"timeout": seconds, "paced": False})
        client = GitHubClient(access, replace(self.patience, attempts=1))
        if self._login is not None:
            client._login = same_login(access, self._login)
        return client

    async def idle(self, within: float) -> bool:
        """Wait at most so many seconds until no request is under way; whether that is so now."""
        return await self._worker.idle(within)

    async def send(
        self,
        verb: str,
        path: str,
        *,
        what: str,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        repeat: Repeat = Repeat.ALWAYS,
        deadline: float | None = None,
    ) -> Answer:
        """Send one request until it is answered.

        ``path`` is relative to the API root, ``what`` names the request in errors, ``deadline`` is
        a reading of the patience's clock, a minute from now when None. Raises Refused; ReadFailed
        when it was not answered in time; NotConfirmed instead, where the request may have been
        carried out and must not be sent twice.
        """
        latest = self.patience.deadline(_USUAL_TIME) if deadline is None else deadline

        async def attempt() -> Answer:
            try:
                return await self._worker.run(lambda: self._send_once(what, verb, path, query, body))
            except ReadFailed as failure:
                unsure = failure.transient and failure.cause is not Cause.THROTTLED
                if repeat is Repeat.WHEN_NOT_CARRIED_OUT and unsure:
                    raise NotConfirmed(failure) from failure
                raise

        return await read_with_retry(attempt, what=what, patience=self.patience, deadline=latest)

    async def pages(
        self, path: str, *, what: str, query: Mapping[str, Any] | None = None, deadline: float | None = None
    ) -> list[Any]:
        """Every item of a list, page after page. Raises as ``send``, and Refused for endless lists."""
        items: list[Any] = []
        for page in range(1, _MOST_PAGES + 1):
            asked = {**(query or {}), "per_page": PAGE, "page": page}
            answer = await self.send("GET", path, what=what, query=asked, deadline=deadline)
            if not isinstance(answer.body, list):
                raise Refused(what, answer.status, "the answer is not a list")
            items += answer.body
            if not has_next_page(answer):
                return items
        raise Refused(what, 200, f"the list has more than {_MOST_PAGES} pages")

    async def graphql(
        self, query: str, variables: Mapping[str, Any], *, what: str, repeat: Repeat, deadline: float | None = None
    ) -> Any:
        """The ``data`` of a GraphQL query. Raises as ``send``, and Refused (HTTP 200) for its errors."""
        body = {"query": query, "variables": dict(variables)}
        answer = await self.send("POST", GRAPHQL, what=what, body=body, repeat=repeat, deadline=deadline)
        content = answer.body if isinstance(answer.body, dict) else {}
        if content.get("errors") or not isinstance(content.get("data"), dict):
            says, errors = graphql_refusal(content)
            raise Refused(what, answer.status, says, errors)
        return content["data"]

    def _send_once(
        self,
        what: str,
        verb: str,
        path: str,
        query: Mapping[str, Any] | None,
        body: Mapping[str, Any] | None,
    ) -> Answer:
        try:
            status, headers, text = self._exchange(verb, path, query, body)
            if status == 401 and self._access.app is not None:  # revoked, or our clock is behind: once more
                self.close()
                self._login = None
                status, headers, text = self._exchange(verb, path, query, body)
        except OSError as error:
            raise self._not_answered(what, error) from None  # its text may show a header
        except RuntimeError as error:  # PyGithub will not follow to another host
            raise Refused(what, 301, one_line(str(error))) from None
        except GithubException as error:
            raise self._not_let_in(what, error) from None
        content = parsed(text)
        says, details = refusal(content)
        if path == GRAPHQL and status == 200 and "rate limit" in graphql_refusal(content)[0].lower():
            status = 429  # GraphQL tells limits in an answer of 200
        transient = transient_answer(what, status, headers, now=self.patience.now(), says=says)
        if transient is not None:
            raise transient
        if not 200 <= status < 300:
            raise Refused(what, status, says, details)
        if text and content is None:
            raise Refused(what, status, "the answer is not JSON")
        return Answer(status, headers, content)

    def _not_let_in(self, what: str, error: GithubException) -> ReadFailed | Refused:
        """What it is that a GitHub App got no token: trouble, or a refusal."""
        status, headers, says = login_answer(error)
        transient = transient_answer(what, status, headers, now=self.patience.now(), says=says)
        return login_refused(self._access, what, status, says) if transient is None else transient

    def _exchange(
        self, verb: str, path: str, query: Mapping[str, Any] | None, body: Mapping[str, Any] | None
    ) -> tuple[int, Mapping[str, str], str]:
        self.requests += 1
        requester = self.connected().github.requester
        url = requester.graphql_url if path == GRAPHQL else path
        return requester.requestJson(
            verb, url, parameters=dict(query or {}), input=None if body is None else dict(body)
        )

    def _not_answered(self, what: str, error: OSError) -> ReadFailed:
        if isinstance(error, ValueError):
            return ReadFailed(what, "the request could not be formed", cause=Cause.REFUSED)
        if "Timeout" in type(error).__name__:
            return ReadFailed(what, f"{self._host} did not answer in {self._access.timeout} s", cause=Cause.TIMEOUT)
        cause, text = describe_network_error(error, self._host)
        return ReadFailed(what, text, cause=cause)


async def acting_account(client: GitHubClient, otherwise: str) -> str:
    """The account of the client's GitHub App; where a token acts, or the App cannot log in, what is given."""
    try:
        return await client.account() or otherwise
    except (Refused, ReadFailed):
        return otherwise  # whatever is asked of it next says why
