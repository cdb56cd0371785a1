"""Trouble on demand: refusals, silence and lost connections, for some requests or until it is taken back."""

import asyncio
import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gate.lab.cluster.accounts import Account
from gate.lab.cluster.asked import Asked
from gate.lab.cluster.refusals import TOO_MANY_REQUESTS, refusal, reply
from gate.lab.cluster.store import Object
from gate.lab.http import Reply

_UNAVAILABLE = "the server is currently unable to handle the request"
_ANSWERS: dict[int, Callable[[Asked, Account], Reply]] = {
    401: lambda _asked, _who: reply(refusal(401, "Unauthorized", "Unauthorized")),
    403: lambda asked, who: reply(who.refused(asked).status),
    429: lambda _asked, _who: TOO_MANY_REQUESTS,
    500: lambda _asked, _who: reply(refusal(500, "InternalError", "Internal error occurred: etcdserver: no leader")),
    503: lambda _asked, _who: reply(refusal(503, "ServiceUnavailable", _UNAVAILABLE)),
}


@dataclass
class Fault:
    """What goes wrong with requests of a kind (``proxy``: through the Service proxy) and verb; ``*`` is any.

    ``status`` of None: there is no answer, the connection stays open if it ``hangs`` and is dropped otherwise.
    The first ``skip`` requests go through unharmed, then ``times`` go wrong (None: all).
    """

    kind: str
    verb: str
    status: int | None
    hangs: bool = False
    skip: int = 0
    times: int | None = None

    def meets(self, kind: str, verb: str) -> bool:
        """Whether this request is to go wrong; counts it."""
        if self.kind not in (kind, "*") or self.verb not in (verb, "*") or self.times == 0:
            return False
        if self.skip > 0:
            self.skip -= 1
            return False
        if self.times is not None:
            self.times -= 1
        return True


@dataclass
class Faults:
    """The trouble there is now. May be changed at any time, from any thread."""

    faults: list[Fault] = field(default_factory=list)
    left_out: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def refuse(
        self, status: int, kind: str = "*", verb: str = "*", *, skip: int = 0, times: int | None = None
    ) -> Fault:
        """Answer with 401, 403, 429, 500 or 503, in the API server's words. Raises ValueError for another."""
        if status not in _ANSWERS:
            raise ValueError(f"the API server does not refuse with {status} on demand")
        return self._add(Fault(kind, verb, status, skip=skip, times=times))

    def hang(self, kind: str = "*", verb: str = "*", *, skip: int = 0, times: int | None = None) -> Fault:
        """Take the request and never answer."""
        return self._add(Fault(kind, verb, None, hangs=True, skip=skip, times=times))

    def drop(self, kind: str = "*", verb: str = "*", *, skip: int = 0, times: int | None = None) -> Fault:
        """Take the request and close the connection."""
        return self._add(Fault(kind, verb, None, skip=skip, times=times))

    def leave_out(self, kind: str, *path: str) -> None:
        """Give objects of a kind out without this field, as one that nothing has written yet (not in a watch)."""
        self.left_out = [*self.left_out, (kind, path)]

    def reduced(self, kind: str, body: Object) -> Object:
        """The object without what is left out."""
        made = copy.deepcopy(body) if self.left_out else body
        for path in (path for one, path in self.left_out if one == kind):
            *parents, last = path
            inner: Any = made
            for name in parents:
                inner = inner.get(name, {}) if isinstance(inner, dict) else {}
            inner.pop(last, None)
        return made

    def clear(self, fault: Fault | None = None) -> None:
        """Take one fault back, or (None) all."""
        self.faults = [one for one in self.faults if fault is not None and one is not fault]

    async def answer(self, asked: Asked, who: Account) -> tuple[bool, Reply | None]:
        """Whether this request goes wrong, and the answer that it then gets; None: none."""
        kind = "proxy" if asked.subresource == "proxy" else asked.kind.name if asked.kind is not None else ""
        found = next((fault for fault in tuple(self.faults) if fault.meets(kind, asked.verb)), None)
        if found is None:
            return False, None
        if found.hangs:
            await asyncio.Event().wait()
        return True, None if found.status is None else _ANSWERS[found.status](asked, who)

    def _add(self, fault: Fault) -> Fault:
        self.faults = [*self.faults, fault]
        return fault
