"""Every way in which the API server or the network fails ends in one clean line, in time."""

import time
from pathlib import Path

import pytest
from pydantic import SecretStr

from gate.adapters.failures import Cause, ReadFailed
from gate.adapters.kubernetes.access import ServerAccess
from gate.adapters.kubernetes.api import KubernetesApi
from gate.adapters.kubernetes.connection import Setting
from gate.adapters.kubernetes.transport import Limits
from tests.support.kubernetes import (
    TOKEN,
    cluster,
    failing,
    get_web,
    kubeconfig,
    list_pods,
    page,
    patience,
    status,
    thing,
)
from tests.support.loopback import Asked, Reply, asynchronous, serving

QUICK = Limits(connect=5.0, idle=0.2, call=0.4)


@pytest.mark.parametrize(
    ("reply", "cause", "told"),
    [
        (
            status(403, "Forbidden", 'pods is forbidden: User "ci" cannot list resource "pods"'),
            Cause.FORBIDDEN,
            "cannot list",
        ),
        (status(410, "Expired", "too old"), Cause.EXPIRED, "too old"),
        (status(429, "TooManyRequests", "slow down"), Cause.THROTTLED, "too many requests"),
        (status(500, "InternalError", "etcdserver: request timed out"), Cause.SERVER_ERROR, "etcdserver"),
        (status(503, "ServiceUnavailable"), Cause.SERVER_ERROR, "HTTP 503"),
        (Reply(502, "<html>secret page</html>"), Cause.SERVER_ERROR, "HTTP 502"),
        (Reply(418, b"\x1b[31mteapot"), Cause.REFUSED, "HTTP 418"),
        (Reply(302, headers={"location": "https://login.example.com"}), Cause.REFUSED, "redirect"),
        (Reply(201, thing()), Cause.REFUSED, "HTTP 201"),
    ],
)
@asynchronous
async def test_each_refusal_is_told_apart(reply: Reply, cause: Cause, told: str) -> None:
    for read in (list_pods, get_web):
        error = await failing(read, lambda _: reply)
        assert (error.cause, error.status) == (cause, reply.status)
        assert told in error.error
        assert "secret page" not in error.error
        assert "\x1b" not in error.error


@asynchronous
async def test_only_one_kind_is_forbidden() -> None:
    def handler(asked: Asked) -> Reply:
        return status(403, "Forbidden", "no") if "/pods" in asked.path else page("Service", [])

    async with cluster(handler) as (api, _):
        assert await api.list_objects("Service", "orders") == ()
        with pytest.raises(ReadFailed) as caught:
            await list_pods(api)
        assert "(list in namespace orders)" in caught.value.error


@asynchronous
async def test_a_message_is_cut_and_brought_to_one_line() -> None:
    error = await failing(list_pods, lambda _: status(403, "Forbidden", "a\n\u202eb" + "x" * 1000))
    assert "a b" in error.error
    assert len(error.error) < 330


@asynchronous
async def test_a_redirect_is_not_followed() -> None:
    async with serving(lambda _: Reply(body=thing())) as other:
        away = Reply(307, headers={"location": other.url() + "/apis/apps/v1/namespaces/orders/deployments/web"})
        await failing(get_web, lambda _: away)
        assert other.asked == []


@asynchronous
async def test_transient_failures_are_tried_again_and_final_ones_are_not() -> None:
    answers = [status(500, "InternalError"), Reply(cut=True, body=b"{"), Reply(body=thing())]
    async with cluster(lambda _: answers.pop(0), attempts=3) as (api, _):
        assert await get_web(api) == thing()
    async with cluster(lambda _: status(403, "Forbidden"), attempts=3) as (api, server):
        with pytest.raises(ReadFailed):
            await get_web(api)
        assert len(server.asked) == 1


@asynchronous
async def test_a_read_that_never_answers_times_out() -> None:
    error = await failing(get_web, lambda _: Reply(silent=True), limits=QUICK)
    assert error.cause is Cause.TIMEOUT
    assert "sent nothing for 0.2 s" in error.error


