"""One request's way: fault, token, rate limit, permission, operation, ETag, record."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http import HTTPStatus
from time import time

from gate.lab.github.api import all_routes
from gate.lab.github.exchange import ApiError, Exchange, Reply, Request, not_found
from gate.lab.github.faults import Fault, FaultPlan, primary_limit
from gate.lab.github.identity import Identity, authenticate, redacted, token_of
from gate.lab.github.jwt import app_of
from gate.lab.github.routing import Call, Route
from gate.lab.github.state import World

HOUR = 3600


@dataclass(frozen=True)
class Answer:
    """What to send: a reply (None: nothing, drop the connection), perhaps after a wait."""

    reply: Reply | None
    wait: float | None = 0.0


class Answering:
    """Answers requests one at a time and keeps the record of all of them."""

    def __init__(self, world: World, faults: FaultPlan, on_exchange: Callable[[Exchange], None] | None) -> None:
        self.world = world
        self.faults = faults
        self.on_exchange = on_exchange
        self.lock = threading.RLock()
        self.exchanges: list[Exchange] = []
        self._router = all_routes()

    def answer(self, request: Request) -> Answer:
        """Carry out a request, unless a fault comes in between."""
        found = self._router.find(request.method, request.path)
        template = found[0].template if found else None
        fault = self.faults.take(request.method, request.path, template)
        reply: Reply | None = None
        with self.lock:
            if fault is None or fault.after or fault.kind == "slow":
                reply = self._carry_out(request, found)
            reply = self._spoilt(fault, reply)
            self._record(request, template, fault, reply)
        if fault is None:
            return Answer(reply)
        wait = fault.seconds if fault.kind in {"slow", "hang"} else 0.0
        return Answer(reply, wait)

    def _spoilt(self, fault: Fault | None, reply: Reply | None) -> Reply | None:
        if fault is None or fault.kind == "slow":
            return reply
        made = fault.reply()
        if made is None:
            return None
        return replace(made, headers={**self._rate_headers(), **made.headers})

    def _carry_out(self, request: Request, found: tuple[Route, dict[str, str]] | None) -> Reply:
        try:
            identity = self._caller(request, found)
            if found is None or found[0].template != "/rate_limit":
                limited = self._spend()
                if limited is not None:
                    return replace(limited, headers={**self._rate_headers(), **limited.headers})
            reply = self._operate(request, found, identity)
        except ApiError as error:
            reply = error.reply()
        except Exception as error:  # noqa: BLE001 - a fault of the stand-in must be seen as one
            reply = ApiError(HTTPStatus.INTERNAL_SERVER_ERROR, f"The stand-in failed: {error!r}").reply()
        reply = self._revalidated(request, reply)
        return replace(reply, headers={**self._rate_headers(), **reply.headers})

    def _caller(self, request: Request, found: tuple[Route, dict[str, str]] | None) -> Identity | None:
        """Who asks; some operations only an App may ask for, as itself."""
        header = request.header("authorization")
        if found is not None and found[0].for_app:
            return app_of(token_of(header), self.world.apps.values()).identity
        return authenticate(header, self.world.identities, self.world.expiry)

    def _operate(
        self,
        request: Request,
        found: tuple[Route, dict[str, str]] | None,
        identity: Identity | None,
    ) -> Reply:
        """Rule: without a token a private repository is 404, a caller's own data 401.

        Source: https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
        """
        if found is None:
            raise not_found()
        route, parameters = found
        if identity is None:
            if "owner" in parameters:
                raise not_found()
            raise ApiError(HTTPStatus.UNAUTHORIZED, "Requires authentication")
        repository = None
        if "owner" in parameters:
            repository = self.world.repository(f"{parameters['owner']}/{parameters['repo']}")
            if repository is None:
                raise not_found()
        identity.require(route.needs)
        return route.handler(Call(self.world, request, identity, parameters, repository))

    def _spend(self) -> Reply | None:
        """Count a request against the hour's budget; the refusal when it is used up."""
        world = self.world
        if time() >= world.reset_at:
            world.requests_used, world.reset_at = 0, time() + HOUR
        if world.requests_used >= world.rate_limit:
            return primary_limit(world.reset_at - time())
        world.requests_used += 1
        return None

    def _revalidated(self, request: Request, reply: Reply) -> Reply:
        """Add an ETag, and answer 304 where the client has the same already.

        Rule: a 304 does not count against the primary limit. Source:
        https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
        """
        if request.method != "GET" or reply.status != HTTPStatus.OK:
            return reply
        content = encoded(reply)
        etag = f'"{hashlib.sha256(content).hexdigest()}"'
        headers = {**reply.headers, "ETag": f"W/{etag}"}
        known = request.header("if-none-match").replace("W/", "")
        if etag in [tag.strip() for tag in known.split(",")]:
            self.world.requests_used -= 1
            return Reply(HTTPStatus.NOT_MODIFIED, None, headers)
        return replace(reply, headers=headers)

    def _rate_headers(self) -> dict[str, str]:
        world = self.world
        return {
            "X-RateLimit-Limit": str(world.rate_limit),
            "X-RateLimit-Remaining": str(max(world.rate_limit - world.requests_used, 0)),
            "X-RateLimit-Used": str(world.requests_used),
            "X-RateLimit-Reset": str(int(world.reset_at)),
            "X-RateLimit-Resource": "core",
        }

    def _record(self, request: Request, template: str | None, fault: Fault | None, reply: Reply | None) -> None:
        exchange = Exchange(
            method=request.method,
            path=request.path,
            template=template,
            query=dict(request.query),
            request_body=request.body,
            status=reply.status if reply else None,
            response_body=reply.body if reply else None,
            response_headers=dict(reply.headers) if reply else {},
            at=datetime.now(UTC),
            authorization=redacted(request.header("authorization")),
            accept=request.header("accept"),
            fault=fault.kind if fault else None,
        )
        self.exchanges.append(exchange)
        if self.on_exchange is not None:
            self.on_exchange(exchange)


def encoded(reply: Reply) -> bytes:
    """The body as sent."""
    if reply.body is None:
        return b""
    if isinstance(reply.body, bytes):
        return reply.body
    return json.dumps(reply.body, separators=(",", ":")).encode()
