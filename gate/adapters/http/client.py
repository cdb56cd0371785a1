"""One sample of a request: a fresh connection to a checked address, TLS verified, no redirects by default."""

import asyncio
import re
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import httpx
from pydantic import SecretStr

from gate import __version__
from gate.adapters.exchange import CappedBody, UnknownEncoding, body_text, kept_headers, request_fault
from gate.adapters.failures import Cause, describe_network_error, mask, one_line
from gate.adapters.http.addresses import AddressRefused, Resolver, checked_addresses, system_resolver
from gate.errors import AccessError
from gate.facts.moment import RawResponse

_CONNECT = 5.0
_MOST_REDIRECTS = 3
_LOCATION = "gate.location"
_HOST = re.compile(r"[A-Za-z0-9_.-]+|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")
_REDIRECTS = frozenset((301, 302, 303, 307, 308))


@dataclass(frozen=True)
class HttpRequest:
    """One sample to send. ``request`` is the configured name, ``timeout`` in seconds covers everything.

    ``ca_file`` replaces the system's authorities. ``same_host_redirects`` follows redirects that
    stay on the host.
    """

    request: str
    route: str
    url: str
    method: str = "GET"
    headers: Mapping[str, SecretStr] = field(default_factory=dict)
    timeout: float = 5.0
    ca_file: Path | None = None
    same_host_redirects: bool = False


@dataclass(frozen=True)
class _Reply:
    """An answer as far as it is kept, and the URL it came from."""

    url: httpx.URL
    status: int
    headers: dict[str, str]
    location: str | None
    body: str | None
    truncated: bool


class _NotSent(Exception):
    """The request failed; the message is one clean line."""


class HttpClient:
    """Sends samples. Nothing is taken from the environment: no proxy, no netrc."""

    def __init__(self, resolver: Resolver = system_resolver) -> None:
        self._resolver = resolver
        self._trust: dict[Path | None, ssl.SSLContext] = {}

    def trust(self, ca_file: Path | None) -> ssl.SSLContext:
        """The authorities to verify with, read once; raises AccessError for a file that has none."""
        if ca_file not in self._trust:
            try:
                self._trust[ca_file] = ssl.create_default_context(cafile=None if ca_file is None else str(ca_file))
            except OSError as error:
                reason = "is no PEM file of certificates" if isinstance(error, ssl.SSLError) else error.strerror
                raise AccessError(
                    f"The certificate authority {one_line(str(ca_file))} cannot be used: {str(reason).lower()}.",
                    means="the path is wrong, or lies outside of what a container action can see (its workspace).",
                    change="Correct ca-file of the request; it is a PEM file below the workspace.",
                ) from None
        return self._trust[ca_file]

    async def send(self, asked: HttpRequest, deadline: float | None = None) -> RawResponse:
        """The answer, or its error as one clean line; never raises for a failed request.

        ``deadline`` is a reading of ``time.monotonic()``.
        """
        began = time.monotonic()
        seconds = asked.timeout if deadline is None else min(asked.timeout, deadline - began)
        if seconds <= 0:
            return _failed(asked, "there was no time left to ask", began)
        try:
            async with asyncio.timeout(seconds):
                reply = await self._follow(asked, seconds)
        except TimeoutError:
            return _failed(asked, f"timed out after {seconds:g}s", began)
        except (_NotSent, AddressRefused, UnknownEncoding) as error:
            return _failed(asked, str(error), began)
        except AccessError as error:
            return _failed(asked, error.happened, began)
        return RawResponse(
            request=asked.request,
            route=asked.route,
            at=datetime.now(UTC),
            status=reply.status,
            headers=reply.headers,
            body=reply.body,
            took=round(time.monotonic() - began, 4),
            truncated=reply.truncated,
        )

    async def _follow(self, asked: HttpRequest, seconds: float) -> _Reply:
        """The answer at the end of the redirects that may be followed."""
        fault = request_fault(asked.method, asked.headers)
        if fault is not None:
            raise _NotSent(fault)
        reply = await self._hop(asked, _checked_url(asked.url), seconds)
        for _ in range(_MOST_REDIRECTS):
            target = _next_url(asked, reply)
            if target is None:
                return reply
            reply = await self._hop(asked, target, seconds)
        if _next_url(asked, reply) is not None:
            raise _NotSent(f"more than {_MOST_REDIRECTS} redirects")
        return reply

    async def _hop(self, asked: HttpRequest, url: httpx.URL, seconds: float) -> _Reply:
        """One request; the next address is tried only where no connection came about."""
        host = url.raw_host.decode("ascii")
        port = url.port if url.port is not None else (443 if url.scheme == "https" else 80)
        try:
            addresses = await checked_addresses(host, port, self._resolver)
        except OSError as error:
            raise _NotSent(describe_network_error(error, host)[1]) from None
        problem = "no address"
        for address in addresses:
            try:
                return await self._exchange(asked, url, address, seconds)
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                cause, problem = describe_network_error(error, f"{host}:{port}")
                if isinstance(error, httpx.ConnectTimeout):
                    problem = f"no connection to {host}:{port} within {min(_CONNECT, seconds):g}s"
                if cause is Cause.TLS:
                    break
            except httpx.TimeoutException:
                raise _NotSent(f"timed out after {seconds:g}s") from None
            except httpx.RemoteProtocolError:
                raise _NotSent(f"{host}:{port} broke off, or what it sent is not HTTP") from None
            except (httpx.HTTPError, httpx.StreamError, OSError, ValueError) as error:
                raise _NotSent(describe_network_error(error, f"{host}:{port}")[1]) from None
        raise _NotSent(problem)

    async def _exchange(self, asked: HttpRequest, url: httpx.URL, address: str, seconds: float) -> _Reply:
        host = url.raw_host.decode("ascii")
        headers = {
            "User-Agent": f"promotion-gate/{__version__}",
            "Accept": "*/*",
            "Accept-Encoding": "identity",
            **{name: value.get_secret_value() for name, value in asked.headers.items()},
            "Host": url.netloc.decode("ascii"),
            "Connection": "close",
        }
        # The name stays the one that the certificate is checked against; only the address is fixed.
        extensions = {} if _is_address(host) else {"sni_hostname": host}
        async with (
            httpx.AsyncClient(
                verify=self.trust(asked.ca_file if url.scheme == "https" else None),
                trust_env=False,
                follow_redirects=False,
                event_hooks={"response": [_set_location_aside]},
                timeout=httpx.Timeout(seconds, connect=min(_CONNECT, seconds)),
            ) as client,
            client.stream(
                asked.method, url.copy_with(host=address), headers=headers, extensions=extensions
            ) as response,
        ):
            return await _kept(asked, url, response)