@asynchronous
async def test_an_answer_that_never_ends_times_out() -> None:
    error = await failing(get_web, lambda _: Reply(pieces=(b"{",), hangs=True), limits=QUICK)
    assert error.cause is Cause.TIMEOUT
    slow = Limits(idle=5.0, call=0.3)
    error = await failing(get_web, lambda _: Reply(pieces=(b"{",), hangs=True), limits=slow)
    assert "within 0.3 s" in error.error


@asynchronous
async def test_nothing_goes_on_after_the_deadline() -> None:
    async with cluster(lambda _: Reply(silent=True), attempts=3) as (api, server):
        api.deadline = time.monotonic() + 0.2
        with pytest.raises(ReadFailed) as caught:
            await get_web(api)
        assert caught.value.cause is Cause.TIMEOUT
        assert len(server.asked) == 1
        api.deadline = time.monotonic() - 1
        with pytest.raises(ReadFailed, match="no time left"):
            await get_web(api)
        assert len(server.asked) == 1


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nx: " + b"y" * 70_000,
    ],
)
@asynchronous
async def test_a_connection_that_breaks_off_is_a_clean_failure(raw: bytes) -> None:
    error = await failing(get_web, lambda _: Reply(raw=raw))
    assert error.cause is Cause.UNREACHABLE


@asynchronous
async def test_a_closed_port_is_named() -> None:
    async with serving(lambda _: Reply()) as loopback:
        access = ServerAccess(server=loopback.url(), token=SecretStr(TOKEN))
    async with KubernetesApi(access, Setting(), patience=patience()) as api:
        with pytest.raises(ReadFailed, match=r"connection refused \(127\.0\.0\.1:"):
            await get_web(api)


@asynchronous
async def test_an_unknown_host_is_named() -> None:
    access = ServerAccess(server="https://no-such-host.invalid", token=SecretStr(TOKEN))
    async with KubernetesApi(access, Setting(), patience=patience()) as api:
        with pytest.raises(ReadFailed, match=r"no-such-host\.invalid:443 cannot be resolved"):
            await get_web(api)


@asynchronous
async def test_localhost_in_a_container_is_explained_when_nothing_answers(tmp_path: Path) -> None:
    (tmp_path / "mark").touch()
    async with serving(lambda _: Reply()) as loopback:
        access = ServerAccess(server=loopback.url(), token=SecretStr(TOKEN))
    setting = Setting({"GITHUB_ACTIONS": "true"}, tmp_path / "mark")
    async with KubernetesApi(access, setting, patience=patience()) as api:
        assert len(api.notes) == 1
        with pytest.raises(ReadFailed, match="this is the container itself"):
            await get_web(api)


@asynchronous
async def test_an_answer_has_a_largest_size_and_so_has_a_list() -> None:
    small = Limits(body=2000)
    error = await failing(get_web, lambda _: Reply(body=b" " * 2001), limits=small)
    assert error.cause is Cause.TOO_LARGE
    count = 0

    def handler(_: Asked) -> Reply:
        nonlocal count
        count += 1
        return page("Pod", [{"metadata": {"name": "x" * 800}}], f"{count}")

    error = await failing(list_pods, handler, limits=small)
    assert error.cause is Cause.TOO_LARGE
    assert count == 3


@asynchronous
async def test_nothing_is_taken_from_the_environment_and_nothing_is_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "netrc").write_text(f"machine localhost login x password {TOKEN}\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with serving(lambda _: Reply(body=thing(), headers={"set-cookie": "session=1; path=/"})) as loopback:
        access = kubeconfig(tmp_path, loopback, user={}, server=loopback.url("localhost"))
        async with KubernetesApi(access, Setting(), patience=patience()) as api:
            for _ in range(2):
                assert await get_web(api) == thing()
        assert all({"cookie", "authorization"}.isdisjoint(asked.headers) for asked in loopback.asked)
