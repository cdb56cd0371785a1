"""A request through the API server to a Service: route ``service-proxy``."""

import asyncio
import json
import time
from dataclasses import dataclass
from datetime import UTC, datetime

import aiohttp
from pydantic import SecretStr
from yarl import URL

from gate.adapters.exchange import CappedBody, UnknownEncoding, body_text, kept_headers, request_fault
from gate.adapters.failures import ReadFailed, one_line
from gate.adapters.kubernetes.connection import Connection
from gate.adapters.kubernetes.kinds import ServiceTarget, proxy_path
from gate.adapters.kubernetes.transport import Limits, Transport, clean_failures
from gate.errors import AccessError
from gate.facts.moment import RawResponse
from gate.secrecy import mask

# The API server takes these for itself: they would change who asks.
_API_SERVERS_OWN = ("authorization", "impersonate-", "x-remote-")


@dataclass(frozen=True)
class ProxiedRequest:
    """One sample to send. ``timeout`` in seconds covers connection and body; header values are secrets."""

    request: str
    target: ServiceTarget
    method: str
    path: str
    headers: dict[str, SecretStr]
    timeout: float


async def send_by_proxy(transport: Transport, asked: ProxiedRequest, deadline: float | None) -> RawResponse:
    """The answer, or its error, over a fresh connection; sent again once where the API server said 401."""
    fault = _fault(asked)
    if fault is not None:
        return _failed(asked, fault, 0.0)
    response = _failed(asked, "not sent", 0.0)
    for _ in range(2):
        async with transport.lease() as connection:
            response = await _sample(connection, transport.limits, asked, deadline)
            if response.status != 401 or not _from_api_server(response):
                return response
            try:
                await transport.renew(connection)
            except AccessError:
                return response
    return response


def _fault(asked: ProxiedRequest) -> str | None:
    """Why this request cannot go by this route; None when it can."""
    try:
        proxy_path(asked.target, asked.path)
    except ValueError as error:
        return one_line(str(error))
    for name in asked.headers:
        if name.lower().startswith(_API_SERVERS_OWN):
            return f"the header {one_line(name, 64)} cannot be sent by route service-proxy"
    return request_fault(asked.method, asked.headers)


async def _sample(connection: Connection, limits: Limits, asked: ProxiedRequest, deadline: float | None) -> RawResponse:
    began = time.monotonic()
    seconds = asked.timeout if deadline is None else min(asked.timeout, deadline - began)
    if seconds <= 0:
        return _failed(asked, "there was no time left to ask", 0.0)
    own = Limits(connect=min(limits.connect, seconds), idle=seconds, call=seconds)
    headers = {name: value.get_secret_value() for name, value in asked.headers.items()}
    session = connection.open_session()
    try:
        # Last, so that nothing configured can replace the credentials.
        headers = {"Accept-Encoding": "identity", **headers, **(await connection.headers()), **_accept(headers)}
        with clean_failures(asked.request, connection, own):
            async with (
                asyncio.timeout(seconds),
                session.request(
                    asked.method,
                    URL(connection.server.url + proxy_path(asked.target, asked.path), encoded=True),
                    headers=headers,
                    auto_decompress=False,
                    timeout=aiohttp.ClientTimeout(total=None, sock_connect=own.connect, sock_read=None),
                    **connection.fixed,
                ) as response,
            ):
                return await _kept(asked, response, began)
    except (ReadFailed, UnknownEncoding) as error:
        secrets = {value.get_secret_value() for value in asked.headers.values()}
        text = error.error if isinstance(error, ReadFailed) else str(error)
        return _failed(asked, mask(text, secrets), time.monotonic() - began)
    finally:
        await session.close()


def _accept(headers: dict[str, str]) -> dict[str, str]:
    """The configured Accept header, else any; the API server's own JSON only matters to other calls."""
    return {"Accept": next((value for name, value in headers.items() if name.lower() == "accept"), "*/*")}


async def _kept(asked: ProxiedRequest, response: aiohttp.ClientResponse, began: float) -> RawResponse:
    body = CappedBody(response.headers.get("Content-Encoding", ""))
    async for piece in response.content.iter_any():
        if not body.feed(piece):
            break
    if not body.complete and not body.truncated:
        raise UnknownEncoding("the compressed body ended too early")
    headers = kept_headers(response.headers)
    # A release may send back what it was sent; what is compared and shown must not hold a secret.
    secrets = {value.get_secret_value() for value in asked.headers.values()}
    text = body_text(body.data, response.headers.get("Content-Type", ""))
    return RawResponse(
        request=asked.request,
        route="service-proxy",
        at=datetime.now(UTC),
        status=response.status,
        headers={name: mask(value, secrets) for name, value in headers.items()},
        body=None if asked.method == "HEAD" else mask(text, secrets),
        took=round(time.monotonic() - began, 4),
        truncated=body.truncated,
    )


def _failed(asked: ProxiedRequest, error: str, took: float) -> RawResponse:
    return RawResponse(
        request=asked.request, route="service-proxy", at=datetime.now(UTC), error=error, took=round(took, 4)
    )


def _from_api_server(response: RawResponse) -> bool:
    """Whether a 401 is the API server's own ``Status`` and not the release's answer."""
    try:
        body = json.loads(response.body or "")
    except (ValueError, RecursionError):
        return False
    return isinstance(body, dict) and body.get("kind") == "Status" and body.get("reason") == "Unauthorized"
