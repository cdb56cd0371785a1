"""A cluster that changes by a script, read by the gate's own observer; it counts who asked for what, and when."""
# ruff: noqa: ARG002  # the signatures are those of the readers

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from pydantic import SecretStr

from gate.adapters.failures import Cause, ReadFailed
from gate.adapters.kubernetes.kinds import ServiceTarget
from gate.config.load import parse_configuration
from gate.config.model import Environment, Request
from gate.facts.bundle import Asked
from gate.facts.moment import GitRecord, Raw, RawCommit, RawResponse
from gate.history import History
from gate.judge import Judge
from gate.observe import Observer
from gate.poll import Poll
from gate.verdict import Verdict
from tests.support import bundles
from tests.support.warp import clock

Script = Callable[[float], bundles.Json]
"""Seconds since the start to a moment as it stands in the cluster then."""


@dataclass
class World:
    """Reads of a scripted cluster. ``hangs`` names kinds that never answer, ``fails`` those that answer badly."""

    script: Script
    hangs: set[str] = field(default_factory=set)
    fails: dict[str, int] = field(default_factory=dict)
    reads: list[tuple[float, str]] = field(default_factory=list)

    async def _asked(self, kind: str) -> bundles.Json:
        seconds = asyncio.get_running_loop().time()
        self.reads.append((seconds, kind))
        if kind in self.hangs:
            await asyncio.Event().wait()
        if kind in self.fails:
            raise ReadFailed(kind, "refused", self.fails[kind], cause=Cause.REFUSED)
        await asyncio.sleep(0.001)
        return self.script(seconds)

    async def get(self, kind: str, namespace: str, name: str) -> Raw | None:
        """One Application; no other kind is got by name here."""
        found = await self._asked(kind)
        raw: Raw | None = found["application"] if kind == "Application" else None
        return raw

    async def list_objects(
        self, kind: str, namespace: str, label_selector: str = "", field_selector: str = ""
    ) -> tuple[Raw, ...]:
        """The objects of a kind."""
        return tuple(one for one in (await self._asked(kind))["objects"] if one["kind"] == kind)

    async def send_by_proxy(
        self,
        request: str,
        target: ServiceTarget,
        *,
        method: str = "GET",
        path: str = "/",
        headers: Mapping[str, SecretStr] | None = None,
        timeout: float = 5.0,  # noqa: ASYNC109  # as the reader has it
    ) -> RawResponse:
        """One answer, of this very moment."""
        raw = (await self._asked("request"))["responses"][0]
        return RawResponse.model_validate({**raw, "at": clock()()})

    async def read_commit(self, commit: str) -> RawCommit | None:
        """A commit of the built history."""
        await self._asked("commit")
        raw = bundles.git()["commits"].get(commit)
        return None if raw is None else RawCommit.model_validate(raw)

    async def read_relation(self, base: str, head: str) -> GitRecord:
        """Everything the built history knows."""
        await self._asked("relation")
        return GitRecord.model_validate(bundles.git())

    def count(self, first: float = 0, last: float = float("inf")) -> Counter[str]:
        """How often each kind was asked for between two seconds."""
        return Counter(kind for seconds, kind in self.reads if first <= seconds <= last)

    def times(self, kind: str) -> list[float]:
        """When a kind was asked for, to the millisecond."""
        return [round(seconds, 3) for seconds, asked in self.reads if asked == kind]


async def _nobody(request: Request) -> RawResponse:
    raise AssertionError(f"request {request.name} was sent by another route")


def settings() -> Environment:
    """The built configuration's environment."""
    return parse_configuration(bundles.config(), "config").environments["staging"]


def poll(world: World, *, deadline: float | None = 900, changed: asyncio.Event | None = None, **more: Any) -> Poll:
    """A poll of that world, to be made in the running loop; ``more`` are fields of ``Poll``."""
    now = clock()
    end = None if deadline is None else now() + timedelta(seconds=deadline)
    observer = Observer(settings(), world, world, _nobody, now=now)
    judge = Judge(Asked(bundles.NEW, "staging", observer.settings, deadline_at=end))
    told: list[Verdict] = []
    values: dict[str, Any] = {"tell": told.append} | more
    history = History(world, clock=lambda: asyncio.get_running_loop().time())
    return Poll(observer, judge, history, asyncio.Event() if changed is None else changed, **values)
