"""How a read fails: the one exception that readers raise, and clean words for what went wrong.

Texts from outside are hostile: they are cut, brought to one line, freed of control and
direction marks.
"""

import errno
import socket
import ssl
import unicodedata
from collections.abc import Iterator
from enum import StrEnum

LONGEST = 256


class Cause(StrEnum):
    """Why a read failed, as far as callers must tell failures apart."""

    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    NOT_SERVED = "not-served"
    EXPIRED = "expired"
    THROTTLED = "throttled"
    SERVER_ERROR = "server-error"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    TLS = "tls"
    MALFORMED = "malformed"
    TOO_LARGE = "too-large"
    REFUSED = "refused"


_TRANSIENT = frozenset({Cause.THROTTLED, Cause.SERVER_ERROR, Cause.TIMEOUT, Cause.UNREACHABLE, Cause.EXPIRED})


class ReadFailed(Exception):
    """Something could not be asked for, or the answer could not be understood.

    ``what`` names it (a kind, ``Kind namespace/name``, ``commit``), ``error`` is one line for a
    person and holds no secret, ``status`` the HTTP status when an API refused, ``retry_after``
    the seconds that the server asked to wait.
    """

    def __init__(
        self,
        what: str,
        error: str,
        status: int | None = None,
        *,
        cause: Cause = Cause.REFUSED,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{what}: {error}")
        self.what = what
        self.error = error
        self.status = status
        self.cause = cause
        self.retry_after = retry_after

    @property
    def transient(self) -> bool:
        """Whether the same call may well succeed a moment later."""
        return self.cause in _TRANSIENT


def one_line(text: str, longest: int = LONGEST) -> str:
    """Text from outside as one harmless line of at most ``longest`` characters."""
    clean = "".join(" " if unicodedata.category(char).startswith(("C", "Zl", "Zp")) else char for char in text)
    clean = " ".join(clean.split())
    return clean if len(clean) <= longest else clean[: longest - 1] + "…"


def chain_of(error: BaseException) -> Iterator[BaseException]:
    """The error and everything it was raised from, outermost first."""
    waiting, seen = [error], set[int]()
    while waiting:
        current = waiting.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        if isinstance(current, BaseExceptionGroup):
            waiting.extend(current.exceptions)
        waiting.extend(cause for cause in (current.__cause__, current.__context__) if cause is not None)


def describe_network_error(error: BaseException, host: str) -> tuple[Cause, str]:
    """An exception of any HTTP client as a cause and one clean line, free of addresses of memory and types."""
    chain = tuple(chain_of(error))
    for link in chain:
        message = getattr(link, "verify_message", None)
        if isinstance(link, ssl.SSLCertVerificationError) and message:
            return Cause.TLS, f"TLS certificate not valid for {host}: {one_line(str(message))}"
    for link in chain:
        if isinstance(link, ssl.SSLError):
            reason = str(getattr(link, "reason", None) or "unknown reason").replace("_", " ").lower()
            return Cause.TLS, f"TLS with {host} failed: {one_line(reason)}"
    for link in chain:
        if isinstance(link, socket.gaierror):
            return Cause.UNREACHABLE, f"the host name {host} cannot be resolved"
    for link in chain:
        if isinstance(link, OSError) and link.errno is not None:
            return Cause.UNREACHABLE, f"{_errno_words(link.errno)} ({host})"
    return Cause.UNREACHABLE, f"the connection to {host} ended before the answer was complete"


def _errno_words(number: int) -> str:
    words = {
        errno.ECONNREFUSED: "connection refused",
        errno.ECONNRESET: "connection reset",
        errno.EPIPE: "connection closed by the other side",
        errno.EHOSTUNREACH: "no route to host",
        errno.ENETUNREACH: "network unreachable",
        errno.ETIMEDOUT: "connection timed out",
    }
    return words.get(number, f"connection failed ({errno.errorcode.get(number, number)})")