async def _set_location_aside(response: httpx.Response) -> None:
    """Keep the client from looking at a redirect: it refuses answers whose location is no URL."""
    location = response.headers.pop("location", None)
    if location is not None:
        response.extensions[_LOCATION] = location


async def _kept(asked: HttpRequest, url: httpx.URL, response: httpx.Response) -> _Reply:
    location: str | None = response.extensions.get(_LOCATION)
    body = CappedBody(response.headers.get("content-encoding", ""))
    async for piece in response.aiter_raw():
        if not body.feed(piece):
            break
    if not body.complete and not body.truncated:
        raise UnknownEncoding("the compressed body ended too early")
    # A release may send back what it was sent; what is compared and shown must not hold a secret.
    secrets = {value.get_secret_value() for value in asked.headers.values()}
    text = body_text(body.data, response.headers.get("content-type", ""))
    return _Reply(
        url=url,
        status=response.status_code,
        headers=kept_headers({**response.headers, **({} if location is None else {"location": location})}),
        location=location,
        body=None if asked.method == "HEAD" else mask(text, secrets),
        truncated=body.truncated,
    )


def _is_address(host: str) -> bool:
    return ":" in host or host.replace(".", "").isdigit()


def _checked_url(text: str) -> httpx.URL:
    """The URL of a request; raises _NotSent for one that cannot or may not be asked."""
    try:
        url = httpx.URL(text)
    except (httpx.InvalidURL, ValueError, UnicodeError):
        raise _NotSent("the URL of the request is not one") from None
    if url.scheme not in ("http", "https") or not _HOST.fullmatch(url.raw_host.decode("ascii", "replace")):
        raise _NotSent("the URL of the request is neither http nor https, or names no host")
    if url.userinfo != b"":
        raise _NotSent("the URL of the request holds credentials; put them into a header")
    return url


def _next_url(asked: HttpRequest, reply: _Reply) -> httpx.URL | None:
    """Where a redirect leads, if it is one that may be followed; else None, and the redirect is the answer."""
    if not asked.same_host_redirects or reply.status not in _REDIRECTS or asked.method == "POST":
        return None
    if reply.location is None:
        return None
    try:
        target = _checked_url(str(reply.url.join(reply.location)))
    except (_NotSent, httpx.InvalidURL, ValueError):
        return None
    here = reply.url
    same_origin = (target.scheme, target.port) == (here.scheme, here.port)
    to_tls = (here.scheme, here.port, target.scheme, target.port) == ("http", None, "https", None)
    return target if target.raw_host == here.raw_host and (same_origin or to_tls) else None


def _failed(asked: HttpRequest, error: str, began: float) -> RawResponse:
    secrets = {value.get_secret_value() for value in asked.headers.values()}
    return RawResponse(
        request=asked.request,
        route=asked.route,
        at=datetime.now(UTC),
        error=one_line(mask(error, secrets)),
        took=round(time.monotonic() - began, 4),
    )
