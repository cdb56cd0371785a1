"""The laboratory itself: API server, controllers, Argo CD and ingress, on one loop in a thread of its own."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import FIRST_COMPLETED, Future, InvalidStateError, wait
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar

from gate.errors import InternalError, UsageError
from gate.lab.applications import ARGOCD_NAMESPACE
from gate.lab.argocd import Controller
from gate.lab.cluster.apply import apply, merge_patch
from gate.lab.cluster.controllers import run_controllers
from gate.lab.cluster.server import ClusterServer
from gate.lab.cluster.store import Object, Store
from gate.lab.cluster.web import answer_of
from gate.lab.ingress import Ingress
from gate.lab.pace import Pace

Answer = TypeVar("Answer")
_LONG = 30.0


class Ports(NamedTuple):
    """Where the three servers listen; 0 is a free port."""

    api: int
    github: int
    ingress: int


class Laboratory:
    """A running laboratory; a context manager. ``folder`` takes what it writes and is the caller's to remove.

    ``speed`` is how much faster than real the models move. With ``port`` the API server listens
    there, GitHub has the next one and the ingress the one after it. ``repositories`` maps the URL of
    an Application's source to a bare repository; it may be added to. ``kubeconfig`` is that of an
    account that may only read. Raises UsageError for a port that is taken.
    """

    def __init__(self, folder: Path, *, speed: float = 1.0, port: int = 0) -> None:
        self.folder = folder
        self.ports = Ports(port, port + 1, port + 2) if port else Ports(0, 0, 0)
        self.pace = Pace(speed)
        self.store = Store()
        self.repositories: dict[str, Path] = {}
        self.ingress = Ingress(self.store, answer_of, self.ports.ingress)
        try:
            self.server = ClusterServer(self.store, answer_of, port=self.ports.api)
        except UsageError:
            self.ingress.server.close()
            raise
        self.argocd = Controller(self.store, self.pace, self.repositories)
        self.kubeconfig = folder / "kubeconfig"
        self.kubeconfig.write_text(self.server.kubeconfig("laboratory", self.server.accounts.reader))
        self.kubeconfig.chmod(0o600)
        self._failed: Future[BaseException] = Future()
        self._failed.set_running_or_notify_cancel()  # who waits for it cannot cancel it
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, name="laboratory")
        self._thread.daemon = True

    def __enter__(self) -> Self:
        self._thread.start()
        self._started.wait()
        self.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ARGOCD_NAMESPACE}})
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(RuntimeError):  # it ended on its own
            self._loop.call_soon_threadsafe(self._main.cancel)
        self._thread.join()
        if kind is None:
            self.check()

    @property
    def token(self) -> str:
        """The administrator's token."""
        return self.server.accounts.admin.token

    # --- the loop ---------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except asyncio.CancelledError:
            pass
        except BaseException as error:  # noqa: BLE001  # a fault of the laboratory's is told to whoever holds it
            with suppress(InvalidStateError):
                self._failed.set_result(error)
        finally:
            self.server.close()
            self.ingress.server.close()
            self._started.set()

    async def _serve(self) -> None:
        self._loop, main = asyncio.get_running_loop(), asyncio.current_task()
        assert main is not None  # noqa: S101 - a coroutine that runs has a task
        self._main = main
        async with asyncio.TaskGroup() as group:
            group.create_task(run_controllers(self.store, self.pace))
            group.create_task(self.argocd.run())
            group.create_task(self.ingress.server.run())
            group.create_task(self.server.run())
            self._loop.call_soon(self._started.set)

    def check(self) -> None:
        """Raise InternalError where a part of the laboratory has failed."""
        if self._failed.done():
            raise InternalError("A part of the laboratory failed.") from self._failed.result()

    async def failing(self) -> None:
        """Wait, for ever unless a part of the laboratory fails; then raise InternalError."""
        await asyncio.wait((asyncio.wrap_future(self._failed),))
        self.check()

    def call(self, function: Callable[[], Answer]) -> Answer:
        """Run a function on the laboratory's loop, from another thread; what it returns or raises."""

        async def called() -> Answer:
            return function()

        return self.wait(called())

    def wait(self, work: Coroutine[None, None, Answer]) -> Answer:
        """Run a coroutine on the laboratory's loop, from another thread; what it returns or raises."""
        answer = self._begin(work)
        either: tuple[Future[Any], ...] = (answer, self._failed)
        wait(either, _LONG, FIRST_COMPLETED)
        if not answer.done():
            self._drop(work)
            raise InternalError(f"The laboratory has not answered for {_LONG:g} s.")
        return answer.result()

    async def until(self, condition: Callable[[], bool], seconds: float, what: str) -> None:
        """Wait, from another loop, until a condition is so; it is asked on the laboratory's, after every write.

        Raises InternalError after so many seconds.
        """
        work = self._until(condition, seconds, what)
        found = asyncio.wrap_future(self._begin(work))
        try:
            await asyncio.wait((found, asyncio.wrap_future(self._failed)), return_when=asyncio.FIRST_COMPLETED)
            if not found.done():
                self._drop(work)
            await found
        finally:
            found.cancel()

    def _begin(self, work: Coroutine[None, None, Answer]) -> Future[Answer]:
        try:
            self.check()
            return asyncio.run_coroutine_threadsafe(work, self._loop)
        except (RuntimeError, InternalError):  # the loop has ended because a part of it failed
            self._drop(work)
            raise

    def _drop(self, work: Coroutine[None, None, Answer]) -> None:
        """Raise InternalError where the loop has ended; what was to run on it is thrown away."""
        if self._failed.done():
            work.close()
        self.check()

    async def _until(self, condition: Callable[[], bool], seconds: float, what: str) -> None:
        changed = asyncio.Event()
        deaf = self.store.listen(lambda _: changed.set())
        try:
            async with asyncio.timeout(seconds):
                while not condition():
                    changed.clear()
                    await changed.wait()
        except TimeoutError:
            raise InternalError(f"The laboratory waited {seconds:g} s for {what}.") from None
        finally:
            deaf()

    # --- hands, from another thread ---------------------------------------------------------

    def apply(self, body: Object) -> None:
        """Create or change an object."""
        self.call(lambda: apply(self.store, body, manager="hands"))

    def patch(self, kind: str, namespace: str, name: str, change: Object) -> None:
        """Change an object (merge patch)."""
        self.call(lambda: merge_patch(self.store, kind, namespace, name, change))

    def get(self, kind: str, namespace: str, name: str) -> Object:
        """An object as it is; raises NotFound."""
        return self.call(lambda: self.store.get(kind, namespace, name))

    def delete(self, kind: str, namespace: str, name: str) -> None:
        """Delete an object."""
        self.call(lambda: self.store.delete(kind, namespace, name))

    def api_server_away(self, seconds: float) -> None:
        """Let the API server be gone for so many seconds, from now on: real ones, for it is the gate that waits."""
        away = self.server.away(seconds)
        asyncio.run_coroutine_threadsafe(away, self._loop).add_done_callback(self._done)

    def _done(self, work: Future[None]) -> None:
        error = None if work.cancelled() else work.exception()
        if error is not None:
            with suppress(InvalidStateError):
                self._failed.set_result(error)
