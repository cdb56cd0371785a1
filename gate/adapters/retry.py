"""Repeating a read that failed: briefly, inside a deadline, and never sooner than a server asked.

Every adapter uses this one rule. An attempt raises ``ReadFailed``; it is made again where that is
``transient`` (connection errors, timeouts, 5xx, rate limits), and whatever else comes out of it ends
the reading at once. Waiting until the world is as it should be is another loop, elsewhere.
"""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import NoReturn, TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception

from gate.adapters.failures import Cause, ReadFailed, one_line

T = TypeVar("T")

_NEVER_BETTER = frozenset({501, 505})
_SHOWN_HEADERS = ("retry-after", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")
_RESET_MARGIN = 1.0  # a reset is told in whole seconds


@dataclass(frozen=True)
class Patience:
    """How often to try and how long to wait between; all times in seconds.

    Waits start at ``first_wait`` and double up to ``longest_wait``; a wait that the server asked for
    is kept to the letter. A server that limits without saying for how long is left alone for
    ``unsaid_wait`` first, then twice that; None treats it like any other failure. ``clock`` counts
    monotonic seconds, ``now`` seconds since the epoch.
    """

    attempts: int = 4
    first_wait: float = 0.25
    longest_wait: float = 4.0
    unsaid_wait: float | None = None
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    def deadline(self, seconds: float) -> float:
        """The reading of ``clock`` in so many seconds from now."""
        return self.clock() + seconds

    def wait_after(self, failure: ReadFailed, attempt: int) -> float:
        """Seconds until the next attempt; ``attempt`` counts those made, from 1."""
        doubled: int = 2 ** (attempt - 1)
        if failure.retry_after is not None:
            return failure.retry_after
        if failure.cause is Cause.THROTTLED and self.unsaid_wait is not None:
            return self.unsaid_wait * doubled
        return min(self.first_wait * doubled, self.longest_wait)


async def read_with_retry(
    attempt: Callable[[], Awaitable[T]],
    *,
    what: str,
    patience: Patience,
    deadline: float | None = None,
) -> T:
    """The first answer of ``attempt``, made again after each transient ``ReadFailed``.

    ``what`` names the read in errors. ``deadline`` is a reading of ``patience.clock``; no attempt
    begins or goes on after it, and no wait that would end after it is begun. Raises ReadFailed with
    the number of attempts and what the server asked for, and anything else unchanged.
    """

    def wait(state: RetryCallState) -> float:
        return patience.wait_after(_failure(state), state.attempt_number)

    def stop(state: RetryCallState) -> bool:
        if state.attempt_number >= patience.attempts:
            return True
        return deadline is not None and patience.clock() + state.upcoming_sleep >= deadline

    def give_up(state: RetryCallState) -> NoReturn:
        left = None if deadline is None else deadline - patience.clock()
        failure = _failure(state)
        raise _gave_up(failure, state.attempt_number, state.upcoming_sleep, left) from failure

    retrying = AsyncRetrying(
        sleep=patience.sleep,
        wait=wait,
        stop=stop,
        retry=retry_if_exception(lambda error: isinstance(error, ReadFailed) and error.transient),
        retry_error_callback=give_up,
    )
    return await retrying(_attempt_within, attempt, what, patience, deadline)


async def _attempt_within(
    attempt: Callable[[], Awaitable[T]], what: str, patience: Patience, deadline: float | None
) -> T:
    """One attempt that ends with the deadline."""
    if deadline is None:
        return await attempt()
    left = deadline - patience.clock()
    if left <= 0:
        raise ReadFailed(what, "there was no time left to ask", cause=Cause.TIMEOUT)
    limit = asyncio.timeout(left)
    try:
        async with limit:
            return await attempt()
    except TimeoutError as error:
        ours = "no answer before the deadline" if limit.expired() else "timed out"
        raise ReadFailed(what, ours, cause=Cause.TIMEOUT) from error


def _failure(state: RetryCallState) -> ReadFailed:
    failure = None if state.outcome is None else state.outcome.exception()
    if not isinstance(failure, ReadFailed):
        raise TypeError(f"only failed reads are repeated, not {type(failure).__name__}")
    return failure


def _gave_up(last: ReadFailed, attempts: int, wait: float, left: float | None) -> ReadFailed:
    """The last failure, with how often it was tried and why it is not tried again."""
    error = last.error if attempts == 1 else f"{last.error}; tried {attempts} times"
    if left is not None and wait >= left:
        error += f"; the next try is due in {math.ceil(wait)} s, time is up in {max(math.floor(left), 0)} s"
    return ReadFailed(last.what, error, last.status, cause=last.cause, retry_after=last.retry_after)


def transient_answer(
    what: str, status: int, headers: Mapping[str, str], *, now: float, says: str = ""
) -> ReadFailed | None:
    """The failure that this HTTP answer is, where it is worth another try; else None.

    ``headers`` have lower-case names; ``now`` is in seconds since the epoch, for times given as
    such; ``says`` is the server's own message. A 403 counts only where it speaks of a limit. The
    headers that say how long to wait stand in the error.
    """
    exhausted = headers.get("x-ratelimit-remaining") == "0"
    limited = status == 429 or (
        status == 403 and (exhausted or "retry-after" in headers or "rate limit" in says.lower())
    )
    if limited:
        told = _told(headers, *_SHOWN_HEADERS)
        wait = _wait_asked(headers, now, exhausted=exhausted)
        error = f"HTTP {status}, too many requests{told}"
        return ReadFailed(what, error, status, cause=Cause.THROTTLED, retry_after=wait)
    if status == 408 or (status >= 500 and status not in _NEVER_BETTER):
        wait = _wait_asked(headers, now, exhausted=False)
        error = f"HTTP {status}{_told(headers, 'retry-after')}"
        return ReadFailed(what, error, status, cause=Cause.SERVER_ERROR, retry_after=wait)
    return None


def _told(headers: Mapping[str, str], *names: str) -> str:
    shown = ", ".join(f"{name}: {one_line(headers[name], 40)}" for name in names if name in headers)
    return f" ({shown})" if shown else ""


def _wait_asked(headers: Mapping[str, str], now: float, *, exhausted: bool) -> float | None:
    """Seconds by Retry-After (a number or a date), else by the reset of an exhausted budget."""
    said = headers.get("retry-after", "").strip()
    if said.isascii() and said.isdecimal():
        return float(said[:9])
    if said:
        try:
            return max(parsedate_to_datetime(said).timestamp() - now, 0.0)
        except (ValueError, OverflowError):
            pass  # a date that is none: as if it had not been sent
    reset = headers.get("x-ratelimit-reset", "").strip()
    if exhausted and reset.isascii() and reset.isdecimal():
        return max(float(reset[:12]) - now, 0.0) + _RESET_MARGIN
    return None
