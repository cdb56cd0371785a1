"""Blocking calls, one at a time, on threads that nobody has to wait for.

``asyncio.to_thread`` would do, but its threads are joined when the process ends: a request that
hangs would hold back an exit that a cancelled run has seconds for.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


class Worker:
    """Runs blocking calls one after the other, as GitHub asks its clients to."""

    def __init__(self) -> None:
        self._turn = threading.Lock()

    async def run(self, call: Callable[[], T]) -> T:
        """The result of ``call``, or what it raised. When cancelled, a call not yet begun never is."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def settle(result: T | None, error: BaseException | None) -> None:
            if future.done():
                return
            if error is not None:
                future.set_exception(error)
            else:
                future.set_result(result)  # type: ignore[arg-type]  # what call returned

        def work() -> None:
            result, failure = None, None
            with self._turn:
                if future.cancelled():
                    return
                try:
                    result = call()
                except Exception as error:  # noqa: BLE001 - handed on to whoever waits
                    failure = error
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(settle, result, failure)

        threading.Thread(target=work, name="github", daemon=True).start()
        return await future

    async def idle(self, within: float) -> bool:
        """Wait at most so many seconds for the call that is running; whether none is running now."""

        def wait() -> bool:
            free = self._turn.acquire(timeout=within)
            if free:
                self._turn.release()
            return free

        return await Worker().run(wait)
