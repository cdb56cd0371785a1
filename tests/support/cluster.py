"""A Kubernetes API on loopback that shows recorded moments, in the format of ``gate replay``, as if they were now.

It answers what the gate asks: one object, lists with selectors, watches, and the Service proxy.
Times and commit ids of the recording are moved to where the test is.
"""

from __future__ import annotations

import asyncio
import json
import re
import ssl
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import yaml

from gate.adapters.kubernetes.kinds import KINDS
from tests.support.bundles import Json
from tests.support.kubernetes import page, status
from tests.support.loopback import Asked, Loopback, Reply, serving

TOKEN = "cluster-token-that-nobody-may-see"
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_OBJECT = re.compile(r"/apis?(?:/[^/]+)?/v[^/]+/namespaces/(?P<place>[^/]+)/(?P<plural>[^/]+)(?:/(?P<name>[^/]+))?")
_PROXY = re.compile(r"/api/v1/namespaces/(?P<place>[^/]+)/services/(?P<name>[^/:]+):(?P<port>[^/]*)/proxy(?P<path>/.*)")
_KIND_OF = {kind.plural: name for name, kind in KINDS.items()}


@dataclass
class Trouble:
    """Answer requests for one kind (or ``proxy``, or ``*``) otherwise: the first ``skip`` go through unharmed."""

    kind: str
    reply: Reply
    skip: int = 0
    times: int | None = None

    def meets(self, kind: str) -> bool:
        """Whether this request is to go wrong; counts it."""
        if self.kind not in (kind, "*"):
            return False
        if self.skip > 0:
            self.skip -= 1
            return False
        if self.times is not None:
            self.times -= 1
        return self.times is None or self.times >= 0


def refusal(code: int, message: str = "") -> Reply:
    """A refusal as the API server words it."""
    reason = {401: "Unauthorized", 403: "Forbidden", 404: "NotFound", 429: "TooManyRequests"}[code]
    return status(code, reason, message or reason)


MISSING_CRD = Reply(404, "404 page not found\n")


