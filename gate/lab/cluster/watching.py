"""Watches: changes as they are written, bookmarks in between, and what is too old."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field

from gate.lab.cluster.kinds import Kind
from gate.lab.cluster.listing import chosen_by, list_objects, parse_version
from gate.lab.cluster.refusals import bad_request, refusal
from gate.lab.cluster.selectors import Chooses
from gate.lab.cluster.store import Change, Expired, Object, Store

_LONGEST = 1800
_BEFORE_THE_END = 2.0
_INITIAL_EVENTS_END = {"annotations": {"k8s.io/initial-events-end": "true"}}


@dataclass(eq=False)
class _Watch:
    """One watch that is open for so many seconds at most; None in ``changes`` cuts it."""

    kind: Kind
    namespace: str | None
    seconds: float
    changes: asyncio.Queue[Change | None] = field(default_factory=asyncio.Queue)

    def hear(self, change: Change) -> None:
        """Note a change that may be of interest."""
        if change.kind == self.kind.name and self.namespace in (None, change.key[1]):
            self.changes.put_nowait(change)


@dataclass
class Watches:
    """All watches that are open. ``bookmark_every`` is in seconds; one more comes 2 s before a watch ends.

    ``moved`` is set whenever one begins or ends.
    """

    store: Store
    bookmark_every: float = 60.0
    moved: asyncio.Event = field(default_factory=asyncio.Event)
    _open: set[_Watch] = field(default_factory=set)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._open)

    def cut(self, kind: str = "*") -> int:
        """Break off the watches of a kind, without an end; how many there were."""
        broken = [watch for watch in self._open if kind in ("*", watch.kind.name)]
        for watch in broken:
            watch.changes.put_nowait(None)
        return len(broken)

    def begin(self, kind: Kind, namespace: str | None, query: dict[str, str]) -> AsyncGenerator[bytes, None]:
        """The events of a watch, a line each; raises BadSelector and Refused before the first."""
        chooses = chosen_by(kind, query)
        given = query.get("resourceVersion", "")
        version = parse_version(given) if given else 0
        try:
            seconds = float(query.get("timeoutSeconds") or _LONGEST)
        except ValueError as error:
            raise bad_request(str(error)) from None
        return self._events(_Watch(kind, namespace, seconds), chooses, version, query)

    async def _events(
        self, watch: _Watch, chooses: Chooses, version: int, query: dict[str, str]
    ) -> AsyncGenerator[bytes, None]:
        silence = self.store.listen(watch.hear)
        self._open.add(watch)
        self.moved.set()
        try:
            try:
                first = self._first(watch, chooses, version, query)
            except Expired as error:
                yield _line("ERROR", refusal(410, "Expired", str(error)))
                return
            for event in first:
                yield event
            async with aclosing(self._later(watch, chooses, query)) as later:
                async for event in later:
                    yield event
        finally:
            self._open.discard(watch)
            self.moved.set()
            silence()

    def _first(self, watch: _Watch, chooses: Chooses, version: int, query: dict[str, str]) -> list[bytes]:
        """What has happened since the version, or (version 0) everything that there is; raises Expired."""
        if version != 0:
            since = [change for change in self.store.changes_since(version) if watch.kind.name == change.kind]
            told = [_event(change, chooses) for change in since if watch.namespace in (None, change.key[1])]
            return [event for event in told if event is not None]
        items = list_objects(self.store, watch.kind, watch.namespace, {})["items"]
        named = [{"kind": watch.kind.name, "apiVersion": watch.kind.api_version, **body} for body in items]
        events = [_line("ADDED", body) for body in named if chooses(body)]
        if query.get("sendInitialEvents") == "true":
            events.append(self._bookmark(watch.kind, _INITIAL_EVENTS_END))
        return events

    async def _later(self, watch: _Watch, chooses: Chooses, query: dict[str, str]) -> AsyncGenerator[bytes, None]:
        """What happens until the time is up; raises ConnectionAbortedError where the watch is cut."""
        loop = asyncio.get_running_loop()
        end = loop.time() + watch.seconds
        bookmarks = query.get("allowWatchBookmarks") in ("1", "true")
        bookmark_at = self._next_bookmark(loop.time(), end) if bookmarks else end
        while (now := loop.time()) < end:
            if now >= bookmark_at:
                yield self._bookmark(watch.kind, {})
                bookmark_at = self._next_bookmark(now, end)
            try:
                change = await asyncio.wait_for(watch.changes.get(), min(end, bookmark_at) - now)
            except TimeoutError:
                continue
            if change is None:
                raise ConnectionAbortedError("the watch was cut")
            event = _event(change, chooses)
            if event is not None:
                yield event

    def _next_bookmark(self, now: float, end: float) -> float:
        last = end - _BEFORE_THE_END
        return min(now + self.bookmark_every, last if last > now else end)

    def _bookmark(self, kind: Kind, metadata: Object) -> bytes:
        version = {"resourceVersion": str(self.store.version), **metadata}
        return _line("BOOKMARK", {"kind": kind.name, "apiVersion": kind.api_version, "metadata": version})


def _event(change: Change, chooses: Chooses) -> bytes | None:
    """The event of a change for one who sees what the selectors choose; None where it is out of sight."""
    was = change.before is not None and chooses(change.before)
    if change.type != "DELETED" and chooses(change.body):
        return _line("MODIFIED" if was else "ADDED", change.body)
    if not was or change.before is None:
        return None
    metadata = {**change.before["metadata"], "resourceVersion": str(change.version)}
    return _line("DELETED", change.body if change.type == "DELETED" else {**change.before, "metadata": metadata})


def _line(type_: str, body: Object) -> bytes:
    return json.dumps({"type": type_, "object": body}, separators=(",", ":")).encode() + b"\n"
