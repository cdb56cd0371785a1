"""Faults on purpose: which request goes wrong, how, and how often."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from fnmatch import fnmatchcase
from http import HTTPStatus
from time import time
from typing import Any, Literal, get_args

from gate.lab.github.exchange import ApiError, Reply

Kind = Literal["error", "primary-limit", "secondary-limit", "slow", "hang", "close"]


@dataclass(frozen=True)
class Fault:
    """One arranged fault.

    `method` and `path` are shell patterns; `path` is tried on the request's
    path and on its template. The first `skip` matches pass unharmed, the next
    `times` go wrong (None: all of them). With `after` the request is carried
    out first and only its answer is lost or replaced.
    """

    kind: Kind = "error"
    method: str = "*"
    path: str = "*"
    times: int | None = 1
    skip: int = 0
    after: bool = False
    status: int = HTTPStatus.BAD_GATEWAY
    seconds: float | None = None
    retry_after: int | None = None

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ValueError(f"unknown kind of fault: {self.kind!r}")

    @classmethod
    def from_json(cls, value: Any) -> Fault:
        """A fault from a JSON object with these field names."""
        if not isinstance(value, dict):
            raise ValueError("a fault is a JSON object")
        unknown = set(value) - {field.name for field in fields(cls)}
        if unknown:
            raise ValueError(f"unknown fields of a fault: {', '.join(sorted(unknown))}")
        return cls(**value)

    def matches(self, method: str, *paths: str | None) -> bool:
        """Whether a request is meant."""
        return fnmatchcase(method, self.method) and any(
            path is not None and fnmatchcase(path, self.path) for path in paths
        )

    def reply(self) -> Reply | None:
        """The answer sent in place of the right one, None where the right one stands."""
        if self.kind == "error":
            return ApiError(self.status, "Server Error").reply()
        if self.kind == "primary-limit":
            return primary_limit(self.seconds)
        if self.kind == "secondary-limit":
            return secondary_limit(self.status, self.retry_after)
        return None


def primary_limit(seconds: float | None) -> Reply:
    """Rule: 403 or 429, nothing remaining, and the reset as epoch seconds.

    Source: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
    """
    reset = int(time() + (3600 if seconds is None else seconds))
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(reset)}
    message = "API rate limit exceeded for installation."
    return ApiError(HTTPStatus.FORBIDDEN, message, headers=headers).reply()


def secondary_limit(status: int, retry_after: int | None) -> Reply:
    """Rule: 403 or 429, Retry-After present or absent, remaining untouched.

    Source: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
    Absent header observed: advanced-security/gh-code-scanning#10.
    """
    limited = status if status == HTTPStatus.TOO_MANY_REQUESTS else HTTPStatus.FORBIDDEN
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
    return ApiError(limited, message, headers=headers).reply()


class FaultPlan:
    """The faults still to happen; safe to change while requests arrive."""

    def __init__(self, faults: Iterable[Fault] = ()) -> None:
        self._lock = threading.Lock()
        self._pending: list[tuple[Fault, int]] = []
        self.add(*faults)

    def add(self, *faults: Fault) -> None:
        """Arrange more faults, behind those already arranged."""
        with self._lock:
            self._pending += [(fault, 0) for fault in faults]

    def clear(self) -> None:
        """Arrange nothing any more."""
        with self._lock:
            self._pending.clear()

    def take(self, method: str, *paths: str | None) -> Fault | None:
        """The fault this request meets; every match is counted once."""
        with self._lock:
            for index, (fault, seen) in enumerate(self._pending):
                if not fault.matches(method, *paths):
                    continue
                if fault.times is not None and seen >= fault.skip + fault.times:
                    continue
                self._pending[index] = (fault, seen + 1)
                if seen >= fault.skip:
                    return fault
        return None

    def as_json(self) -> list[dict[str, Any]]:
        """Every arranged fault with the number of requests it has matched."""
        with self._lock:
            return [asdict(fault) | {"matched": seen} for fault, seen in self._pending]