@dataclass
class ClusterStandIn:
    """A cluster that stands at one moment until ``show`` moves it on; a context manager.

    ``replace`` are texts of the recording and what stands in their place; ``after`` maps the number
    of Application reads to the moment that is shown from then on; ``takes`` says which credentials are good.
    """

    recording: Json
    replace: Mapping[str, str] = field(default_factory=dict)
    troubles: list[Trouble] = field(default_factory=list)
    after: dict[int, int] = field(default_factory=dict)
    tls: ssl.SSLContext | None = None
    takes: Callable[[str], bool] = lambda header: header == f"Bearer {TOKEN}"

    def __enter__(self) -> Self:
        self.applications_read = 0
        self._samples = 0
        self._watches: list[tuple[str, asyncio.Queue[bytes]]] = []
        first = datetime.fromisoformat(self.recording["polls"][0]["now"])
        self._shift = datetime.now(UTC) - first
        self._moments = [self._now(moment) for moment in self.recording["polls"]]
        self._at = 0
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        async with serving(self._answer, self.tls) as self.loopback:
            self._ready.set()
            await self._stop.wait()

    loopback: Loopback = field(init=False)

    @property
    def asked(self) -> list[Asked]:
        """Every request so far."""
        return self.loopback.asked

    def show(self, number: int) -> None:
        """Go on to this moment, and tell the watches."""
        self._loop.call_soon_threadsafe(self._show, number)

    def kubeconfig(self, context: str = "staging", **cluster: Any) -> str:
        """A kubeconfig for this server."""
        entry = {"server": self.loopback.url(), **cluster}
        return yaml.safe_dump(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "clusters": [{"name": "c", "cluster": entry}],
                "users": [{"name": "u", "user": {"token": TOKEN}}],
                "contexts": [{"name": context, "context": {"cluster": "c", "user": "u"}}],
                "current-context": context,
            }
        )

    def write_kubeconfig(self, path: Path, context: str = "staging", **cluster: Any) -> Path:
        """The same as a file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.kubeconfig(context, **cluster))
        return path

    def _now(self, moment: Json) -> Json:
        """A moment with its times moved to today and its texts replaced."""
        text = json.dumps(moment)
        for old, new in self.replace.items():
            text = text.replace(old, new)
        moved: Json = json.loads(_TIME.sub(lambda found: self._moved(found[0]), text))
        return moved

    def _moved(self, text: str) -> str:
        at: datetime = datetime.fromisoformat(text) + self._shift
        return (at - timedelta(microseconds=at.microsecond)).isoformat().replace("+00:00", "Z")

    def _show(self, number: int) -> None:
        self._at = number
        for kind, queue in self._watches:
            for one in self._objects(kind):
                queue.put_nowait(json.dumps({"type": "MODIFIED", "object": one}).encode() + b"\n")

    def _objects(self, kind: str) -> list[Json]:
        moment = self._moments[self._at]
        if kind == "Application":
            several = moment.get("applications")
            return several if several is not None else [one for one in [moment.get("application")] if one is not None]
        return [one for one in moment["objects"] if one["kind"] == kind]

    def _answer(self, asked: Asked) -> Reply:
        if not self.takes(asked.headers.get("authorization", "")):
            return refusal(401)
        proxied = _PROXY.fullmatch(asked.target)
        kind = "proxy" if proxied is not None else self._kind(asked)
        for trouble in self.troubles:
            if trouble.meets(kind):
                return trouble.reply
        if proxied is not None:
            return self._proxied()
        found = _OBJECT.fullmatch(asked.path)
        if found is None or kind == "":
            return MISSING_CRD
        return self._read(kind, found["place"], found["name"], asked.query)

    def _kind(self, asked: Asked) -> str:
        found = _OBJECT.fullmatch(asked.path)
        return "" if found is None else _KIND_OF.get(found["plural"], "")

    def _read(self, kind: str, place: str, name: str | None, query: Mapping[str, str]) -> Reply:
        if kind == "Application" and "watch" not in query and query.get("limit") != "1":
            self.applications_read += 1
            if self.applications_read in self.after:
                self._show(self.after[self.applications_read])
        chosen = [one for one in self._objects(kind) if one["metadata"].get("namespace") == place]
        if name is not None:
            one = next((one for one in chosen if one["metadata"]["name"] == name), None)
            message = f'{KINDS[kind].plural} "{name}" not found'
            missing = status(404, "NotFound", message, name=name, kind=KINDS[kind].plural)
            return missing if one is None else Reply(body=one)
        chosen = [one for one in chosen if _selected(one, query)]
        if "watch" in query:
            return Reply(stream=self._watched(kind), headers={"content-type": "application/json"})
        return page(kind, chosen)

    async def _watched(self, kind: str) -> AsyncIterator[bytes]:
        queue: asyncio.Queue[bytes] = asyncio.Queue()
        self._watches.append((kind, queue))
        while True:
            yield await queue.get()

    def _proxied(self) -> Reply:
        samples = self._moments[self._at].get("responses", [])
        if not samples:
            return status(503, "ServiceUnavailable", "no endpoints available for service")
        sample = samples[self._samples % len(samples)]
        self._samples += 1
        if sample.get("error") is not None:
            return Reply(cut=True)
        return Reply(sample["status"], sample.get("body") or "", dict(sample.get("headers") or {}))


def _selected(one: Json, query: Mapping[str, str]) -> bool:
    """Whether the selectors of a list or watch choose this object."""
    labels = one["metadata"].get("labels", {})
    wanted = [term.split("=", 1) for term in query.get("labelSelector", "").split(",") if term != ""]
    fields = dict(term.split("=", 1) for term in query.get("fieldSelector", "").split(",") if term != "")
    checks: Iterable[Callable[[], bool]] = (
        lambda: all(labels.get(key) == value for key, value in wanted),
        lambda: fields.get("metadata.name", one["metadata"]["name"]) == one["metadata"]["name"],
        lambda: fields.get("type", one.get("type")) == one.get("type"),
    )
    return all(check() for check in checks)
