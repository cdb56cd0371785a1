"""Where a sample may go: the URL it is sent to, and the redirects that may be followed."""

import re

import httpx

_HOST = re.compile(r"[A-Za-z0-9_.-]+|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")
_REDIRECTS = frozenset((301, 302, 303, 307, 308))


class NotSent(Exception):
    """The request failed; the message is one clean line."""


def is_address(host: str) -> bool:
    """Whether a host of a URL is an address and no name."""
    return ":" in host or host.replace(".", "").isdigit()


def checked_url(text: str) -> httpx.URL:
    """The URL of a request; raises NotSent for one that cannot or may not be asked."""
    try:
        url = httpx.URL(text)
    except (httpx.InvalidURL, ValueError, UnicodeError):
        raise NotSent("the URL of the request is not one") from None
    if url.scheme not in ("http", "https") or not _HOST.fullmatch(url.raw_host.decode("ascii", "replace")):
        raise NotSent("the URL of the request is neither http nor https, or names no host")
    if url.userinfo != b"":
        raise NotSent("the URL of the request holds credentials; put them into a header")
    return url


def port_of(url: httpx.URL) -> int:
    """The port that a URL means."""
    return url.port if url.port is not None else (443 if url.scheme == "https" else 80)


def next_url(here: httpx.URL, status: int, location: str | None) -> httpx.URL | None:
    """Where a redirect leads, if it stays on the host; else None."""
    if status not in _REDIRECTS or location is None:
        return None
    try:
        target = checked_url(str(here.join(location)))
    except (NotSent, httpx.InvalidURL, ValueError):
        return None
    same_origin = (target.scheme, target.port) == (here.scheme, here.port)
    to_tls = (here.scheme, here.port, target.scheme, target.port) == ("http", None, "https", None)
    return target if target.raw_host == here.raw_host and (same_origin or to_tls) else None
