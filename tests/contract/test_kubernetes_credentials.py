"""Credentials that expire while the gate waits, and TLS that must be verified."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from gate.adapters.failures import Cause, ReadFailed
from gate.adapters.kubernetes import api as api_module
from gate.adapters.kubernetes.access import ServerAccess
from gate.adapters.kubernetes.api import KubernetesApi
from gate.adapters.kubernetes.connection import Setting, connect
from gate.errors import InternalError
from tests.support.authority import Authority
from tests.support.kubernetes import TOKEN, cluster, get_web, kubeconfig, patience, status, thing
from tests.support.loopback import Asked, Reply, asynchronous, serving


@asynchronous
async def test_credentials_are_loaded_again_once_at_401(tmp_path: Path) -> None:
    def handler(asked: Asked) -> Reply:
        good = asked.headers.get("authorization") == "Bearer second"
        return Reply(body=thing()) if good else status(401, "Unauthorized", "Unauthorized")

    async with (
        serving(handler) as loopback,
        KubernetesApi(kubeconfig(tmp_path, loopback), Setting(), patience=patience()) as api,
    ):
        (tmp_path / "token").write_text("second\n")
        assert await get_web(api) == thing()
        assert [asked.headers["authorization"] for asked in loopback.asked] == ["Bearer first", "Bearer second"]
        assert await get_web(api) == thing()
        assert len(loopback.asked) == 3


@asynchronous
async def test_many_reads_at_once_load_the_credentials_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loads = 0

    async def counted(*args: Any, **keywords: Any) -> Any:
        nonlocal loads
        loads += 1
        return await connect(*args, **keywords)

    def handler(asked: Asked) -> Reply:
        good = asked.headers.get("authorization") == "Bearer second"
        return Reply(body=thing()) if good else status(401, "Unauthorized")

    monkeypatch.setattr(api_module, "connect", counted)
    async with (
        serving(handler) as loopback,
        KubernetesApi(kubeconfig(tmp_path, loopback), Setting(), patience=patience()) as api,
    ):
        (tmp_path / "token").write_text("second")
        found = await asyncio.gather(*(get_web(api) for _ in range(8)))
        assert found == [thing()] * 8
        assert loads == 2


@asynchronous
async def test_new_credentials_do_not_break_a_read_that_is_under_way(tmp_path: Path) -> None:
    goes_on = asyncio.Event()

    async def slowly() -> AsyncIterator[bytes]:
        yield b"{"
        await goes_on.wait()
        yield json.dumps(thing(name="slow")).encode()[1:]

    def handler(asked: Asked) -> Reply:
        if asked.path.endswith("/slow"):
            return Reply(stream=slowly())
        good = asked.headers.get("authorization") == "Bearer second"
        return Reply(body=thing()) if good else status(401, "Unauthorized")

    async with (
        serving(handler) as loopback,
        KubernetesApi(kubeconfig(tmp_path, loopback), Setting(), patience=patience()) as api,
    ):
        slow = asyncio.create_task(api.get("Deployment", "orders", "slow"))
        await loopback.until(1)
        (tmp_path / "token").write_text("second")
        assert await get_web(api) == thing()
        goes_on.set()
        assert await slow == thing(name="slow")


@asynchronous
async def test_a_401_that_stays_is_told_and_asked_for_twice_only() -> None:
    async with cluster(lambda _: status(401, "Unauthorized", TOKEN), attempts=3) as (api, server):
        with pytest.raises(ReadFailed) as caught:
            await get_web(api)
        assert (caught.value.cause, caught.value.status) == (Cause.UNAUTHORIZED, 401)
        assert "also after they were loaded again" in caught.value.error
        assert TOKEN not in caught.value.error
        assert len(server.asked) == 2


@asynchronous
async def test_a_401_whose_credentials_are_gone_is_a_failure_and_no_crash(tmp_path: Path) -> None:
    async with (
        serving(lambda _: status(401, "Unauthorized")) as loopback,
        KubernetesApi(kubeconfig(tmp_path, loopback), Setting(), patience=patience()) as api,
    ):
        (tmp_path / "token").unlink()
        with pytest.raises(ReadFailed, match="cannot be loaded again") as caught:
            await get_web(api)
        assert caught.value.status == 401


@asynchronous
async def test_tls_is_verified_against_the_given_authority(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    (tmp_path / "other").mkdir()
    other = Authority(tmp_path / "other")
    cases = [
        (authority, authority.issue("127.0.0.1"), None),
        (other, authority.issue("127.0.0.1"), "TLS certificate not valid for 127.0.0.1"),
        (authority, authority.issue("api.example.com"), "IP address mismatch"),
        (authority, authority.issue("127.0.0.1", days=-1), "expired"),
    ]
    for trusted, shown, told in cases:
        async with serving(lambda _: Reply(body=thing()), shown.server()) as loopback:
            access = ServerAccess(server=loopback.url(), token=SecretStr(TOKEN), authority=str(trusted.file))
            async with KubernetesApi(access, Setting(), patience=patience()) as api:
                if told is None:
                    assert await get_web(api) == thing()
                else:
                    with pytest.raises(ReadFailed) as caught:
                        await get_web(api)
                    assert caught.value.cause is Cause.TLS
                    assert told in caught.value.error
                    assert loopback.asked == []


@asynchronous
async def test_the_system_does_not_trust_an_unknown_authority(tmp_path: Path) -> None:
    shown = Authority(tmp_path).issue("127.0.0.1")
    async with serving(lambda _: Reply(body=thing()), shown.server()) as loopback:
        access = ServerAccess(server=loopback.url(), token=SecretStr(TOKEN))
        async with KubernetesApi(access, Setting(), patience=patience()) as api:
            with pytest.raises(ReadFailed) as caught:
                await get_web(api)
            assert caught.value.cause is Cause.TLS


@pytest.mark.parametrize(
    ("cluster", "allowed", "works"),
    [
        ({}, False, False),
        ({"tls-server-name": "api.example.com"}, False, True),
        ({"tls-server-name": "other.example.com"}, False, False),
        ({"insecure-skip-tls-verify": True}, True, True),
        ({}, True, False),
    ],
)
@asynchronous
async def test_a_kubeconfig_says_whose_certificate_is_expected(
    tmp_path: Path, cluster: dict[str, Any], allowed: bool, works: bool
) -> None:
    authority = Authority(tmp_path)
    shown = authority.issue("api.example.com")
    async with serving(lambda _: Reply(body=thing()), shown.server()) as loopback:
        access = kubeconfig(tmp_path, loopback, **({"certificate-authority": str(authority.file)} | cluster))
        async with KubernetesApi(access, Setting(), patience=patience(), allow_unverified=allowed) as api:
            if works:
                assert await get_web(api) == thing()
            else:
                with pytest.raises(ReadFailed) as caught:
                    await get_web(api)
                assert caught.value.cause is Cause.TLS
                assert loopback.asked == []


@asynchronous
async def test_a_client_certificate_is_shown(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    shown, client = authority.issue("127.0.0.1"), authority.issue("client")
    tls = shown.server()
    tls.load_verify_locations(authority.file)
    tls.verify_mode = ssl.CERT_REQUIRED
    async with serving(lambda _: Reply(body=thing()), tls) as loopback:
        access = kubeconfig(
            tmp_path,
            loopback,
            user={"client-certificate": str(client.certificate), "client-key": str(client.key)},
            **{"certificate-authority": str(authority.file)},
        )
        async with KubernetesApi(access, Setting(), patience=patience()) as api:
            assert await get_web(api) == thing()
            assert "authorization" not in loopback.asked[0].headers


@asynchronous
async def test_an_api_that_was_closed_says_so() -> None:
    async with cluster(lambda _: Reply(body=thing())) as (api, _):
        assert await get_web(api) == thing()
    with pytest.raises(InternalError):
        await get_web(api)
