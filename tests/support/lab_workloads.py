"""The laboratory's controllers on a clock that tests move: seconds of the model pass in no time."""

import heapq
import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from gate.lab.cluster.apply import apply
from gate.lab.cluster.controllers.controller import Context
from gate.lab.cluster.controllers.running import start_controllers
from gate.lab.cluster.store import Change, Object, Store
from gate.lab.manifests import web_release

NAMESPACE = "shop"
_BEGINNING = datetime(2026, 12, 1, 12, tzinfo=UTC)


class HandTimers:
    """Timers that are due when a test says that so much time has passed."""

    def __init__(self) -> None:
        self._now = 0.0
        self._waiting: list[tuple[float, int, Callable[[], None]]] = []
        self._called_off: set[int] = set()
        self._numbers = itertools.count()

    def now(self) -> float:
        return self._now

    def clock(self) -> datetime:
        return _BEGINNING + timedelta(seconds=self._now)

    def call_later(self, seconds: float, action: Callable[[], None]) -> Callable[[], None]:
        number = next(self._numbers)
        heapq.heappush(self._waiting, (self._now + seconds, number, action))
        return lambda: self._called_off.add(number)

    @property
    def waiting(self) -> int:
        """How many actions are still to come."""
        return sum(number not in self._called_off for _, number, _ in self._waiting)

    def pass_by(self, seconds: float) -> None:
        """Let time pass, and do in order what becomes due in it."""
        end = self._now + seconds
        while self._waiting and self._waiting[0][0] <= end:
            self._now, number, action = heapq.heappop(self._waiting)
            if number not in self._called_off:
                action()
        self._now = end


class World:
    """A namespace with all controllers at work; ``log`` is every write since the last ``forget``."""

    def __init__(self) -> None:
        self.timers = HandTimers()
        self.store = Store(self.timers.clock)
        self.log: list[Change] = []
        self.end = start_controllers(Context(self.store, self.timers, self.timers.clock))
        self.store.listen(self.log.append)
        self.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}, 0)

    def apply(self, body: Object, seconds: float = 4) -> Object:
        """Apply an object, and let some time pass."""
        if body["kind"] != "Namespace":
            body = body | {"metadata": {**body["metadata"], "namespace": NAMESPACE}}
        made = apply(self.store, body).body
        self.timers.pass_by(seconds)
        return made

    def release(self, version: str, *, seconds: float = 4, **web: object) -> None:
        """Apply a web release, and let some time pass; keywords as ``web_release`` has them."""
        for body in web_release("orders", version, **web):  # type: ignore[arg-type]
            self.apply(body, 0)
        self.timers.pass_by(seconds)

    def forget(self) -> None:
        """Begin a new log."""
        self.log.clear()

    def get(self, kind: str, name: str = "orders") -> Object:
        return self.store.get(kind, NAMESPACE, name)

    def all(self, kind: str) -> list[Object]:
        return self.store.objects(kind, NAMESPACE)

    def states(self, kind: str) -> list[Object]:
        """The bodies of a kind in the order in which they were written."""
        return [change.body for change in self.log if change.kind == kind]
