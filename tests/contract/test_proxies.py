"""Through a proxy, and past it: the API server, and requests by URL. What a proxy hears holds no secret."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from pydantic import SecretStr

from gate.adapters.failures import ReadFailed
from gate.adapters.http.client import HttpClient
from gate.adapters.kubernetes.access import Access, KubeconfigText, ServerAccess
from gate.adapters.kubernetes.api import KubernetesApi
from gate.adapters.kubernetes.connection import Setting
from gate.app.requests import make_send, proxies_for
from gate.config.model import Environment, Request
from gate.errors import AccessError
from tests.support.authority import Authority
from tests.support.kubernetes import TOKEN, get_web, patience, thing
from tests.support.loopback import Asked, Reply, asynchronous, serving
from tests.support.relay import relay
from tests.support.samples import sent

NAMED = "api.example.test"
PASSWORD = "proxy-password-that-nobody-may-see"


def _by_server(authority: Authority) -> Access:
    return ServerAccess(server=f"https://{NAMED}:6443", token=SecretStr(TOKEN), authority=str(authority.file))


def _by_kubeconfig(authority: Authority, proxy: str) -> Access:
    cluster = {"server": f"https://{NAMED}:6443", "certificate-authority": str(authority.file), "proxy-url": proxy}
    config = {
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": {"token": TOKEN}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "c",
    }
    return KubeconfigText(content=SecretStr(yaml.safe_dump(config)))


@pytest.mark.parametrize("told_by", ["environment", "kubeconfig"])
@asynchronous
async def test_the_api_server_behind_a_proxy(told_by: str, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    seen: list[str] = []

    def handler(asked: Asked) -> Reply:
        seen.append(asked.headers["authorization"])
        return Reply(body=thing())

    async with serving(handler, authority.issue(NAMED).server()) as server:
        with relay(server.port) as proxy:
            url = f"http://gate:{PASSWORD}@127.0.0.1:{proxy.port}"
            by_environment = told_by == "environment"
            access = _by_server(authority) if by_environment else _by_kubeconfig(authority, url)
            setting = Setting({"HTTPS_PROXY": url if by_environment else "http://127.0.0.1:9"})
            async with KubernetesApi(access, setting, patience=patience()) as api:
                assert await get_web(api) == thing()
            assert proxy.asked_for == [f"{NAMED}:6443"]
            assert TOKEN not in "".join(proxy.heads)
            assert seen == [f"Bearer {TOKEN}"]


@asynchronous
async def test_the_way_past_the_proxy_is_taken_where_no_proxy_says_so(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    with relay(9) as proxy:
        setting = Setting({"HTTPS_PROXY": f"http://127.0.0.1:{proxy.port}", "NO_PROXY": ".example.test"})
        async with KubernetesApi(_by_server(authority), setting, patience=patience()) as api:
            with pytest.raises(ReadFailed, match="cannot be resolved"):
                await get_web(api)
        assert proxy.heads == []


@asynchronous
async def test_a_proxy_that_refuses_is_told_without_its_password(tmp_path: Path) -> None:
    with relay(9, refuses="407 Proxy Authentication Required") as proxy:
        setting = Setting({"HTTPS_PROXY": f"http://gate:{PASSWORD}@127.0.0.1:{proxy.port}"})
        async with KubernetesApi(_by_server(Authority(tmp_path)), setting, patience=patience()) as api:
            with pytest.raises(ReadFailed) as caught:
                await get_web(api)
        assert PASSWORD not in str(caught.value)
        assert TOKEN not in str(caught.value)


@pytest.mark.parametrize("scheme", ["https", "http"])
@asynchronous
async def test_a_request_by_url_goes_through_the_proxy_by_its_name(scheme: str, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    tls = authority.issue("shop.example.test").server() if scheme == "https" else None
    async with serving(lambda _: Reply(body="2.0.0"), tls) as server:
        with relay(server.port) as proxy:
            proxies = {scheme: f"http://gate:{PASSWORD}@127.0.0.1:{proxy.port}"}
            url = f"{scheme}://shop.example.test/version"
            response = await sent(url, ca_file=authority.file, proxies=proxies)
            assert (response.status, response.body, response.route) == (200, "2.0.0", "external")
            assert proxy.asked_for == ["shop.example.test:443" if tls else url]
            assert server.asked[0].headers["host"] == "shop.example.test"
            past = await sent(url, HttpClient(_nowhere), ca_file=authority.file)
            assert "cannot be resolved" in (past.error or "")


async def _nowhere(_host: str, _port: int) -> tuple[str, ...]:
    return ()


@asynchronous
async def test_the_certificate_counts_behind_a_proxy_too(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    async with serving(lambda _: Reply(body="x"), authority.issue("other.example.test").server()) as server:
        with relay(server.port) as proxy:
            proxies = {"https": f"http://127.0.0.1:{proxy.port}"}
            response = await sent("https://shop.example.test/", ca_file=authority.file, proxies=proxies)
    assert "certificate" in (response.error or "").lower()


@pytest.mark.parametrize("host", ["169.254.169.254", "metadata.google.internal", "0x7f.1"])
@asynchronous
async def test_no_proxy_is_asked_for_what_may_not_be_asked(host: str) -> None:
    with relay(9) as proxy:
        response = await sent(f"http://{host}/", proxies={"http": f"http://127.0.0.1:{proxy.port}"})
        assert response.error is not None
        assert proxy.heads == []


@asynchronous
async def test_a_proxy_in_the_way_of_a_request_is_named_without_its_password() -> None:
    with relay(9, refuses="403 Forbidden") as proxy:
        proxies = {"https": f"http://gate:{PASSWORD}@127.0.0.1:{proxy.port}"}
        response = await sent("https://shop.example.test/", proxies=proxies)
        error = response.error or ""
        assert error.startswith(f"the proxy 127.0.0.1:{proxy.port} does not lead to shop.example.test:443: 403")
        assert PASSWORD not in error
    gone = await sent("https://shop.example.test/", proxies={"https": "http://127.0.0.1:9"})
    assert gone.error == "connection refused (the proxy 127.0.0.1:9)"


PROXY = "http://proxy.example:3128"


@pytest.mark.parametrize(
    ("url", "environ", "expected"),
    [
        ("https://shop.example", {"HTTPS_PROXY": PROXY}, {"https": PROXY}),
        ("http://shop.example", {"http_proxy": PROXY, "HTTPS_PROXY": "http://b:1"}, {"http": PROXY, "https": "http://b:1"}),
        ("https://shop.example", {"HTTPS_PROXY": PROXY, "NO_PROXY": "shop.example"}, {}),
        ("https://shop.example:8443", {"HTTPS_PROXY": PROXY, "NO_PROXY": "shop.example:443"}, {"https": PROXY}),
        ("https://localhost", {"HTTPS_PROXY": PROXY}, {}),
        ("https://shop.example", {"ALL_PROXY": PROXY}, {}),
    ],
)  # fmt: skip
def test_which_proxy_a_request_takes(url: str, environ: dict[str, str], expected: dict[str, str]) -> None:
    request = Request.model_validate({"name": "version", "url": url, "workload": "shop/web"})
    assert proxies_for(request, environ) == expected


def test_a_service_never_goes_through_a_proxy_of_the_environment() -> None:
    for route in ("service-proxy", "cluster"):
        request = Request.model_validate({"name": "version", "service": "shop/web:http", "route": route})
        assert proxies_for(request, {"HTTPS_PROXY": PROXY, "HTTP_PROXY": PROXY}) == {}


def test_a_proxy_that_is_none_is_refused_and_one_that_is_used_is_told() -> None:
    request = {"name": "version", "url": "https://shop.example", "workload": "shop/web"}
    settings = Environment.model_validate({"applications": [{"name": "shop"}], "requests": [request]})
    with pytest.raises(AccessError, match="proxy in the environment is not usable"):
        make_send(settings, _NO_CLUSTER, {}, {"HTTPS_PROXY": "socks5://proxy:1080"})
    said: list[str] = []
    environ = {"HTTPS_PROXY": f"http://gate:{PASSWORD}@proxy.example:3128"}
    make_send(settings, _NO_CLUSTER, {}, environ, said.append)
    assert said == ["Request version goes through the proxy proxy.example, not as a user's would."]


_NO_CLUSTER = KubernetesApi(ServerAccess(server="https://api", token=SecretStr("t")), Setting())
