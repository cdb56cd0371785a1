"""The poll: observe, judge, and look again until the verdict is final.

Waiting for the world is tenacity's loop here; repeating a read that failed is the adapters'.
A watch may end a wait early; one that hangs, breaks or is forbidden costs time and nothing else.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tenacity import AsyncRetrying, RetryCallState, retry_if_result

from gate.decide import Decision
from gate.facts.moment import Moment, UnreadableRead
from gate.history import History
from gate.judge import Judge, Wants
from gate.observe import Observer
from gate.observed import DENIED
from gate.outcomes import Layer, Outcome
from gate.reasons import Reason
from gate.verdict import Verdict

_REFRESHABLE = (Reason.COMPARISON_STALE, Reason.WRONG_SYNC_REVISION, Reason.COMPARISON_ERROR)
_REFRESH_AFTER = timedelta(seconds=5)
_INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True)
class Pace:
    """How long to wait between two looks; all times in seconds.

    ``bundle``: behind layers 1 and 2, while no watch reports anything. ``gap`` is the least time
    between two looks, whatever the watches say. ``last``: how long the last look may take once
    time is up, whatever hangs. ``calm``: for at least so long before the settle time ends no watch
    wakes, so that no earlier look delays the one that counts.
    """

    application: float = 5.0
    bundle: float = 30.0
    soon: float = 0.25
    gap: float = 0.2
    last: float = 10.0
    calm: float = 1.0


@dataclass
class Poll:
    """One wait for a verdict.

    ``changed`` is set by watches. ``tell`` hears every verdict, changed or not, ``record`` every moment
    as it was judged, before. ``refresh`` asks Argo CD to compare again, where the configuration allows it
    (None: it does not): once a run.
    """

    observer: Observer
    judge: Judge
    history: History
    changed: asyncio.Event
    tell: Callable[[Verdict], None]
    pace: Pace = field(default_factory=Pace)
    refresh: Callable[[], Awaitable[None]] | None = None
    record: Callable[[Moment, Decision], None] | None = None
    bundles: int = 0
    refreshed: bool = False
    _wants: Wants = Wants.NOTHING
    _settled_at: datetime | None = None
    _took: float = 0.0
    _denied: bool = False
    _latest: datetime | None = None

    async def run(self) -> Verdict:
        """The final verdict. Raises nothing for what the world says; cancellation passes through."""
        loop = AsyncRetrying(retry=retry_if_result(_open), wait=self._wait, sleep=self._sleep)
        verdict: Verdict = await loop(self._look)
        return verdict

    async def _look(self) -> Verdict:
        self.changed.clear()
        began = self.observer.now()
        early = self._settled_at is not None and began < self._settled_at
        try:
            async with asyncio.timeout(self._patience()):
                moment = await self._read()
        except TimeoutError:
            hung = UnreadableRead(what="Application", error="no answer before time was up")
            moment = Moment(now=self.observer.now(), unreadable=(hung,), deadline=True)
        self._denied = any(read.status in DENIED for read in moment.unreadable)
        moment = self._forward(moment)
        self._took = (moment.now - began) / timedelta(seconds=1)
        judged = self._before_settled(moment) if early else moment
        verdict = self.judge.consider(judged)
        if self.record is not None and self.judge.decision is not None:
            self.record(judged, self.judge.decision)
        self.tell(verdict)
        if self.refresh is not None and not self.refreshed and _stale(verdict):
            self.refreshed = True
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._patience()):
                    await self.refresh()
        return verdict

    async def _read(self) -> Moment:
        """One moment, with as much in it as the judge wants."""
        moment = await self.observer.read_applications()
        moment = await self.history.learn(self.judge, moment)
        self._wants = self.judge.wants(moment)
        if self._wants is Wants.BUNDLE:
            self.bundles += 1
            return await self.observer.read_bundle(moment, self.judge.wants_requests)
        if self._wants is Wants.PROJECTS:
            return await self.observer.read_projects(moment)
        return moment

    def _forward(self, moment: Moment) -> Moment:
        """The moment, no earlier than the one before: a clock that was set back must not end the run."""
        self._latest = moment.now if self._latest is None else max(self._latest, moment.now)
        return moment if moment.now == self._latest else moment.model_copy(update={"now": self._latest})

    def _before_settled(self, moment: Moment) -> Moment:
        """A bundle begun before the settle time was over is not the second one, however long it took."""
        if self._settled_at is None or moment.now < self._settled_at:
            return moment
        return moment.model_copy(update={"now": self._settled_at - _INSTANT})

    def _patience(self) -> float | None:
        """Seconds that a look may take: until time is up, and a little more for the last one."""
        left = self._left()
        return None if left is None else max(left, 0.0) + self.pace.last

    def _left(self) -> float | None:
        deadline = self.judge.asked.deadline_at
        return None if deadline is None else (deadline - self.observer.now()) / timedelta(seconds=1)

    def _wait(self, state: RetryCallState) -> float:
        """Seconds until the next look if nothing changes."""
        outcome = state.outcome
        if outcome is None:
            return self.pace.soon
        verdict: Verdict = outcome.result()
        self._settled_at = None
        if verdict.reason is Reason.SETTLING:
            now = self.observer.now()
            wait = self.judge.settles_in(now)
            self._settled_at = now + timedelta(seconds=wait)
        elif _soon(verdict):
            wait = self.pace.soon
        else:
            # No watch tells when access is granted, and three refusals end the run.
            quiet = self._wants is Wants.BUNDLE and not self._denied
            wait = self.pace.bundle if quiet else self.pace.application
        left = self._left()
        return max(wait if left is None else min(wait, left), self.pace.gap)

    async def _sleep(self, seconds: float) -> None:
        """Sleep, but end early when a watch says that something changed.

        While settling too: what moved has to settle anew, the sooner it is seen the sooner. The
        look that ends the settle time is made in its own time all the same.
        """
        calm = 0.0 if self._settled_at is None else max(self.pace.calm, 2 * self._took)
        await asyncio.sleep(min(seconds, self.pace.gap))
        left = seconds - self.pace.gap
        if left > calm:
            try:
                await asyncio.wait_for(self.changed.wait(), left - calm)
            except TimeoutError:
                left = calm
            else:
                return
        await asyncio.sleep(max(left, 0.0))


def _open(verdict: Verdict) -> bool:
    return not verdict.final


def _soon(verdict: Verdict) -> bool:
    """Whether what is awaited is only a moment away, and no watch will tell."""
    passing = (Reason.READ_TOO_EARLY, Reason.BUNDLE_MOVED)
    awaited = [one for one in verdict.layers if one.outcome is Outcome.PENDING]
    return len(awaited) > 0 and awaited[0].reason in passing and awaited[0].layer is not Layer.INTENT


def _stale(verdict: Verdict) -> bool:
    """Whether the comparison has been about something older for longer than it should be."""
    sync = next((one for one in verdict.layers if one.layer is Layer.SYNC), None)
    if sync is None or sync.since is None or sync.reason not in _REFRESHABLE:
        return False
    return verdict.at - sync.since >= _REFRESH_AFTER
