"""Requests by Service proxy: what goes out, over what, and what may not be sent."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from gate.adapters.kubernetes.api import KubernetesApi
from gate.adapters.kubernetes.connection import Setting
from gate.adapters.kubernetes.kinds import ServiceTarget
from tests.support.kubernetes import TOKEN, cluster, kubeconfig, patience, status, thing
from tests.support.loopback import Asked, Reply, asynchronous, serving
from tests.support.proxied import PREFIX, SECRET, WEB, sent


@asynchronous
async def test_an_answer_is_kept_with_three_headers_only() -> None:
    reply = Reply(body={"release": "r2"}, headers={"set-cookie": "a=b", "date": "Tue, 01 Dec 2026 10:00:00 GMT"})
    response, (asked,) = await sent(lambda _: reply, path="/version?x=1&y=%20", headers={"X-Key": SecretStr(SECRET)})
    assert (asked.method, asked.target) == ("GET", f"{PREFIX}/version?x=1&y=%20")
    assert asked.headers["x-key"] == SECRET
    assert asked.headers["authorization"] == f"Bearer {TOKEN}"
    assert asked.headers["accept-encoding"] == "identity"
    assert asked.headers["accept"] == "*/*"
    assert (response.status, response.body, response.error) == (200, '{"release": "r2"}', None)
    assert response.headers == {"content-type": "application/json", "date": "Tue, 01 Dec 2026 10:00:00 GMT"}
    assert not response.truncated


@asynchronous
async def test_a_configured_accept_header_is_sent() -> None:
    _, (asked,) = await sent(lambda _: Reply(), headers={"accept": SecretStr("application/json")})
    assert asked.headers["accept"] == "application/json"


@asynchronous
async def test_https_and_port_numbers_stand_in_the_path() -> None:
    _, (asked,) = await sent(lambda _: Reply(), target=ServiceTarget("orders", "web", "8443", "https"))
    assert asked.target == "/api/v1/namespaces/orders/services/https:web:8443/proxy/"


@asynchronous
async def test_every_sample_has_a_connection_of_its_own() -> None:
    async with cluster(lambda asked: Reply(body=thing() if "apps" in asked.path else "ok")) as (api, server):
        for _ in range(3):
            await api.get("Deployment", "orders", "web")
            assert (await api.send_by_proxy("version", WEB)).body == "ok"
        samples = [asked.connection for asked in server.asked if "proxy" in asked.path]
        reads = {asked.connection for asked in server.asked if "proxy" not in asked.path}
        assert len(set(samples)) == 3
        assert len(reads) == 1
        assert reads.isdisjoint(samples)


@asynchronous
async def test_cookies_are_not_carried_to_the_next_sample() -> None:
    async with cluster(lambda _: Reply(headers={"set-cookie": "session=1; path=/"})) as (api, server):
        for _ in range(2):
            await api.send_by_proxy("version", WEB)
        assert "cookie" not in server.asked[1].headers


@asynchronous
async def test_a_redirect_is_the_answer_and_its_query_is_not_kept() -> None:
    away = Reply(302, headers={"location": f"https://u:{SECRET}@login.example.com/start?code={SECRET}#x"})
    response, asked = await sent(lambda _: away)
    assert (response.status, len(asked)) == (302, 1)
    assert response.headers["location"] == "https://login.example.com/start"


@asynchronous
async def test_the_api_servers_own_503_keeps_its_body() -> None:
    reply = status(503, "ServiceUnavailable", 'no endpoints available for service "web"')
    response, _ = await sent(lambda _: reply)
    assert response.status == 503
    assert response.body is not None
    assert '"kind": "Status"' in response.body


@asynchronous
async def test_head_has_no_body_and_post_is_offered() -> None:
    response, (asked,) = await sent(lambda _: Reply(body="x"), method="HEAD")
    assert (asked.method, response.status, response.body) == ("HEAD", 200, None)
    response, (asked,) = await sent(lambda _: Reply(body="x"), method="POST")
    assert (asked.method, asked.body, response.body) == ("POST", b"", "x")


@pytest.mark.parametrize(
    "options",
    [
        {"method": "DELETE"},
        {"method": "PUT"},
        {"method": "PATCH"},
        {"method": "get"},
        {"path": "version"},
        {"path": "/../../pods"},
        {"path": "/a/%2e%2E/b"},
        {"path": "/a/..%2f.."},
        {"path": "/a\\..\\b"},
        {"path": "/./x"},
        {"path": "/a b"},
        {"path": "/a#b"},
        {"path": "/é"},
        {"path": "/a\r\nx: y"},
        {"target": ServiceTarget("orders", "web/../x", "80")},
        {"target": ServiceTarget("orders", "", "80")},
        {"target": ServiceTarget("orders", "web", "80", "ftp")},
        {"headers": {"Authorization": SecretStr(SECRET)}},
        {"headers": {"impersonate-user": SecretStr(SECRET)}},
        {"headers": {"X-Remote-User": SecretStr(SECRET)}},
        {"headers": {"Host": SecretStr(SECRET)}},
        {"headers": {"connection": SecretStr(SECRET)}},
        {"headers": {"a b": SecretStr(SECRET)}},
        {"headers": {"X-Key": SecretStr(f"{SECRET}\n")}},
        {"headers": {"X-Key": SecretStr(f"{SECRET}\r\nX: y")}},
        {"headers": {"X-Key": SecretStr(f"{SECRET}é")}},
    ],
)
@asynchronous
async def test_what_may_not_be_sent_is_not_sent(options: dict[str, Any]) -> None:
    response, asked = await sent(lambda _: Reply(), **options)
    assert asked == []
    assert response.status is None
    assert response.error is not None
    assert SECRET not in response.error
    assert "\n" not in response.error


@pytest.mark.parametrize("dots", ["/...", "/a..b", "/.well-known/x", "/x?y=../..", "/%2e%2e%2e"])
@asynchronous
async def test_dots_that_climb_nowhere_are_fine(dots: str) -> None:
    response, (asked,) = await sent(lambda _: Reply(), path=dots)
    assert response.status == 200
    assert asked.target == PREFIX + dots


@asynchronous
async def test_the_api_servers_401_loads_the_credentials_again(tmp_path: Path) -> None:
    def handler(asked: Asked) -> Reply:
        good = asked.headers.get("authorization") == "Bearer second"
        return Reply(body="ok") if good else status(401, "Unauthorized")

    async with (
        serving(handler) as loopback,
        KubernetesApi(kubeconfig(tmp_path, loopback), Setting(), patience=patience()) as api,
    ):
        (tmp_path / "token").write_text("second")
        assert (await api.send_by_proxy("version", WEB)).body == "ok"


@asynchronous
async def test_the_releases_own_401_is_its_answer() -> None:
    response, asked = await sent(lambda _: Reply(401, "who are you"))
    assert (response.status, response.body, len(asked)) == (401, "who are you", 1)
