"""Watches: only a hint that something changed. One that breaks or is forbidden costs time, nothing else."""

import asyncio
import json
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

import aiohttp
from yarl import URL

from gate.adapters.failures import Cause, ReadFailed
from gate.adapters.kubernetes.kinds import list_path
from gate.adapters.kubernetes.transport import Answer, Call, Limits, Transport, clean_failures, failure, parse_object

_LONGEST_LINE = 8 * 1024 * 1024
_CHANGES = frozenset(("ADDED", "MODIFIED", "DELETED"))


class WatchTarget(NamedTuple):
    """What to watch: all objects of a kind in a namespace, or those chosen by name or labels."""

    kind: str
    namespace: str
    name: str = ""
    label_selector: str = ""

    @property
    def query(self) -> dict[str, str]:
        """The selectors as the API wants them."""
        fields = f"metadata.name={self.name}" if self.name != "" else ""
        selectors = {"labelSelector": self.label_selector, "fieldSelector": fields}
        return {key: value for key, value in selectors.items() if value != ""}


class Pace(NamedTuple):
    """Seconds: how long the server keeps a watch open, how long silence is believed, waits between tries."""

    server: int = 60
    silence: float = 75.0
    first_wait: float = 1.0
    longest_wait: float = 120.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


DEFAULT_PACE = Pace()


async def watch(
    transport: Transport,
    targets: Sequence[WatchTarget],
    changed: asyncio.Event,
    stop: asyncio.Event,
    pace: Pace = DEFAULT_PACE,
) -> None:
    """Follow every target until ``stop`` is set or this is cancelled; leaves no task behind.

    ``changed`` is also set when a watch begins or begins anew, for what happened before is not known.
    """
    tasks = [asyncio.create_task(_Follower(transport, target, changed, pace).run()) for target in targets]
    try:
        await stop.wait()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class _Follower:
    """Watches one target: lists, watches from there, and lists again when that is too old."""

    def __init__(self, transport: Transport, target: WatchTarget, changed: asyncio.Event, pace: Pace) -> None:
        self._transport = transport
        self._target = target
        self._changed = changed
        self._pace = pace
        self._version = ""
        self._gap = True
        self._failures = 0

    async def run(self) -> None:
        """For ever; every failure only makes the next try later."""
        while True:
            began = time.monotonic()
            wait = 0.0
            try:
                if self._version == "":
                    self._version = await self._newest_version()
                await self._stream()
                # A server that ends watches at once must not be asked in a tight loop.
                self._failures = self._failures + 1 if time.monotonic() - began < self._pace.first_wait else 0
                wait = self._wait(None) if self._failures > 0 else 0.0
            except ReadFailed as error:
                wait = self._after(error)
            except Exception:  # noqa: BLE001 - a hint must never end the poll
                wait = self._after(None)
            await self._pace.sleep(wait)

    def _after(self, error: ReadFailed | None) -> float:
        """Note a failure; seconds until the next try. After a mere interruption the watch goes on where it was."""
        self._failures += 1
        if error is None or error.cause is Cause.EXPIRED or not error.transient:
            self._version = ""
            self._gap = True
        return self._wait(error)

    def _wait(self, error: ReadFailed | None) -> float:
        # An expired version is how a watch goes on after a quiet time; the first one is no fault.
        if error is not None and error.cause is Cause.EXPIRED and self._failures == 1:
            return 0.0
        asked = error.retry_after if error is not None and error.retry_after is not None else 0.0
        doubled: float = self._pace.first_wait * 2 ** min(self._failures - 1, 16)
        return max(asked, min(doubled, self._pace.longest_wait)) * random.uniform(1.0, 1.2)  # noqa: S311 - no secret

    async def _newest_version(self) -> str:
        kind = self._target.kind
        path = list_path(kind, self._target.namespace)
        answer = await self._transport.send(Call(kind, path, {**self._target.query, "limit": "1"}))
        if answer.status != 200:
            raise failure(kind, answer, self._transport.host)
        return _version_of(kind, parse_object(kind, answer))

    async def _stream(self) -> None:
        """One watch request to its end."""
        target, pace = self._target, self._pace
        options = {
            "watch": "1",
            "allowWatchBookmarks": "true",
            "resourceVersion": self._version,
            "timeoutSeconds": f"{pace.server}",
        }
        path = list_path(target.kind, target.namespace)
        limits = Limits(connect=self._transport.limits.connect, idle=pace.silence, call=pace.silence)
        async with self._transport.lease() as connection:
            url = URL(connection.server.url + path, encoded=True).with_query({**target.query, **options})
            with clean_failures(target.kind, connection, limits):
                async with connection.session().request(
                    "GET",
                    url,
                    headers=await connection.headers(),
                    timeout=aiohttp.ClientTimeout(total=None, sock_connect=limits.connect, sock_read=limits.idle),
                    **connection.fixed,
                ) as response:
                    if response.status != 200:
                        body = await response.content.read(64 * 1024)
                        headers = {k.lower(): v for k, v in response.headers.items()}
                        raise failure(target.kind, Answer(response.status, headers, body), connection.server.host)
                    if self._gap:
                        self._gap = False
                        self._changed.set()
                    lines = _Lines()
                    async for piece in response.content.iter_any():
                        for line in lines.feed(piece):
                            self._take(line)

    def _take(self, line: bytes) -> None:
        kind = self._target.kind
        event = parse_object(kind, Answer(200, {}, line))
        word, about = event.get("type"), event.get("object")
        if word == "ERROR":
            code = about.get("code") if isinstance(about, dict) else None
            status = code if isinstance(code, int) else 500
            raise failure(kind, Answer(status, {}, json.dumps(about).encode()), self._transport.host)
        self._version = _version_of(kind, about)
        self._failures = 0
        if word in _CHANGES:
            self._changed.set()


def _version_of(kind: str, raw: Any) -> str:
    metadata = raw.get("metadata") if isinstance(raw, dict) else None
    version = metadata.get("resourceVersion") if isinstance(metadata, dict) else None
    if not isinstance(version, str) or version == "":
        raise ReadFailed(kind, "there is no resourceVersion to watch from", 200, cause=Cause.MALFORMED)
    return version


class _Lines:
    """Cuts a stream into lines that are not blank."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, piece: bytes) -> list[bytes]:
        """The lines that this piece completes."""
        *whole, self._rest = (self._rest + piece).split(b"\n")
        if len(self._rest) > _LONGEST_LINE:
            raise ReadFailed("watch", "one event is longer than 8 MiB", 200, cause=Cause.TOO_LARGE)
        return [line for line in whole if line.strip() != b""]
