"""Samples sent by the gate's own HTTP client, with what holds for every one of them."""

from collections.abc import Sequence
from typing import Any

from gate.adapters.http.addresses import Resolver
from gate.adapters.http.client import HttpClient, HttpRequest
from gate.facts.moment import RawResponse
from tests.support.loopback import Handler, serving

SECRET = "header-value-that-nobody-may-see"


def resolver(*addresses: str) -> Resolver:
    async def resolve(_host: str, _port: int) -> Sequence[str]:
        return addresses

    return resolve


async def sent(url: str, client: HttpClient | None = None, **options: Any) -> RawResponse:
    asked = HttpRequest("version", options.pop("route", "external"), url, **options)
    response = await (client or HttpClient()).send(asked)
    assert response.request == "version"
    assert response.at is not None
    assert response.took is not None
    assert (response.status is None) != (response.error is None)
    assert SECRET not in response.model_dump_json()
    assert "\n" not in (response.error or "")
    return response


async def answered(handler: Handler, path: str = "/", **options: Any) -> RawResponse:
    async with serving(handler) as server:
        return await sent(server.url() + path, **options)
