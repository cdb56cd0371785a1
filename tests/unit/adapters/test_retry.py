"""Repeating failed reads, by a clock that only the tests move."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest

from gate.adapters.failures import Cause, ReadFailed
from gate.adapters.retry import Patience, read_with_retry, transient_answer
from tests.support.clock import EPOCH, Clock

PATIENCE = Patience(attempts=4, first_wait=1.0, longest_wait=3.0)


def failing(*failures: Exception) -> Callable[[], Awaitable[str]]:
    """An attempt that fails so, in this order, and then succeeds."""
    left = list(failures)

    async def attempt() -> str:
        if left:
            raise left.pop(0)
        return "answer"

    return attempt


def read(
    clock: Clock, attempt: Callable[[], Awaitable[str]], *, within: float | None = None, patience: Patience = PATIENCE
) -> str:
    patience = clock.patience(patience)
    deadline = None if within is None else patience.deadline(within)
    return asyncio.run(read_with_retry(attempt, what="commit", patience=patience, deadline=deadline))


def down(status: int = 503, **details: float) -> ReadFailed:
    return ReadFailed("commit", f"HTTP {status}", status, cause=Cause.SERVER_ERROR, **details)


def limited(**details: float) -> ReadFailed:
    return ReadFailed("commit", "HTTP 429", 429, cause=Cause.THROTTLED, **details)


def test_a_first_success_waits_for_nothing() -> None:
    clock = Clock()
    assert read(clock, failing()) == "answer"
    assert clock.slept == []


def test_waits_double_up_to_the_longest() -> None:
    clock = Clock()
    assert read(clock, failing(down(), down(), down())) == "answer"
    assert clock.slept == [1, 2, 3]


@pytest.mark.parametrize("cause", list(Cause))
def test_only_what_may_pass_is_repeated(cause: Cause) -> None:
    clock = Clock()
    failure = ReadFailed("commit", "broken", cause=cause)
    if failure.transient:
        assert read(clock, failing(failure)) == "answer"
        return
    with pytest.raises(ReadFailed) as raised:
        read(clock, failing(failure))
    assert raised.value is failure
    assert clock.slept == []


@pytest.mark.parametrize("error", [ValueError("ours"), KeyError("x"), RuntimeError("y")])
def test_faults_of_ours_come_out_unchanged(error: Exception) -> None:
    with pytest.raises(type(error)) as raised:
        read(Clock(), failing(error))
    assert raised.value is error


def test_cancellation_comes_out_at_once() -> None:
    clock = Clock()
    with pytest.raises(asyncio.CancelledError):
        read(clock, failing(asyncio.CancelledError()))  # type: ignore[arg-type]  # a BaseException
    assert clock.slept == []


def test_giving_up_keeps_the_last_failure_and_tells_the_number_of_tries() -> None:
    clock = Clock()
    last = down(500)
    with pytest.raises(ReadFailed) as raised:
        read(clock, failing(down(), limited(retry_after=2), down(), last))
    failure = raised.value
    assert (failure.what, failure.error, failure.status) == ("commit", "HTTP 500; tried 4 times", 500)
    assert failure.cause is Cause.SERVER_ERROR
    assert failure.__cause__ is last
    assert clock.slept == [1, 2, 3]


def test_a_wait_that_was_asked_for_is_neither_shortened_nor_prolonged() -> None:
    clock = Clock()
    assert read(clock, failing(limited(retry_after=40.5), limited(retry_after=0))) == "answer"
    assert clock.slept == [40.5, 0]


def test_a_limit_of_unsaid_length_is_left_alone_longer_each_time() -> None:
    clock = Clock()
    patience = Patience(attempts=4, first_wait=1.0, unsaid_wait=60.0)
    assert read(clock, failing(limited(), limited(), down()), patience=patience) == "answer"
    assert clock.slept == [60, 120, 4]
    assert read(Clock(), failing(limited()), patience=PATIENCE) == "answer"


@pytest.mark.parametrize(("within", "slept"), [(3.5, [1, 2]), (3.0, [1]), (1.0, []), (0.5, [])])
def test_no_wait_ends_after_the_deadline(within: float, slept: list[float]) -> None:
    clock = Clock()
    with pytest.raises(ReadFailed, match="the next try is due in"):
        read(clock, failing(down(), down(), down()), within=within)
    assert clock.slept == slept


def test_a_wait_beyond_the_deadline_is_told_with_both_times() -> None:
    clock = Clock()
    with pytest.raises(ReadFailed) as raised:
        read(clock, failing(limited(retry_after=3600)), within=20.5)
    assert raised.value.error == "HTTP 429; the next try is due in 3600 s, time is up in 20 s"
    assert raised.value.retry_after == 3600
    assert clock.slept == []


@pytest.mark.parametrize("within", [0.0, -5.0])
def test_nothing_is_asked_when_time_is_up(within: float) -> None:
    asked: list[bool] = []

    async def attempt() -> str:
        asked.append(True)
        return "answer"

    with pytest.raises(ReadFailed, match="no time left to ask"):
        read(Clock(), attempt, within=within)
    assert asked == []


def test_an_attempt_ends_with_the_deadline() -> None:
    async def never() -> str:
        await asyncio.Event().wait()
        return "answer"

    with pytest.raises(ReadFailed, match="no answer before the deadline") as raised:
        read(Clock(), never, within=0.05)
    assert raised.value.cause is Cause.TIMEOUT


def test_an_attempt_that_times_out_by_itself_is_repeated() -> None:
    clock = Clock()
    assert read(clock, failing(TimeoutError()), within=100) == "answer"
    assert clock.slept == [1]


# --- what an HTTP answer is worth


def failure_of(status: int, says: str = "", **headers: str) -> ReadFailed | None:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return transient_answer("commit", status, named, now=EPOCH, says=says)


@pytest.mark.parametrize("status", [200, 201, 204, 301, 304, 400, 401, 403, 404, 409, 410, 422, 501, 505])
def test_answers_that_repeating_does_not_change(status: int) -> None:
    assert failure_of(status, "Resource not accessible by integration", x_ratelimit_remaining="4999") is None


@pytest.mark.parametrize("status", [408, 500, 502, 503, 504, 599])
def test_answers_that_may_change(status: int) -> None:
    failure = failure_of(status)
    assert failure is not None
    assert (failure.error, failure.status, failure.retry_after) == (f"HTTP {status}", status, None)
    assert failure.transient
    assert failure.cause is not Cause.THROTTLED


@pytest.mark.parametrize("status", [403, 429])
def test_retry_after_comes_before_the_reset(status: int) -> None:
    reset = str(int(EPOCH) + 900)
    failure = failure_of(status, retry_after="30", x_ratelimit_remaining="0", x_ratelimit_reset=reset)
    assert failure is not None
    assert (failure.cause, failure.retry_after) == (Cause.THROTTLED, 30)
    assert failure.error == (
        f"HTTP {status}, too many requests (retry-after: 30, x-ratelimit-remaining: 0, x-ratelimit-reset: {reset})"
    )


def test_an_exhausted_budget_lasts_until_its_reset() -> None:
    assert (found := failure_of(403, x_ratelimit_remaining="0", x_ratelimit_reset=str(int(EPOCH) + 90))) is not None
    assert found.retry_after == 91
    assert (past := failure_of(403, x_ratelimit_remaining="0", x_ratelimit_reset=str(int(EPOCH) - 90))) is not None
    assert past.retry_after == 1


def test_a_reset_says_nothing_while_budget_is_left() -> None:
    found = failure_of(429, x_ratelimit_remaining="10", x_ratelimit_reset=str(int(EPOCH) + 90))
    assert found is not None
    assert found.retry_after is None


def test_a_403_is_a_limit_only_by_what_it_says() -> None:
    assert failure_of(403, "You have exceeded a secondary rate limit.") is not None
    assert failure_of(403, "Must have admin rights to Repository.") is None
    assert failure_of(403) is None


def test_a_date_is_a_wait_too() -> None:
    later = datetime.fromtimestamp(EPOCH + 45, UTC)
    found = failure_of(503, retry_after=format_datetime(later, usegmt=True))
    assert found is not None
    assert found.retry_after == 45
    earlier = failure_of(503, retry_after="Wed, 21 Oct 2015 07:28:00 GMT")
    assert earlier is not None
    assert earlier.retry_after == 0


@pytest.mark.parametrize("said", ["", "soon", "-5", "1.5", "\u0663", "Wed, 99 Xxx", "\x00"])
def test_a_wait_that_cannot_be_read_was_not_asked_for(said: str) -> None:
    found = failure_of(429, retry_after=said)
    assert found is not None
    assert found.retry_after is None


def test_headers_are_shown_short_and_on_one_line() -> None:
    found = failure_of(429, retry_after="7\n::error::" + "x" * 500)
    assert found is not None
    assert "\n" not in found.error
    assert len(found.error) < 100
