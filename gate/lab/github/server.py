"""HTTP on loopback: from bytes to a request, from an answer to bytes."""

from __future__ import annotations

import json
import socket
import sys
import threading
from dataclasses import asdict
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from gate.lab.github.answering import Answering, encoded
from gate.lab.github.exchange import ApiError, Exchange, Reply, Request, not_found
from gate.lab.github.faults import Fault

CONTROL = "/_standin/"
GRAPHQL = "/graphql"


class Server(ThreadingHTTPServer):
    """The listening socket; every connection has its thread."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, prefix: str, answering: Answering) -> None:
        self.prefix = prefix
        self.answering = answering
        self.stopping = threading.Event()
        super().__init__(("127.0.0.1", port), Handler)

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error of ours, anything else is."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server_version = "GitHubStandIn"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: Server  # type: ignore[mutable-override]  # socketserver sets it to the one that accepted

    def do_GET(self) -> None:
        """Read the request, find the answer, send it."""
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.path.startswith(CONTROL):
            self._send(control(self.server.answering, self.command, self.path, body))
            return
        request = self._request(body)
        if request is None:
            self._send(not_found().reply())
            return
        answer = self.server.answering.answer(request)
        if answer.wait != 0:
            self.server.stopping.wait(answer.wait)
        if answer.reply is None:
            self._drop()
        else:
            self._send(answer.reply)

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

    def _request(self, body: bytes) -> Request | None:
        """The request below the API root, None for anything else on this server."""
        parts = urlsplit(self.path)
        prefix = self.server.prefix
        # On GitHub Enterprise Server GraphQL stands beside /api/v3, not below it:
        # https://docs.github.com/en/enterprise-server/graphql/guides/forming-calls-with-graphql
        if prefix and parts.path == f"{prefix.removesuffix('/v3')}{GRAPHQL}":
            path = GRAPHQL
        elif parts.path.startswith(f"{prefix}/") and not (prefix and parts.path == f"{prefix}{GRAPHQL}"):
            path = parts.path.removeprefix(prefix)
        else:
            return None
        try:
            content = json.loads(body) if body else None
        except ValueError:
            content = body.decode(errors="replace")
        host = self.headers.get("host") or self.server.origin.removeprefix("http://")
        return Request(
            method=self.command,
            path=path,
            query=dict(parse_qsl(parts.query, keep_blank_values=True)),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=content,
            server=f"http://{host}",
            prefix=prefix,
        )

    def _send(self, reply: Reply) -> None:
        content = encoded(reply)
        bare = reply.status in {HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED}
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if not bare:
            self.send_header("Content-Type", reply.media_type)
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if not bare:
            self.wfile.write(content)
        self.wfile.flush()

    def _drop(self) -> None:
        """Close without a word."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name in the base class
        """Say nothing; the record is in `Answering.exchanges`."""


def control(answering: Answering, method: str, path: str, body: bytes) -> Reply:
    """`/_standin/state` and `/_standin/faults`, for those who run it as a process."""
    name = path.removeprefix(CONTROL)
    if (method, name) == ("GET", "state"):
        return Reply(body=state(answering))
    if name == "faults" and method == "GET":
        return Reply(body=answering.faults.as_json())
    if name == "faults" and method == "DELETE":
        answering.faults.clear()
        return Reply(204)
    if name == "faults" and method == "POST":
        try:
            value = json.loads(body)
            faults = [Fault.from_json(item) for item in (value if isinstance(value, list) else [value])]
        except (ValueError, TypeError) as error:
            return ApiError(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)).reply()
        answering.faults.add(*faults)
        return Reply(201, answering.faults.as_json())
    return not_found().reply()


def state(answering: Answering) -> dict[str, Any]:
    """Everything published so far, every request, every fault."""
    with answering.lock:
        repositories = answering.world.repositories.items()
        return {
            "repositories": {name: found.published() for name, found in repositories},
            "requests": [brief(exchange) for exchange in answering.exchanges],
            "faults": answering.faults.as_json(),
        }


def brief(exchange: Exchange) -> dict[str, Any]:
    """An exchange without its bodies."""
    left_out = {"request_body", "response_body", "response_headers"}
    record = {name: value for name, value in asdict(exchange).items() if name not in left_out}
    return {**record, "at": exchange.at.isoformat()}
