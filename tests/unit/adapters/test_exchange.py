"""Bodies are undone within their cap, in memory too; headers that cannot be sent are told."""

import gzip
import tracemalloc

import pytest
from pydantic import SecretStr

from gate.adapters.exchange import BODY_CAP, CappedBody, UnknownEncoding, kept_headers, request_fault


def test_a_bomb_is_not_blown_up_in_memory() -> None:
    bomb = gzip.compress(b"0" * (64 * 1024 * 1024))
    body = CappedBody("gzip")
    tracemalloc.start()
    try:
        assert not body.feed(bomb)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert body.truncated
    assert len(body.data) == BODY_CAP
    assert peak < 8 * BODY_CAP


@pytest.mark.parametrize("size", [0, 1, 9, 10])
def test_up_to_the_cap_nothing_is_cut(size: int) -> None:
    for encoding, packed in (("", b"x" * size), ("gzip", gzip.compress(b"x" * size))):
        body = CappedBody(encoding, cap=10)
        for index in range(len(packed)):
            assert body.feed(packed[index : index + 1])
        assert (body.data, body.truncated, body.complete) == (b"x" * size, False, True)


def test_one_byte_more_is_cut() -> None:
    for encoding, packed in (("identity", b"x" * 11), ("GZIP ", gzip.compress(b"x" * 11))):
        body = CappedBody(encoding, cap=10)
        assert not body.feed(packed)
        assert (body.data, body.truncated) == (b"x" * 10, True)


def test_a_packed_body_without_its_end_is_not_complete() -> None:
    body = CappedBody("gzip")
    body.feed(gzip.compress(b"x" * 100)[:-8])
    assert not body.complete
    assert CappedBody("gzip").complete


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, br", "compress"])
def test_an_encoding_that_was_not_asked_for(encoding: str) -> None:
    with pytest.raises(UnknownEncoding, match="was not asked for"):
        CappedBody(encoding)


def test_only_three_headers_are_kept_one_line_each() -> None:
    given = {"Content-Type": "text/\x1bplain", "DATE": "x", "Location": "/a?b", "Set-Cookie": "c", "X-Key": "d"}
    assert kept_headers(given) == {"content-type": "text/ plain", "date": "x", "location": "/a"}
    assert kept_headers({}) == {}


def test_what_may_be_sent() -> None:
    assert request_fault("GET", {}) is None
    assert (
        request_fault("POST", {"X-Key": SecretStr("a b"), "Authorization": SecretStr("Bearer x"), "X": SecretStr("")})
        is None
    )
