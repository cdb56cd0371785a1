"""Samples sent by Service proxy, with what holds for every one of them."""

from typing import Any

from gate.adapters.kubernetes.kinds import ServiceTarget
from gate.facts.moment import RawResponse
from tests.support.kubernetes import TOKEN, cluster
from tests.support.loopback import Asked, Handler

WEB = ServiceTarget("orders", "web", "http")
SECRET = "header-value-that-nobody-may-see"
PREFIX = "/api/v1/namespaces/orders/services/web:http/proxy"


async def sent(handler: Handler, **options: Any) -> tuple[RawResponse, list[Asked]]:
    async with cluster(handler) as (api, server):
        response = await api.send_by_proxy("version", options.pop("target", WEB), **options)
        assert (response.request, response.route) == ("version", "service-proxy")
        assert response.at is not None
        assert response.took is not None
        assert TOKEN not in response.model_dump_json()
        return response, server.asked
