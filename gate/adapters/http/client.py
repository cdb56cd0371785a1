"""One sample of a request: a fresh connection to a checked address, TLS verified, no redirects by default."""

import asyncio
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
from gate.adapters.failures import Cause, describe_network_error, one_line
from gate.adapters.http.addresses import AddressRefused, Resolver, check_host, checked_addresses, system_resolver
from gate.adapters.http.urls import NotSent, checked_url, is_address, next_url, port_of
from gate.errors import AccessError
from gate.facts.moment import RawResponse
from gate.secrecy import mask

_CONNECT = 5.0
_MOST_REDIRECTS = 3
_LOCATION = "gate.location"


@dataclass(frozen=True)
class HttpRequest:
    """One sample to send. ``request`` is the configured name, ``timeout`` in seconds covers everything.

    ``ca_file`` replaces the system's authorities. ``same_host_redirects`` follows redirects that
    stay on the host. ``proxies`` are URLs of HTTP proxies by the scheme of what is asked; a name is then
    resolved by the proxy.
    """

    request: str
    route: str
    url: str
    method: str = "GET"
    headers: Mapping[str, SecretStr] = field(default_factory=dict)
    timeout: float = 5.0
    ca_file: Path | None = None
    same_host_redirects: bool = False
    proxies: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class _Reply:
    """An answer as far as it is kept, and the URL it came from."""

    url: httpx.URL
    status: int
    headers: dict[str, str]
    location: str | None
    body: str | None
    truncated: bool


class HttpClient:
    """Sends samples. Nothing is taken from the environment: no netrc, and no proxy that is not given."""

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
        except (NotSent, AddressRefused, UnknownEncoding) as error:
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
            raise NotSent(fault)
        reply = await self._hop(asked, checked_url(asked.url), seconds)
        for _ in range(_MOST_REDIRECTS):
            target = _redirect(asked, reply)
            if target is None:
                return reply
            reply = await self._hop(asked, target, seconds)
        if _redirect(asked, reply) is not None:
            raise NotSent(f"more than {_MOST_REDIRECTS} redirects")
        return reply

    async def _hop(self, asked: HttpRequest, url: httpx.URL, seconds: float) -> _Reply:
        """One request; the next address is tried only where no connection came about."""
        host, port = url.raw_host.decode("ascii"), port_of(url)
        proxy = asked.proxies.get(url.scheme)
        try:
            addresses = await self._ways(host, port, by_proxy=proxy is not None)
        except OSError as error:
            raise NotSent(describe_network_error(error, host)[1]) from None
        there = f"{host}:{port}" if proxy is None else f"the proxy {_host_of(proxy)}"
        problem = "no address"
        for address in addresses:
            try:
                return await self._exchange(asked, url, address, seconds, proxy)
            except httpx.ProxyError as error:
                raise NotSent(f"{there} does not lead to {host}:{port}: {one_line(str(error), 80)}") from None
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                cause, problem = describe_network_error(error, there)
                if isinstance(error, httpx.ConnectTimeout):
                    problem = f"no connection to {there} within {min(_CONNECT, seconds):g}s"
                if cause is Cause.TLS:
                    break
            except httpx.TimeoutException:
                raise NotSent(f"timed out after {seconds:g}s") from None
            except httpx.RemoteProtocolError:
                raise NotSent(f"{host}:{port} broke off, or what it sent is not HTTP") from None
            except (httpx.HTTPError, httpx.StreamError, OSError, ValueError) as error:
                raise NotSent(describe_network_error(error, f"{host}:{port}")[1]) from None
        raise NotSent(problem)

    async def _ways(self, host: str, port: int, *, by_proxy: bool) -> tuple[str, ...]:
        """What to connect to: checked addresses; a name that a proxy is to resolve stays a name."""
        if not by_proxy or is_address(host):
            return await checked_addresses(host, port, self._resolver)
        check_host(host)
        return (host,)

    async def _exchange(
        self, asked: HttpRequest, url: httpx.URL, address: str, seconds: float, proxy: str | None
    ) -> _Reply:
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
        extensions = {} if is_address(host) else {"sni_hostname": host}
        async with (
            httpx.AsyncClient(
                verify=self.trust(asked.ca_file if url.scheme == "https" else None),
                trust_env=False,
                proxy=proxy,
                follow_redirects=False,
                event_hooks={"response": [_set_location_aside]},
                timeout=httpx.Timeout(seconds, connect=min(_CONNECT, seconds)),
            ) as client,
            client.stream(
                asked.method, url.copy_with(host=address), headers=headers, extensions=extensions
            ) as response,
        ):
            return await _kept(asked, url, response)


def _host_of(proxy: str) -> str:
    """A proxy as messages name it: never with its credentials."""
    url = httpx.URL(proxy)
    return f"{url.host}:{port_of(url)}"


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


def _redirect(asked: HttpRequest, reply: _Reply) -> httpx.URL | None:
    """Where to go on, if a redirect is to be followed; else None, and the redirect is the answer."""
    if not asked.same_host_redirects or asked.method == "POST":
        return None
    return next_url(reply.url, reply.status, reply.location)


def _failed(asked: HttpRequest, error: str, began: float) -> RawResponse:
    secrets = {value.get_secret_value() for value in asked.headers.values()}
    return RawResponse(
        request=asked.request,
        route=asked.route,
        at=datetime.now(UTC),
        error=one_line(mask(error, secrets)),
        took=round(time.monotonic() - began, 4),
    )
