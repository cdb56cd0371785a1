"""What stands between the gate and a server: an HTTP proxy, and TLS in front of a server that has none."""

from __future__ import annotations

import re
import socket
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

_CONNECT = re.compile(rb"CONNECT (\S+) ")


@dataclass
class Relay:
    """Passes everything on to ``target``, whatever it is called. ``heads`` are the requests made to it as a proxy.

    ``refuses``: the status line of a proxy that leads nowhere.
    """

    target: tuple[str, int]
    tls: ssl.SSLContext | None = None
    refuses: str = ""
    port: int = 0
    heads: list[str] = field(default_factory=list)

    @property
    def asked_for(self) -> list[str]:
        """The places that the proxy was asked to lead to."""
        return [head.split(" ")[1] for head in self.heads]

    def serve(self, client: socket.socket) -> None:
        """One connection."""
        if self.tls is None:
            self._serve_proxy(client)
            return
        with suppress(ssl.SSLError), self.tls.wrap_socket(client, server_side=True) as secured:
            self._join(secured, b"")  # who does not trust the certificate has gone away by now

    def _serve_proxy(self, client: socket.socket) -> None:
        first = _head(client)
        self.heads.append(first.decode("latin-1"))
        if self.refuses:
            client.sendall(f"HTTP/1.1 {self.refuses}\r\nContent-Length: 0\r\n\r\n".encode())
            return
        self._join(client, first)

    def _join(self, client: socket.socket, first: bytes) -> None:
        with socket.create_connection(self.target, timeout=30) as server:
            if _CONNECT.match(first):
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                server.sendall(first)
            back = threading.Thread(target=_pump, args=(server, client), daemon=True)
            back.start()
            _pump(client, server)
            back.join(30)


def _head(client: socket.socket) -> bytes:
    """All that comes up to the empty line."""
    read = b""
    while b"\r\n\r\n" not in read and (piece := client.recv(65536)):
        read += piece
    return read


def _pump(source: socket.socket, sink: socket.socket) -> None:
    """Pass on what comes until it ends."""
    with suppress(OSError):
        while piece := source.recv(65536):
            sink.sendall(piece)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True


@contextmanager
def relay(port: int, tls: ssl.SSLContext | None = None, refuses: str = "") -> Iterator[Relay]:
    """A relay to a port of this machine, for the time of the block."""
    made = Relay(("127.0.0.1", port), tls, refuses)

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            request: Any = self.request
            with suppress(OSError):
                made.serve(request)

    with _Server(("127.0.0.1", 0), Handler) as server:
        made.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        try:
            yield made
        finally:
            server.shutdown()
