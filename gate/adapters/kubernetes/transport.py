"""One call to the API server: time limits, size limit, credentials loaded anew at 401, clean failures.

What may be sent at all is decided here: reads, requests by Service proxy, and one annotation.
"""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from yarl import URL

from gate.adapters.failures import Cause, ReadFailed, describe_network_error, one_line
from gate.adapters.kubernetes.connection import Connection
from gate.adapters.retry import transient_answer
from gate.errors import AccessError, InternalError
from gate.facts.moment import Raw
from gate.secrecy import mask

REFRESH_PATCH = b'{"metadata":{"annotations":{"argocd.argoproj.io/refresh":"normal"}}}'
REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
_APPLICATION = re.compile(r"/apis/argoproj\.io/v1alpha1/namespaces/[a-z0-9.-]+/applications/[a-z0-9.-]+")
_RENEW_AT_MOST_EVERY = 5.0
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


@dataclass(frozen=True)
class Limits:
    """Time limits in seconds, size limit in bytes.

    ``connect`` for one connection, ``idle`` between two pieces of an answer, ``call`` for one
    call as a whole, ``body`` for one answer (all pages of a list together).
    """

    connect: float = 5.0
    idle: float = 10.0
    call: float = 20.0
    body: int = 64 * 1024 * 1024


@dataclass(frozen=True)
class Answer:
    """An HTTP answer, read to its end. Header names are in lower case."""

    status: int
    headers: dict[str, str] = field(repr=False)
    body: bytes = field(repr=False)


@dataclass(frozen=True)
class Call:
    """A read, a question after one's own rights, or the one write there is: an Application's refresh annotation.

    ``what`` names the read in failures, ``room`` is how many bytes the answer may have, ``body`` is JSON, for a
    question only. Raises InternalError for anything else, so that no code path can write to a cluster.
    """

    what: str
    path: str
    query: dict[str, str] | None = None
    method: str = "GET"
    room: int | None = None
    body: bytes | None = None

    def __post_init__(self) -> None:
        """Refuse what is never to be sent."""
        refreshes = self.method == "PATCH" and _APPLICATION.fullmatch(self.path) is not None and self.query is None
        asks = self.method == "POST" and self.path == REVIEWS and self.query is None  # nothing is kept of it
        if (self.method != "GET" and not refreshes and not asks) or (self.body is None) is asks:
            raise InternalError(f"The gate tried to send {self.method} {one_line(self.path)} to a cluster.")


class Transport:
    """Sends calls over the connection in force, and replaces that once whenever the server says 401."""

    def __init__(self, load: Callable[[], Awaitable[Connection]], first: Connection, limits: Limits) -> None:
        self._load = load
        self._current = first
        self._renewing = asyncio.Lock()
        self._renewed_at: float | None = None
        self.limits = limits

    @property
    def host(self) -> str:
        """``name:port`` of the API server."""
        return self._current.server.host

    async def close(self) -> None:
        """Close all connections that no call is using any more."""
        self._current.retired = True
        if self._current.users == 0:
            await self._current.close()

    @asynccontextmanager
    async def lease(self) -> AsyncIterator[Connection]:
        """The connection in force, kept open for as long as the caller uses it."""
        connection = self._current
        connection.users += 1
        try:
            yield connection
        finally:
            connection.users -= 1
            if connection.retired and connection.users == 0:
                await connection.close()

    async def renew(self, used: Connection) -> None:
        """Load the credentials again, unless another call has done so since ``used`` was handed out."""
        async with self._renewing:
            recently = self._renewed_at is not None and time.monotonic() - self._renewed_at < _RENEW_AT_MOST_EVERY
            if self._current is not used or used.retired or recently:
                return
            self._renewed_at = time.monotonic()
            fresh = await self._load()
            old, self._current = self._current, fresh
            old.retired = True
            if old.users == 0:
                await old.close()

    async def send(self, call: Call) -> Answer:
        """One call, made a second time with new credentials when the server says 401.

        Raises ReadFailed when no whole answer was had; an answer may have any status but 401.
        """
        for _ in range(2):
            async with self.lease() as connection:
                answer = await self._once(connection, call)
                if answer.status != 401:
                    return answer
                try:
                    await self.renew(connection)
                except AccessError as error:
                    text = f"401, and the credentials cannot be loaded again: {one_line(error.happened)}"
                    raise ReadFailed(call.what, text, 401, cause=Cause.UNAUTHORIZED) from None
        text = f"{self.host} does not accept the credentials (401, also after they were loaded again)"
        raise ReadFailed(call.what, text, 401, cause=Cause.UNAUTHORIZED)

    async def _once(self, connection: Connection, call: Call) -> Answer:
        limits = self.limits
        room = limits.body if call.room is None else call.room
        headers = await connection.headers()
        if call.method != "GET":
            headers["Content-Type"] = f"application/{'merge-patch+' if call.method == 'PATCH' else ''}json"
        with clean_failures(call.what, connection, limits):
            async with (
                asyncio.timeout(limits.call),
                connection.session().request(
                    call.method,
                    URL(connection.server.url + call.path, encoded=True).with_query(call.query),
                    headers=headers,
                    data=REFRESH_PATCH if call.method == "PATCH" else call.body,
                    timeout=aiohttp.ClientTimeout(total=None, sock_connect=limits.connect, sock_read=limits.idle),
                    **connection.fixed,
                ) as response,
            ):
                body = bytearray()
                async for piece in response.content.iter_any():
                    body += piece
                    if len(body) > room:
                        text = f"the answer is longer than {limits.body // 1024} KiB"
                        raise ReadFailed(call.what, text, response.status, cause=Cause.TOO_LARGE)
                return Answer(response.status, {k.lower(): v for k, v in response.headers.items()}, bytes(body))


