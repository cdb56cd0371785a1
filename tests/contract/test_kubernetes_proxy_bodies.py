"""Answers by Service proxy: bodies that are long, packed, oddly encoded, cut or never there."""

import gzip
import time
import zlib

import pytest
from pydantic import SecretStr

from gate.adapters.exchange import BODY_CAP
from gate.adapters.kubernetes.access import ServerAccess
from gate.adapters.kubernetes.api import KubernetesApi
from gate.adapters.kubernetes.connection import Setting
from tests.support.kubernetes import TOKEN, cluster, patience
from tests.support.loopback import Reply, asynchronous, serving
from tests.support.proxied import WEB, sent


@asynchronous
async def test_a_long_body_is_cut_at_the_cap_and_a_body_of_just_the_cap_is_not() -> None:
    response, _ = await sent(lambda _: Reply(pieces=(b"x" * 65536,) * 17, hangs=True))
    assert response.truncated
    assert response.body is not None
    assert len(response.body) == BODY_CAP
    response, _ = await sent(lambda _: Reply(body=b"x" * BODY_CAP))
    assert not response.truncated


@asynchronous
async def test_compressed_bodies_are_undone_and_bombs_are_cut() -> None:
    packed = {"gzip": gzip.compress(b"release r2"), "deflate": zlib.compress(b"release r2")}
    for encoding, body in packed.items():
        response, _ = await sent(lambda _, e=encoding, b=body: Reply(body=b, headers={"content-encoding": e}))  # type: ignore[misc]
        assert response.body == "release r2"
    bomb = Reply(body=gzip.compress(b"0" * 50_000_000), headers={"content-encoding": "gzip"})
    response, _ = await sent(lambda _: bomb)
    assert response.truncated
    assert response.body is not None
    assert len(response.body) == BODY_CAP


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", b"plain"),
        ("gzip", gzip.compress(b"x" * 1000, mtime=0)[:-12]),
        ("gzip", gzip.compress(b"a", mtime=0) + gzip.compress(b"b", mtime=0)),
        ("br", b"x"),
        ("gzip, gzip", b"x"),
    ],
)
@asynchronous
async def test_a_body_that_cannot_be_unpacked_is_an_error(encoding: str, body: bytes) -> None:
    response, _ = await sent(lambda _: Reply(body=body, headers={"content-encoding": encoding}))
    assert response.status is None
    assert response.body is None
    assert response.error is not None


@pytest.mark.parametrize(
    ("content_type", "body", "text"),
    [
        ("text/plain; charset=iso-8859-1", b"caf\xe9", "café"),
        ("text/plain; charset=utf-8", b"caf\xc3\xa9", "café"),
        ("text/plain", b"caf\xc3\xa9", "café"),
        ("text/plain; charset=utf-8", b"\xff", "\ufffd"),
        ("text/plain; charset=no-such", b"a", "a"),
        ("text/plain; charset=zip", b"a", "a"),
        ("text/plain; charset=idna", b"a", "a"),
        ("text/plain; charset=\xff", b"a", "a"),
        ("", b"a", "a"),
    ],
)
@asynchronous
async def test_a_body_is_read_by_its_charset(content_type: str, body: bytes, text: str) -> None:
    response, _ = await sent(lambda _: Reply(body=body, headers={"content-type": content_type}))
    assert response.body == text


@asynchronous
async def test_a_service_that_never_answers_times_out() -> None:
    for reply in (Reply(silent=True), Reply(pieces=(b"x",), hangs=True)):
        response, _ = await sent(lambda _, r=reply: r, timeout=0.2)  # type: ignore[misc]
        assert response.status is None
        assert response.error is not None
        assert "within 0.2 s" in response.error


@asynchronous
async def test_no_sample_goes_on_after_the_deadline() -> None:
    async with cluster(lambda _: Reply(silent=True)) as (api, server):
        api.deadline = time.monotonic() + 0.2
        assert (await api.send_by_proxy("version", WEB, timeout=60)).error is not None
        api.deadline = time.monotonic() - 1
        assert (await api.send_by_proxy("version", WEB)).error == "there was no time left to ask"
        assert len(server.asked) == 1


@asynchronous
async def test_an_answer_that_was_cut_is_no_answer() -> None:
    response, _ = await sent(lambda _: Reply(body="release r2", cut=True))
    assert response.status is None
    assert response.error is not None
    assert "ended before the answer was complete" in response.error


@asynchronous
async def test_a_closed_port_is_one_clean_line() -> None:
    async with serving(lambda _: Reply()) as loopback:
        access = ServerAccess(server=loopback.url(), token=SecretStr(TOKEN))
    async with KubernetesApi(access, Setting(), patience=patience()) as api:
        response = await api.send_by_proxy("version", WEB)
        assert response.error == f"connection refused (127.0.0.1:{loopback.port})"
