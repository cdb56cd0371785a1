"""The ways into a cluster: exactly one, given explicitly, told without secrets."""

import base64
import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import SecretStr

from gate.adapters.kubernetes.access import (
    InCluster,
    KubeconfigFiles,
    KubeconfigText,
    ServerAccess,
    choose_access,
    laptop_kubeconfigs,
)
from gate.adapters.kubernetes.connection import Setting, connect
from gate.errors import AccessError
from tests.support.access import SERVER, TOKEN, kubeconfig, opened, refused, written
from tests.support.authority import Authority
from tests.support.loopback import asynchronous


@pytest.mark.parametrize("encode", [lambda text: text, lambda text: base64.b64encode(text.encode()).decode()])
@asynchronous
async def test_content_is_read_as_yaml_or_base64(encode: Any) -> None:
    access = choose_access(kubeconfig=SecretStr(encode(yaml.safe_dump(kubeconfig()))), context="production")
    assert isinstance(access, KubeconfigText)
    assert TOKEN not in repr(access)
    assert (await opened(access)).server.url == SERVER


@asynchronous
async def test_server_token_and_authority_as_path_or_text(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    for given in (str(authority.file), authority.file.read_text()):
        access = choose_access(server=SERVER, token=SecretStr(f"{TOKEN}\n"), authority=given)
        assert TOKEN not in repr(access)
        connection = await opened(access)
        assert (await connection.headers())["Authorization"] == f"Bearer {TOKEN}"


@pytest.mark.parametrize(
    ("access", "told"),
    [
        (ServerAccess(server=SERVER, token=SecretStr("")), "is empty"),
        (ServerAccess(server=SERVER, token=SecretStr("a b")), "not a bearer token"),
        (ServerAccess(server=SERVER, token=SecretStr("a\nb")), "not a bearer token"),
        (ServerAccess(server="", token=SecretStr(TOKEN)), "not usable"),
        (ServerAccess(server=SERVER, token=SecretStr(TOKEN), authority="/absent.pem"), "/absent.pem"),
        (ServerAccess(server=SERVER, token=SecretStr(TOKEN), authority="a\nb"), "holds no certificate"),
    ],
)
def test_each_fault_of_server_and_token_is_told(access: ServerAccess, told: str) -> None:
    assert told in refused(access).happened


@asynchronous
async def test_the_service_account_is_used_when_asked_for(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    (tmp_path / "token").write_text(TOKEN)
    access = InCluster(token_file=tmp_path / "token", authority_file=authority.file)
    environ = {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443"}
    connection = await opened(access, Setting(environ))
    assert connection.server.url == "https://10.0.0.1:443"
    assert (await connection.headers())["Authorization"].lower() == f"bearer {TOKEN}"


def test_outside_of_a_pod_there_is_no_service_account(tmp_path: Path) -> None:
    error = refused(InCluster(token_file=tmp_path / "token", authority_file=tmp_path / "ca"))
    assert "service account cannot be used" in error.happened


def test_two_ways_in_are_a_contradiction() -> None:
    with pytest.raises(AccessError, match="a kubeconfig and server and token"):
        choose_access(kubeconfig=SecretStr("/config"), server=SERVER, token=SecretStr(TOKEN))
    with pytest.raises(AccessError, match="a kubeconfig and the Pod's service account"):
        choose_access(kubeconfig=SecretStr("/config"), in_cluster=True)


def test_half_a_way_in_is_told() -> None:
    with pytest.raises(AccessError, match="lacks a token"):
        choose_access(server=SERVER)
    with pytest.raises(AccessError, match="lacks the API server's URL"):
        choose_access(token=SecretStr(TOKEN))


def test_nothing_given_is_an_error_unless_files_were_asked_for(tmp_path: Path) -> None:
    with pytest.raises(AccessError, match="No access to the cluster was given"):
        choose_access()
    assert choose_access(fallback=(tmp_path,), context="a") == KubeconfigFiles(paths=(tmp_path,), context="a")


def test_a_context_needs_a_kubeconfig() -> None:
    with pytest.raises(AccessError, match="no kubeconfig was given"):
        choose_access(server=SERVER, token=SecretStr(TOKEN), context="staging")
    with pytest.raises(AccessError, match="no kubeconfig was given"):
        choose_access(in_cluster=True, context="staging")


@pytest.mark.parametrize("text", ["", "\n", f"{TOKEN}{'x' * 60}"])
def test_an_empty_or_mistaken_kubeconfig_is_refused_without_being_shown(text: str) -> None:
    with pytest.raises(AccessError) as caught:
        choose_access(kubeconfig=SecretStr(text))
    assert TOKEN not in caught.value.diagnostics()


def test_the_files_of_a_laptop_are_those_of_kubectl(tmp_path: Path) -> None:
    assert laptop_kubeconfigs({}, tmp_path) == (tmp_path / ".kube" / "config",)
    assert laptop_kubeconfigs({"KUBECONFIG": ""}, tmp_path) == (tmp_path / ".kube" / "config",)
    both = os.pathsep.join(["/a", "", "/b"])
    assert laptop_kubeconfigs({"KUBECONFIG": both}, tmp_path) == (Path("/a"), Path("/b"))


def test_the_environment_gives_no_access_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", str(written(tmp_path, kubeconfig()).paths[0]))
    monkeypatch.setenv("HOME", str(tmp_path))
    refused(KubeconfigFiles(paths=(tmp_path / "absent",)))


@asynchronous
async def test_localhost_in_a_container_action_is_noted_with_the_remedy(tmp_path: Path) -> None:
    mark = tmp_path / ".dockerenv"
    access = ServerAccess(server="https://localhost:6443", token=SecretStr(TOKEN))
    setting = Setting({"GITHUB_ACTIONS": "true"}, mark)
    connection, notes = await connect(access, setting)
    await connection.close()
    assert notes == ()
    mark.touch()
    connection, notes = await connect(access, setting)
    await connection.close()
    assert "localhost:6443 is on loopback; in a container action this is the container itself" in notes[0]


@pytest.mark.parametrize(
    ("environ", "proxy"),
    [
        ({}, None),
        ({"HTTPS_PROXY": "http://proxy:3128"}, "http://proxy:3128"),
        ({"https_proxy": "http://proxy:3128", "NO_PROXY": "other.org, .example.com"}, None),
        ({"https_proxy": "http://proxy:3128", "NO_PROXY": "ample.com"}, "http://proxy:3128"),
        ({"http_proxy": "http://proxy:3128"}, None),
        ({"https_proxy": "http://proxy:3128", "no_proxy": "*"}, None),
    ],
)
@asynchronous
async def test_the_proxy_of_the_environment_is_taken_as_kubectl_takes_it(
    environ: dict[str, str], proxy: str | None
) -> None:
    access = ServerAccess(server=SERVER, token=SecretStr(TOKEN))
    assert (await opened(access, Setting(environ))).fixed["proxy"] == proxy
