"""An HTTP server on loopback that answers as told, or misbehaves as told."""

import asyncio
import functools
import json
import ssl
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any, ParamSpec

from gate.lab.http import Request

P = ParamSpec("P")


def asynchronous(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """A test that is a coroutine, run in an event loop of its own."""

    @functools.wraps(test)
    def run(*args: P.args, **keywords: P.kwargs) -> None:
        asyncio.run(test(*args, **keywords))

    return run


@dataclass(frozen=True)
class Asked(Request):
    """A request as it came; ``connection`` counts connections from 1."""

    connection: int


@dataclass(frozen=True)
class Reply:
    """What to answer, and how to fail at it.

    ``hangs``: nothing more is sent after the body's ``pieces``; ``cut``: the connection ends before
    the promised length; ``raw`` replaces the whole answer; ``stream`` gives pieces as they come.
    """

    status: int = 200
    body: Any = b""
    headers: dict[str, str] = field(default_factory=dict)
    pieces: tuple[bytes, ...] = ()
    hangs: bool = False
    cut: bool = False
    raw: bytes | None = None
    silent: bool = False
    stream: AsyncIterator[bytes] | None = None

    def head(self) -> tuple[dict[str, str], bytes]:
        """Headers and body as they are sent."""
        if isinstance(self.body, bytes):
            return {"content-type": "text/plain", **self.headers}, self.body
        if isinstance(self.body, str):
            return {"content-type": "text/plain; charset=utf-8", **self.headers}, self.body.encode()
        return {"content-type": "application/json", **self.headers}, json.dumps(self.body).encode()


Handler = Callable[[Asked], Reply]


@dataclass
class Loopback:
    """A running server: where it is, and everything it was asked."""

    handler: Handler
    scheme: str
    port: int = 0
    asked: list[Asked] = field(default_factory=list)
    connections: int = 0
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def url(self, host: str = "127.0.0.1") -> str:
        """The server's URL under this name."""
        return f"{self.scheme}://{host}:{self.port}"

    async def until(self, count: int) -> None:
        """Wait for that many requests; the test's own time limit is the only one."""
        while len(self.asked) < count:
            self.arrived.clear()
            await self.arrived.wait()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, request after request."""
        self.connections += 1
        number = self.connections
        task = asyncio.current_task()
        assert task is not None
        self.tasks.add(task)
        try:
            while (asked := await _request(reader, number)) is not None:
                self.asked.append(asked)
                self.arrived.set()
                if not await _answer(writer, asked, self.handler(asked)):
                    break
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            self.tasks.discard(task)


async def _request(reader: asyncio.StreamReader, connection: int) -> Asked | None:
    line = await reader.readline()
    if not line:
        return None
    method, target, _ = line.decode("latin-1").split(" ", 2)
    headers: dict[str, str] = {}
    while (line := await reader.readline()) not in (b"\r\n", b""):
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.strip().lower()] = value.strip()
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(method, target, headers, body, connection)


async def _answer(writer: asyncio.StreamWriter, asked: Asked, reply: Reply) -> bool:
    """Send the reply; whether the connection goes on."""
    if reply.silent:
        await asyncio.Event().wait()
    if reply.raw is not None:
        writer.write(reply.raw)
        await writer.drain()
        return False
    headers, body = reply.head()
    streamed = bool(reply.pieces) or reply.hangs or reply.stream is not None
    if streamed:
        headers["transfer-encoding"] = "chunked"
    else:
        headers["content-length"] = str(len(body) + (100 if reply.cut else 0))
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(f"HTTP/1.1 {reply.status} Word\r\n{head}\r\n".encode("latin-1"))
    if asked.method != "HEAD" and not streamed:
        writer.write(body)
    for piece in reply.pieces:
        writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        await writer.drain()
    if reply.stream is not None:
        await writer.drain()
        async for piece in reply.stream:
            writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            await writer.drain()
    if reply.hangs:
        await asyncio.Event().wait()
    if streamed:
        writer.write(b"0\r\n\r\n")
    await writer.drain()
    return not reply.cut and "close" not in asked.headers.get("connection", "")


@asynccontextmanager
async def serving(handler: Handler, tls: ssl.SSLContext | None = None) -> AsyncIterator[Loopback]:
    """A server on a free port of 127.0.0.1 for the time of the block."""
    loopback = Loopback(handler, "http" if tls is None else "https")
    server = await asyncio.start_server(loopback.serve, "127.0.0.1", 0, ssl=tls)
    loopback.port = server.sockets[0].getsockname()[1]
    try:
        yield loopback
    finally:
        server.close()
        for task in tuple(loopback.tasks):
            task.cancel()
        await asyncio.gather(*loopback.tasks, return_exceptions=True)


@contextmanager
def in_thread(handler: Handler) -> Iterator[Loopback]:
    """A server on a loop in a thread of its own, for tests that start processes."""
    ready: Future[tuple[Loopback, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def serve() -> None:
        async with serving(handler) as loopback:
            stop = asyncio.Event()
            ready.set_result((loopback, asyncio.get_running_loop(), stop))
            await stop.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    loopback, loop, stop = ready.result(10)
    try:
        yield loopback
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