@contextmanager
def clean_failures(what: str, connection: Connection, limits: Limits) -> Iterator[None]:
    """Turns every exception of the HTTP client into ReadFailed; cancellation and our own failures pass."""
    host = connection.server.host
    hint = f"; {connection.hint}" if connection.hint else ""
    try:
        yield
    except aiohttp.ConnectionTimeoutError:
        text = f"no connection to {host} within {limits.connect:g} s{hint}"
        raise ReadFailed(what, text, cause=Cause.TIMEOUT) from None
    except aiohttp.SocketTimeoutError:
        raise ReadFailed(what, f"{host} sent nothing for {limits.idle:g} s", cause=Cause.TIMEOUT) from None
    except TimeoutError:
        text = f"no whole answer from {host} within {limits.call:g} s"
        raise ReadFailed(what, text, cause=Cause.TIMEOUT) from None
    except (aiohttp.ClientError, OSError, ValueError, EOFError) as error:
        cause, text = describe_network_error(error, host)
        raise ReadFailed(what, mask(text, connection.secrets) + hint, cause=cause) from None


def parse_object(what: str, answer: Answer) -> Raw:
    """The JSON object of an answer of status 200; raises ReadFailed."""

    def refuse(constant: str) -> Any:
        raise ValueError(constant)

    try:
        raw = json.loads(answer.body, parse_constant=refuse)
        if _SURROGATE.search(answer.body):
            json.dumps(raw, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        kind = one_line(answer.headers.get("content-type", "no content type"), 64)
        text = f"the answer ({len(answer.body)} bytes, {kind}) is not JSON, or was cut"
        raise ReadFailed(what, text, answer.status, cause=Cause.MALFORMED) from None
    if not isinstance(raw, dict):
        raise ReadFailed(what, "the answer is JSON, but no object", answer.status, cause=Cause.MALFORMED)
    return raw


def status_of(answer: Answer) -> Raw | None:
    """The ``Status`` object in an answer; None when the body is anything else."""
    try:
        raw = parse_object("Status", answer)
    except ReadFailed:
        return None
    return raw if raw.get("kind") == "Status" else None


def failure(what: str, answer: Answer, host: str) -> ReadFailed:
    """The failure that an answer other than 200 stands for. Only a ``Status`` is quoted, never another body."""
    status = status_of(answer)
    message = status.get("message") if status is not None else None
    says = f": {one_line(message)}" if isinstance(message, str) and message != "" else ""
    transient = transient_answer(what, answer.status, answer.headers, now=time.time())
    if transient is not None:
        return ReadFailed(
            what, transient.error + says, answer.status, cause=transient.cause, retry_after=transient.retry_after
        )
    causes = {403: Cause.FORBIDDEN, 404: Cause.NOT_SERVED, 410: Cause.EXPIRED}
    text = f"HTTP {answer.status}{says}"
    if 300 <= answer.status < 400:
        text = f"{host} answered with a redirect ({answer.status}); the address is probably not the API server's"
    return ReadFailed(what, text, answer.status, cause=causes.get(answer.status, Cause.REFUSED))
