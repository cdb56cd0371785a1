"""HTTP/1.1 for the laboratory's servers: requests in, replies out, whole or in pieces, on loopback."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import parse_qsl, urlsplit

from gate.lab.loopback import bind

_LONGEST_HEAD = 64 * 1024
_LONGEST_BODY = 16 * 1024 * 1024


@dataclass(frozen=True)
class Request:
    """A request; ``target`` is path and query as they came, header names are in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def path(self) -> str:
        """The path, still percent-encoded."""
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, str]:
        """The query, decoded; of a name that is there twice the last value."""
        return dict(parse_qsl(urlsplit(self.target).query, keep_blank_values=True))


@dataclass(frozen=True)
class Reply:
    """An answer: ``body``, or the pieces of ``stream`` as they come (chunked)."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    stream: AsyncGenerator[bytes, None] | None = None


Handler = Callable[[Request], Awaitable[Reply | None]]
"""Answers a request; None drops the connection without an answer."""


class BadRequest(Exception):
    """What came is not HTTP, or too long."""


class HttpServer:
    """Listens on 127.0.0.1 at once, and serves once it is started; raises UsageError for a port that is taken.

    A connection is kept open for the next request. ``stop`` ends every connection.
    """

    def __init__(self, handler: Handler, port: int = 0) -> None:
        self._handler = handler
        self._socket = bind(port)
        self.port: int = self._socket.getsockname()[1]
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Serve from now on; on the same port again after a stop. Raises UsageError where another has taken it."""
        if self._socket.fileno() == -1:
            self._socket = bind(self.port)
        self._server = await asyncio.start_server(self._connection, sock=self._socket, limit=_LONGEST_HEAD)

    def close(self) -> None:
        """Listen no longer; for one that was never started."""
        self._socket.close()

    async def stop(self) -> None:
        """Listen no longer, and drop every connection."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self._socket.close()
        await self.drop()

    async def drop(self) -> None:
        """Drop every connection that is open."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def run(self) -> None:
        """Serve until cancelled."""
        await self.start()
        try:
            await asyncio.Event().wait()
        finally:
            await self.stop()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine that runs has a task
        self._tasks.add(task)
        try:
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await self._requests(reader, writer)
        finally:
            self._tasks.discard(task)
            writer.transport.abort() if task.cancelling() else writer.close()

    async def _requests(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request after the other, until one side has had enough."""
        going_on = True
        while going_on:
            try:
                request = await _read_request(reader, writer)
            except (BadRequest, ValueError):
                await _send(writer, Reply(400, b"400 Bad Request", {"Content-Type": "text/plain"}), "GET")
                return
            if request is None:
                return
            reply = await self._handler(request)
            if reply is None:
                return
            going_on = request.headers.get("connection", "").lower() != "close"
            if reply.stream is None:
                await _send(writer, reply, request.method)
            else:
                going_on = await _send_stream(reader, writer, reply) and going_on


async def _read_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Request | None:
    """The next request; None where the client has hung up. Raises BadRequest."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    except asyncio.LimitOverrunError as error:
        raise BadRequest(str(error)) from None
    first, *lines = head.rstrip("\r\n").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[1].startswith("/"):
        raise BadRequest(first)
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if headers.get("expect", "").lower() == "100-continue":
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    return Request(words[0], words[1], headers, await _read_body(reader, headers))


async def _read_body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    if headers.get("transfer-encoding", "").lower() != "chunked":
        length = int(headers.get("content-length", "0"))
        if not 0 <= length <= _LONGEST_BODY:
            raise BadRequest("too long")
        return await reader.readexactly(length)
    body = bytearray()
    while size := int((await reader.readline()).split(b";")[0], 16):
        if len(body) + size > _LONGEST_BODY:
            raise BadRequest("too long")
        body += (await reader.readexactly(size + 2))[:-2]
    while (await reader.readline()).strip():
        pass
    return bytes(body)


def _head(reply: Reply, headers: dict[str, str]) -> bytes:
    lines = [f"{name}: {value}" for name, value in {**reply.headers, **headers}.items()]
    try:
        phrase = HTTPStatus(reply.status).phrase
    except ValueError:
        phrase = "status code"
    return "\r\n".join([f"HTTP/1.1 {reply.status} {phrase}", *lines, "", ""]).encode("latin-1")


async def _send(writer: asyncio.StreamWriter, reply: Reply, method: str) -> None:
    bodiless = method == "HEAD" or reply.status in (204, 304)
    writer.write(_head(reply, {"Content-Length": str(len(reply.body))}) + (b"" if bodiless else reply.body))
    await writer.drain()


async def _send_stream(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, reply: Reply) -> bool:
    """Send the pieces until they end or the client hangs up; whether they ended."""
    assert reply.stream is not None  # noqa: S101 - said by the caller
    writer.write(_head(reply, {"Transfer-Encoding": "chunked"}))
    await writer.drain()
    pieces = asyncio.ensure_future(_send_pieces(writer, reply.stream))
    # A client that waits for an answer sends nothing: what comes is the end.
    hung_up = asyncio.ensure_future(reader.read(1))
    try:
        await asyncio.wait((pieces, hung_up), return_when=asyncio.FIRST_COMPLETED)
        ended = pieces.done() and not pieces.cancelled()
        if ended:
            pieces.result()
        return ended and not hung_up.done()
    finally:
        for task in (pieces, hung_up):
            task.cancel()
        await asyncio.gather(pieces, hung_up, return_exceptions=True)


async def _send_pieces(writer: asyncio.StreamWriter, stream: AsyncGenerator[bytes, None]) -> None:
    async with aclosing(stream):
        async for piece in stream:
            writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            await writer.drain()
    writer.write(b"0\r\n\r\n")
    await writer.drain()
