"""A GitHub OIDC token as bearer token: fetched when needed, fetched again before it ends, shown to nobody."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import SecretStr

from gate.adapters.failures import ReadFailed
from gate.adapters.kubernetes import oidc
from gate.adapters.kubernetes.access import Access, GitHubIdentity, ServerAccess, choose_access
from gate.adapters.kubernetes.api import KubernetesApi
from gate.adapters.kubernetes.connection import Setting, connect
from gate.adapters.kubernetes.kinds import ServiceTarget
from gate.adapters.kubernetes.oidc import life_of
from gate.errors import AccessError
from tests.support.identity import REQUEST_TOKEN, Issuer, claims, token
from tests.support.kubernetes import get_web, patience, status, thing
from tests.support.loopback import Asked, Loopback, Reply, asynchronous, serving

AUDIENCE = "https://kubernetes.example"


class Clock:
    """The time by which tokens end, to be moved by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds = 1000.0
        monkeypatch.setattr(oidc, "time", SimpleNamespace(monotonic=lambda: self.seconds, time=time.time))


def _access(server: Loopback) -> ServerAccess:
    return ServerAccess(server=server.url(), token=GitHubIdentity(audience=AUDIENCE))


@asynccontextmanager
async def logged_in(issuer: Issuer, hidden: list[str]) -> AsyncIterator[tuple[KubernetesApi, Loopback]]:
    """An API server that takes the newest token only, and the gate's client of it."""

    def handler(asked: Asked) -> Reply:
        good = asked.headers["authorization"] == f"Bearer {issuer.issued[-1]}"
        if good and "proxy" in asked.path:
            return Reply(body="2.0.0")
        return Reply(body=thing()) if good else status(401, "Unauthorized")

    async with serving(issuer.answer) as service, serving(handler) as server:
        setting = Setting(issuer.environ(service.url()), hide=lambda secret: hidden.append(secret.get_secret_value()))
        async with KubernetesApi(_access(server), setting, patience=patience()) as api:
            yield api, server


@asynchronous
async def test_one_token_serves_many_reads() -> None:
    issuer, hidden = Issuer(), list[str]()
    async with logged_in(issuer, hidden) as (api, _):
        await asyncio.gather(*(get_web(api) for _ in range(6)))
        [one] = issuer.issued
        assert claims(one)["aud"] == AUDIENCE
        assert hidden == [one]
        [asked] = issuer.asked
        assert asked.query == {"api-version": "2.0", "audience": AUDIENCE}


@asynchronous
async def test_a_token_is_renewed_before_it_ends_and_not_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    issuer, hidden, clock = Issuer(life=300), list[str](), Clock(monkeypatch)
    async with logged_in(issuer, hidden) as (api, server):
        clock.seconds += 239
        await get_web(api)
        assert len(issuer.issued) == 1
        clock.seconds += 2
        await asyncio.gather(*(get_web(api) for _ in range(4)))
        assert len(issuer.issued) == 2
        assert hidden == issuer.issued
        assert {one.headers["authorization"] for one in server.asked[1:]} == {f"Bearer {issuer.issued[1]}"}


@asynchronous
async def test_a_token_that_is_refused_is_replaced_once() -> None:
    issuer = Issuer()
    async with logged_in(issuer, []) as (api, _):
        issuer.issued.append("revoked")  # the server takes the newest one only
        assert await get_web(api) == thing()
        assert len(issuer.issued) == 3


@asynchronous
async def test_trouble_at_the_service_costs_nothing_while_the_token_is_good(monkeypatch: pytest.MonkeyPatch) -> None:
    issuer, clock = Issuer(life=300), Clock(monkeypatch)
    monkeypatch.setattr(oidc, "_PATIENCE", patience())
    async with logged_in(issuer, []) as (api, _):
        issuer.fails = Reply(503, "away")
        clock.seconds += 250
        assert await get_web(api) == thing()
        clock.seconds += 60
        with pytest.raises(ReadFailed, match="HTTP 503"):
            await get_web(api)
        target = ServiceTarget("orders", "web", "http")
        assert "503" in ((await api.send_by_proxy("version", target)).error or "")
        issuer.fails = None
        assert (await api.send_by_proxy("version", target)).body == "2.0.0"


@pytest.mark.parametrize("missing", ["ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"])
@asynchronous
async def test_a_job_that_may_not_have_one_is_told_the_permission(missing: str) -> None:
    environ = {**Issuer().environ("https://tokens.example"), missing: ""}
    with pytest.raises(AccessError) as caught:
        await connect(ServerAccess(server="https://api", token=GitHubIdentity(audience="x")), Setting(environ))
    assert "id-token: write" in caught.value.change
    assert REQUEST_TOKEN not in caught.value.diagnostics()


@pytest.mark.parametrize(
    ("fails", "said"),
    [
        (Reply(403, "no"), "HTTP 403"),
        (Reply(body={"value": "no token"}), "is no token"),
        (Reply(body={"value": "a.b.c\nd"}), "is no token"),
        (Reply(body="<html>"), "is no token"),
        (Reply(302, headers={"location": "https://elsewhere.example"}), "HTTP 302"),
    ],
)
@asynchronous
async def test_what_the_service_answers_instead_is_told(fails: Reply, said: str) -> None:
    issuer = Issuer(fails=fails)
    async with serving(issuer.answer) as service, serving(lambda _: Reply(body=thing())) as server:
        with pytest.raises(AccessError) as caught:
            await connect(_access(server), Setting(issuer.environ(service.url())))
        assert said in caught.value.happened
        assert REQUEST_TOKEN not in caught.value.diagnostics()
        assert server.asked == []


@asynchronous
async def test_no_token_is_asked_for_without_tls_beyond_loopback() -> None:
    with pytest.raises(AccessError, match="without TLS"):
        await connect(
            ServerAccess(server="https://api", token=GitHubIdentity(audience="x")),
            Setting(Issuer().environ("http://tokens.example")),
        )


def test_a_stored_token_and_an_audience_are_two_ways() -> None:
    given: dict[str, Any] = {"server": "https://api", "audience": "x"}
    by_identity: Access = choose_access(**given)
    assert by_identity == ServerAccess(server="https://api", token=GitHubIdentity(audience="x"))
    with pytest.raises(AccessError, match="lacks the API server's URL"):
        choose_access(audience="x")
    stored = choose_access(**given, token=SecretStr("t"))
    assert stored == ServerAccess(server="https://api", token=SecretStr("t"))


@pytest.mark.parametrize("text", ["", "a.b.c", "a.bm8gSlNPTg.c", "a.e30.c", token("x", life=-5)])
def test_a_token_that_does_not_say_lives_for_four_minutes(text: str) -> None:
    assert life_of(text) == 240


def test_a_token_says_how_long_it_lives() -> None:
    assert life_of(token("x", life=600)) == 600
