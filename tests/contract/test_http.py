"""Samples sent straight to the release: addresses, TLS, redirects, bodies, time, and secrets that stay secret."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from gate.adapters.exchange import BODY_CAP
from gate.adapters.http.addresses import Resolver
from gate.adapters.http.client import HttpClient, HttpRequest
from gate.errors import AccessError
from gate.facts.moment import RawResponse
from tests.support.authority import Authority
from tests.support.loopback import Handler, Reply, asynchronous, serving

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
async def test_a_redirect_is_the_answer_by_default() -> None:
    async with serving(lambda _: Reply(302, headers={"location": f"/login?token={SECRET}"})) as server:
        response = await sent(server.url())
        assert (response.status, response.headers["location"]) == (302, "/login")
        assert len(server.asked) == 1


@asynchronous
async def test_a_redirect_on_the_same_host_is_followed_where_allowed() -> None:
    answers = {"/": Reply(302, headers={"location": "/next"}), "/next": Reply(body="r2")}
    async with serving(lambda asked: answers[asked.path]) as server:
        response = await sent(server.url() + "/", same_host_redirects=True)
        assert (response.status, response.body) == (200, "r2")
        assert [asked.connection for asked in server.asked] == [1, 2]


@pytest.mark.parametrize(
    "location",
    [
        "http://other.example.com/",
        "http://127.0.0.2/",
        "//localhost/",
        "http://169.254.169.254/latest/meta-data",
        "http://127.0.0.1:1/",
        "https://127.0.0.1:1/",
        "ftp://127.0.0.1/",
        "http://u:p@127.0.0.1/",
        "http://[broken",
        "javascript:alert(1)",
    ],
)
@asynchronous
async def test_no_other_redirect_is_ever_followed(location: str) -> None:
    async with serving(lambda _: Reply(307, headers={"location": location})) as server:
        response = await sent(server.url(), same_host_redirects=True, headers={"X-Key": SecretStr(SECRET)})
        assert response.status == 307
        assert len(server.asked) == 1


@asynchronous
async def test_a_redirect_is_resolved_and_checked_again() -> None:
    answers = [("127.0.0.1",), ("169.254.169.254",)]

    async def rebinding(_host: str, _port: int) -> Sequence[str]:
        return answers.pop(0)

    async with serving(lambda _: Reply(302, headers={"location": "/next"})) as server:
        url = server.url("localhost")
        response = await sent(url, HttpClient(rebinding), same_host_redirects=True)
        assert response.error is not None
        assert "link-local address or metadata service" in response.error
        assert len(server.asked) == 1


@asynchronous
async def test_redirects_end() -> None:
    response = await answered(lambda _: Reply(302, headers={"location": "/"}), same_host_redirects=True)
    assert response.error == "more than 3 redirects"
    response = await answered(lambda _: Reply(302, headers={"location": "/"}), same_host_redirects=True, method="POST")
    assert response.status == 302
    assert (await answered(lambda _: Reply(302), same_host_redirects=True)).status == 302


@asynchronous
async def test_a_name_is_resolved_once_and_the_checked_address_is_used() -> None:
    asked: list[str] = []

    async def resolve(host: str, _port: int) -> Sequence[str]:
        asked.append(host)
        return ("127.0.0.1",)

    async with serving(lambda _: Reply(body="ok")) as server:
        assert (await sent(server.url("localhost"), HttpClient(resolve))).body == "ok"
        assert asked == ["localhost"]
        assert server.asked[0].headers["host"] == f"localhost:{server.port}"


@asynchronous
async def test_the_systems_resolver_finds_localhost_and_not_the_unknown() -> None:
    async with serving(lambda _: Reply(body="ok")) as server:
        assert (await sent(server.url("localhost"))).body == "ok"
    assert (await sent("http://no-such-host.invalid/")).error == "the host name no-such-host.invalid cannot be resolved"
    assert (await sent(f"http://{'a' * 64}.invalid/")).error is not None


@pytest.mark.parametrize(
    ("url", "addresses"),
    [
        ("http://169.254.169.254/latest/meta-data", ()),
        ("http://[fe80::1]/", ()),
        ("http://[::ffff:169.254.169.254]/", ()),
        ("http://2852039166/", ("169.254.169.254",)),
        ("http://0xa9fea9fe/", ("169.254.169.254",)),
        ("http://0251.0376.0251.0376/", ("169.254.169.254",)),
        ("http://metadata.google.internal/", ("10.0.0.1",)),
        ("http://METADATA.google.internal./", ("10.0.0.1",)),
        ("http://\uff11\uff16\uff19.254.169.254/", ("169.254.169.254",)),
        ("http://web.example.com/", ("169.254.169.254",)),
        ("http://web.example.com/", ("10.0.0.1", "fd00:ec2::254")),
        ("http://web.example.com/", ("127.0.0.1",)),
        ("http://127.1/", ("127.0.0.1",)),
        ("http://0.0.0.0/", ()),
        ("http://[::]/", ()),
        ("http://224.0.0.1/", ()),
    ],
)
@asynchronous
async def test_no_request_goes_to_a_refused_address(url: str, addresses: tuple[str, ...]) -> None:
    response = await sent(url, HttpClient(resolver(*addresses)))
    assert response.status is None
    assert response.error is not None
    assert "connect" not in response.error


@pytest.mark.parametrize(
    "url",
    [
        "",
        "web",
        "ftp://web/",
        "file:///etc/passwd",
        "http://",
        f"http://u:{SECRET}@127.0.0.1/",
        "http://[x/",
        "http://a b/",
    ],
)
@asynchronous
async def test_a_url_that_is_none_is_told(url: str) -> None:
    assert "the URL of the request" in ((await sent(url)).error or "")


@asynchronous
async def test_the_next_address_is_tried_where_no_connection_came_about() -> None:
    async with serving(lambda _: Reply(body="ok")) as server:
        both = HttpClient(resolver("127.0.0.9", "127.0.0.1"))
        assert (await sent(server.url("localhost"), both)).body == "ok"
        assert len(server.asked) == 1
    async with serving(lambda _: Reply(raw=b"")) as server:
        twice = HttpClient(resolver("127.0.0.1", "127.0.0.1"))
        assert (await sent(server.url("localhost"), twice)).error is not None
        assert len(server.asked) == 1


@asynchronous
async def test_tls_is_verified_for_the_name_of_the_url(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    (tmp_path / "other").mkdir()
    other = Authority(tmp_path / "other")
    cases = [
        ("localhost", authority.issue("localhost"), authority.file, None),
        ("127.0.0.1", authority.issue("127.0.0.1"), authority.file, None),
        ("localhost", authority.issue("127.0.0.1"), authority.file, "Hostname mismatch"),
        ("localhost", authority.issue("web.example.com"), authority.file, "Hostname mismatch"),
        ("localhost", authority.issue("localhost", days=-1), authority.file, "expired"),
        ("localhost", authority.issue("localhost"), other.file, "TLS certificate not valid for localhost"),
        ("localhost", authority.issue("localhost"), None, "TLS certificate not valid for localhost"),
    ]
    for host, shown, trusted, told in cases:
        async with serving(lambda _: Reply(body="ok"), shown.server()) as server:
            response = await sent(server.url(host), HttpClient(resolver("127.0.0.1")), ca_file=trusted)
            if told is None:
                assert response.body == "ok"
            else:
                assert told in (response.error or "")
                assert server.asked == []


@asynchronous
async def test_a_server_without_tls_is_told() -> None:
    async with serving(lambda _: Reply()) as server:
        response = await sent(server.url().replace("http:", "https:"))
        assert (response.error or "").startswith("TLS with 127.0.0.1")


def test_an_authority_that_is_none_is_an_access_error(tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("nothing")
    for path, told in ((tmp_path / "absent.pem", "no such file"), (tmp_path / "empty.pem", "no pem file")):
        with pytest.raises(AccessError, match=told) as caught:
            HttpClient().trust(path)
        assert caught.value.change != ""
        response = asyncio.run(sent("https://127.0.0.1:1/", ca_file=path))
        assert "cannot be used" in (response.error or "")


@asynchronous
async def test_a_request_that_is_not_answered_in_time() -> None:
    for reply in (Reply(silent=True), Reply(pieces=(b"x",), hangs=True)):
        assert (await answered(lambda _, r=reply: r, timeout=0.2)).error == "timed out after 0.2s"  # type: ignore[misc]


@asynchronous
async def test_a_resolver_that_never_answers() -> None:
    async def never(_host: str, _port: int) -> Sequence[str]:
        await asyncio.Event().wait()
        return ()

    assert (await sent("http://web.example.com/", HttpClient(never), timeout=0.1)).error == "timed out after 0.1s"


@asynchronous
async def test_no_sample_goes_on_after_the_deadline() -> None:
    async with serving(lambda _: Reply(silent=True)) as server:
        asked = HttpRequest("version", "external", server.url(), timeout=60)
        response = await HttpClient().send(asked, time.monotonic() + 0.2)
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
