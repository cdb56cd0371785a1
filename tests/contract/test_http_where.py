"""Where a sample may go: checked addresses, verified names, and redirects that stay on the host."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from pydantic import SecretStr

from gate.adapters.http.client import HttpClient
from gate.errors import AccessError
from tests.support.authority import Authority
from tests.support.loopback import Reply, asynchronous, serving
from tests.support.samples import SECRET, answered, resolver, sent


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
async def test_the_connection_is_made_to_the_checked_address_and_no_other() -> None:
    async with serving(lambda _: Reply(body="ok")) as server:
        response = await sent(server.url("localhost"), HttpClient(resolver("127.0.0.9")))
        assert (response.error or "").startswith("connection refused")
        assert server.asked == []


@asynchronous
async def test_a_certificate_that_is_not_valid_is_not_passed_over_for_the_next_address(tmp_path: Path) -> None:
    shown = Authority(tmp_path).issue("localhost")
    async with serving(lambda _: Reply(body="ok"), shown.server()) as server:
        response = await sent(server.url("localhost"), HttpClient(resolver("127.0.0.1", "127.0.0.9")))
        assert (response.error or "").startswith("TLS certificate not valid")


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
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(plain, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        response = await sent(f"https://127.0.0.1:{port}/")
    assert (response.error or "").startswith(f"TLS with 127.0.0.1:{port} failed")


def test_an_authority_that_is_none_is_an_access_error(tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("nothing")
    for path, told in ((tmp_path / "absent.pem", "no such file"), (tmp_path / "empty.pem", "no pem file")):
        with pytest.raises(AccessError, match=told) as caught:
            HttpClient().trust(path)
        assert caught.value.change != ""
        response = asyncio.run(sent("https://127.0.0.1:1/", ca_file=path))
        assert "cannot be used" in (response.error or "")


@asynchronous
async def test_a_resolver_that_never_answers() -> None:
    async def never(_host: str, _port: int) -> Sequence[str]:
        await asyncio.Event().wait()
        return ()

    assert (await sent("http://web.example.com/", HttpClient(never), timeout=0.1)).error == "timed out after 0.1s"
