"""Clean words for what went wrong: one line, no marks that turn text around, no secrets."""

import errno
import socket
import ssl

import pytest

from gate.adapters.exchange import bare_url
from gate.adapters.failures import Cause, ReadFailed, describe_network_error, one_line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\nb\r\n\tc", "a b c"),
        ("\x1b[31mred\x1b[0m", "[31mred [0m"),
        ("a\u202eb\u2066c\u200bd", "a b c d"),
        ("a\u2028b\u2029c\x85d", "a b c d"),
        ("\ud800x", "x"),
        ("", ""),
        ("  ", ""),
        ("é ü 漢字", "é ü 漢字"),
    ],
)
def test_one_harmless_line(text: str, line: str) -> None:
    assert one_line(text) == line


def test_a_long_line_is_cut_and_says_so() -> None:
    assert one_line("x" * 256) == "x" * 256
    assert one_line("x" * 257) == "x" * 255 + "…"


@pytest.mark.parametrize("cause", list(Cause))
def test_what_is_worth_another_try(cause: Cause) -> None:
    again = {Cause.THROTTLED, Cause.SERVER_ERROR, Cause.TIMEOUT, Cause.UNREACHABLE, Cause.EXPIRED}
    assert ReadFailed("Pod", "x", cause=cause).transient is (cause in again)


def chained(outer: BaseException, inner: BaseException) -> BaseException:
    outer.__cause__ = inner
    return outer


@pytest.mark.parametrize(
    ("error", "cause", "text"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, "x"), Cause.UNREACHABLE, "connection refused (web:80)"),
        (OSError(errno.ENETUNREACH, "x"), Cause.UNREACHABLE, "network unreachable (web:80)"),
        (OSError(errno.EMFILE, "x"), Cause.UNREACHABLE, "connection failed (EMFILE) (web:80)"),
        (OSError("no number"), Cause.UNREACHABLE, "the connection to web:80 ended before the answer was complete"),
        (
            socket.gaierror(socket.EAI_NONAME, "x"),
            Cause.UNREACHABLE,
            "the host name web:80 cannot be resolved",
        ),
        (
            chained(RuntimeError("all attempts failed"), ConnectionResetError(errno.ECONNRESET, "x")),
            Cause.UNREACHABLE,
            "connection reset (web:80)",
        ),
        (
            chained(RuntimeError("x"), ExceptionGroup("x", [OSError(errno.EHOSTUNREACH, "x")])),
            Cause.UNREACHABLE,
            "no route to host (web:80)",
        ),
        (ssl.SSLError(1, "x"), Cause.TLS, "TLS with web:80 failed: unknown reason"),
        (
            RuntimeError("secret detail"),
            Cause.UNREACHABLE,
            "the connection to web:80 ended before the answer was complete",
        ),
    ],
)
def test_network_errors_in_words(error: BaseException, cause: Cause, text: str) -> None:
    assert describe_network_error(error, "web:80") == (cause, text)


def test_a_chain_that_bites_its_tail_ends() -> None:
    first, second = RuntimeError("a"), RuntimeError("b")
    first.__cause__, second.__cause__ = second, first
    assert describe_network_error(first, "web")[0] is Cause.UNREACHABLE


@pytest.mark.parametrize(
    ("url", "bare"),
    [
        ("https://u:p@host:8443/a?b=c#d", "https://host:8443/a"),
        ("/login?next=secret", "/login"),
        ("//host/x", "//host/x"),
        ("https://[::1]:80/x", "https://[::1]:80/x"),
        ("https://[broken/x?secret", "(not a URL)"),
        ("", ""),
    ],
)
def test_urls_are_kept_without_what_may_be_secret(url: str, bare: str) -> None:
    assert bare_url(url) == bare
