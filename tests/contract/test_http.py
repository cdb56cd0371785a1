"""Samples sent straight to the release: what goes out, what is kept, time, and secrets that stay secret."""

import asyncio
import time
from pathlib import Path

import pytest
from pydantic import SecretStr

from gate.adapters.exchange import BODY_CAP
from gate.adapters.http.client import HttpClient, HttpRequest
from tests.support.loopback import Reply, asynchronous, serving
from tests.support.samples import SECRET, answered, sent


@asynchronous
async def test_an_answer_and_what_is_sent_for_it() -> None:
    reply = Reply(body={"release": "r2"}, headers={"set-cookie": "a=b", "x-other": "c"})
    async with serving(lambda _: reply) as server:
        url = server.url() + "/version?x=1&y=%2F"
        response = await sent(url, headers={"X-Key": SecretStr(SECRET)}, route="cluster")
        (asked,) = server.asked
        assert (asked.method, asked.target) == ("GET", "/version?x=1&y=%2F")
        assert asked.headers["host"] == f"127.0.0.1:{server.port}"
        assert asked.headers["x-key"] == SECRET
        assert asked.headers["connection"] == "close"
        assert asked.headers["user-agent"].startswith("promotion-gate/")
        assert (response.route, response.status, response.body) == ("cluster", 200, '{"release": "r2"}')
        assert response.headers == {"content-type": "application/json"}


@asynchronous
async def test_no_connection_is_used_twice() -> None:
    async with serving(lambda _: Reply(body="ok")) as server:
        client = HttpClient()
        await asyncio.gather(*(sent(server.url(), client) for _ in range(4)))
        assert sorted(asked.connection for asked in server.asked) == [1, 2, 3, 4]


@asynchronous
async def test_nothing_is_taken_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "netrc").write_text(f"machine 127.0.0.1 login x password {SECRET}\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with serving(lambda _: Reply(body="ok")) as server:
        assert (await sent(server.url())).body == "ok"
        assert "authorization" not in server.asked[0].headers


@asynchronous
async def test_head_has_no_body_and_post_is_sent_without_one() -> None:
    assert (await answered(lambda _: Reply(body="x"), method="HEAD")).body is None
    async with serving(lambda _: Reply(body="x")) as server:
        assert (await sent(server.url(), method="POST")).body == "x"
        assert (server.asked[0].method, server.asked[0].body) == ("POST", b"")
    assert (await answered(lambda _: Reply(), method="DELETE")).error == "the method DELETE is not offered"


@asynchronous
async def test_a_request_that_is_not_answered_in_time() -> None:
    for reply in (Reply(silent=True), Reply(pieces=(b"x",), hangs=True)):
        assert (await answered(lambda _, r=reply: r, timeout=0.2)).error == "timed out after 0.2s"  # type: ignore[misc]


@asynchronous
async def test_no_sample_goes_on_after_the_deadline() -> None:
    async with serving(lambda _: Reply(silent=True)) as server:
        asked = HttpRequest("version", "external", server.url(), timeout=60)
        response = await HttpClient().send(asked, time.monotonic() + 1)
        assert (response.error or "").startswith("timed out after")
        response = await HttpClient().send(asked, time.monotonic() - 1)
        assert response.error == "there was no time left to ask"
        assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (Reply(raw=b""), "broke off, or what it sent is not HTTP"),
        (Reply(raw=b"SSH-2.0-OpenSSH\r\n"), "broke off, or what it sent is not HTTP"),
        (Reply(body="x", cut=True), "broke off, or what it sent is not HTTP"),
        (Reply(body=b"x", headers={"content-encoding": "gzip"}), "compressed body ended too early"),
        (Reply(body=b"x" * 99, headers={"content-encoding": "gzip"}), "compressed body is damaged"),
        (Reply(body=b"x", headers={"content-encoding": "br"}), "was not asked for"),
    ],
)
@asynchronous
async def test_an_answer_that_is_none(reply: Reply, told: str) -> None:
    assert told in ((await answered(lambda _: reply)).error or "")


@asynchronous
async def test_a_closed_port() -> None:
    async with serving(lambda _: Reply()) as server:
        url = server.url()
    assert (await sent(url)).error == f"connection refused (127.0.0.1:{server.port})"


@asynchronous
async def test_a_long_body_is_cut_and_reading_stops() -> None:
    response = await answered(lambda _: Reply(pieces=(b"x" * 65536,) * 17, hangs=True))
    assert response.truncated
    assert len(response.body or "") == BODY_CAP
    response = await answered(lambda _: Reply(body=b"x" * BODY_CAP))
    assert not response.truncated
    assert len(response.body or "") == BODY_CAP


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Key": f"{SECRET}\n"},
        {"X-Key": f" {SECRET}"},
        {"X-Key": f"{SECRET}\r\nX-Other: y"},
        {"X-Key": f"{SECRET}\0"},
        {"X Key": SECRET},
        {"Host": SECRET},
        {"Connection": SECRET},
        {"Transfer-Encoding": SECRET},
        {"Proxy-Authorization": SECRET},
    ],
)
@asynchronous
async def test_headers_that_cannot_be_sent_are_told_without_their_value(headers: dict[str, str]) -> None:
    async with serving(lambda _: Reply()) as server:
        secret = {name: SecretStr(value) for name, value in headers.items()}
        response = await sent(server.url(), headers=secret)
        assert "header" in (response.error or "")
        assert server.asked == []
        assert SECRET not in repr(HttpRequest("version", "external", server.url(), headers=secret))


@asynchronous
async def test_authorization_is_the_releases_here() -> None:
    async with serving(lambda _: Reply(body="ok")) as server:
        await sent(server.url(), headers={"Authorization": SecretStr(f"Bearer {SECRET}")})
        assert server.asked[0].headers["authorization"] == f"Bearer {SECRET}"


@asynchronous
async def test_a_cancelled_sample_raises_nothing_else() -> None:
    async with serving(lambda _: Reply(silent=True)) as server:
        task = asyncio.create_task(sent(server.url()))
        await server.until(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
