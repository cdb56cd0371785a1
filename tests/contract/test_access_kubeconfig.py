"""Kubeconfigs: what is accepted, and every fault told with what to change; nothing silently replaced."""

import base64
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import SecretStr

from gate.adapters.kubernetes.access import (
    KubeconfigFiles,
    KubeconfigText,
)
from gate.adapters.kubernetes.connection import Setting, connect
from tests.support.access import SERVER, TOKEN, kubeconfig, opened, refused, written
from tests.support.loopback import asynchronous


@asynchronous
async def test_a_file_is_read_and_its_token_is_sent(tmp_path: Path) -> None:
    connection = await opened(written(tmp_path, kubeconfig()))
    assert connection.server.url == SERVER
    assert connection.server.host == "api.example.com:6443"
    assert (await connection.headers())["Authorization"] == f"Bearer {TOKEN}"


@asynchronous
async def test_the_first_file_that_names_something_wins_and_missing_ones_are_passed_over(tmp_path: Path) -> None:
    first = written(tmp_path, kubeconfig(cluster={"server": "https://first.example.com"}), "first").paths[0]
    second = written(tmp_path, kubeconfig() | {"current-context": "production"}, "second").paths[0]
    access = KubeconfigFiles(paths=(tmp_path / "absent", first, second))
    assert (await opened(access)).server.url == "https://first.example.com"


def test_a_missing_file_is_told_with_its_path(tmp_path: Path) -> None:
    error = refused(KubeconfigFiles(paths=(tmp_path / "absent",)))
    assert f"{tmp_path / 'absent'}" in error.happened
    assert "no such file" in error.happened
    assert "workspace" in error.change


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("clusters: [", "is not YAML"),
        (f"users:\n\t- token: {TOKEN}", "line 2 is not YAML"),
        ("", "it is empty"),
        ("- a", "not a mapping"),
        ("clusters: x\ncontexts: [{name: a, context: {cluster: c}}]\ncurrent-context: a", "clusters is not a list"),
        ("contexts: [{context: {}}]\ncurrent-context: a", "an entry without a name"),
        ("contexts: [{name: a, context: x}]\ncurrent-context: a", "is not a mapping"),
        ("contexts: [{name: a, context: {}}]\ncurrent-context: a", "names no cluster"),
        ("contexts: [{name: a, context: null}]\ncurrent-context: a", "names no cluster"),
    ],
)
def test_malformed_content_is_told_without_its_text(tmp_path: Path, content: str, told: str) -> None:
    assert told in refused(written(tmp_path, content)).happened


def test_a_binary_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config").write_bytes(b"\xff\xfe\x00")
    assert "not text" in refused(KubeconfigFiles(paths=(tmp_path / "config",))).happened


def test_an_unknown_context_is_answered_with_those_there_are(tmp_path: Path) -> None:
    access = replace(written(tmp_path, kubeconfig()), context="stagin")
    error = refused(access)
    assert "'stagin'" in error.happened
    assert "production, staging" in error.happened
    assert error.change == "Did you mean 'staging'?"


@pytest.mark.parametrize("current", [None, ""])
def test_no_current_context_is_never_guessed(tmp_path: Path, current: str | None) -> None:
    error = refused(written(tmp_path, kubeconfig() | {"current-context": current}))
    assert "no current-context" in error.happened
    assert "production, staging" in error.happened


@pytest.mark.parametrize("section", ["clusters", "users"])
def test_a_context_whose_cluster_or_user_is_missing_is_refused(tmp_path: Path, section: str) -> None:
    error = refused(written(tmp_path, kubeconfig() | {section: []}))
    assert f"it has no {section} at all" in error.happened


@pytest.mark.parametrize(
    ("server", "told"),
    [
        (None, "names no API server"),
        ("", "names no API server"),
        (7, "is not a text"),
        ("api.example.com", "not usable"),
        ("ftp://api.example.com", "not usable"),
        (f"https://u:{TOKEN}@api.example.com", "not usable"),
        ("https://api.example.com:port", "not usable"),
        ("http://api.example.com", "without TLS"),
    ],
)
def test_a_server_that_cannot_be_used_never_becomes_localhost(tmp_path: Path, server: Any, told: str) -> None:
    assert told in refused(written(tmp_path, kubeconfig(cluster={"server": server}))).happened


@asynchronous
async def test_plain_http_is_accepted_on_loopback_without_credentials(tmp_path: Path) -> None:
    config = kubeconfig(cluster={"server": "http://127.0.0.1:8001"}, user={})
    connection = await opened(written(tmp_path, config))
    assert "Authorization" not in await connection.headers()


def test_a_user_without_credentials_is_not_anonymous_by_accident(tmp_path: Path) -> None:
    assert "has no credentials" in refused(written(tmp_path, kubeconfig(user={}))).happened


def test_verification_is_not_switched_off_by_a_kubeconfig(tmp_path: Path) -> None:
    config = kubeconfig(cluster={"server": SERVER, "insecure-skip-tls-verify": True})
    error = refused(written(tmp_path, config))
    assert "switches off TLS verification for api.example.com:6443" in error.happened
    assert "allow: [insecure-skip-tls-verify]" in error.change


@asynchronous
async def test_verification_may_be_switched_off_where_it_is_allowed_and_is_noted(tmp_path: Path) -> None:
    config = kubeconfig(cluster={"server": SERVER, "insecure-skip-tls-verify": True})
    connection, notes = await connect(written(tmp_path, config), Setting(), allow_unverified=True)
    await connection.close()
    assert notes == ("the identity of the API server api.example.com:6443 was not verified (insecure-skip-tls-verify)",)


@asynchronous
async def test_allowing_it_does_not_switch_it_off(tmp_path: Path) -> None:
    connection, notes = await connect(written(tmp_path, kubeconfig()), Setting(), allow_unverified=True)
    await connection.close()
    assert notes == ()


def test_a_wrong_type_for_verification_is_refused(tmp_path: Path) -> None:
    config = kubeconfig(cluster={"server": SERVER, "insecure-skip-tls-verify": "no"})
    assert "neither true nor false" in refused(written(tmp_path, config)).happened


@pytest.mark.parametrize("key", ["certificate-authority", "client-certificate", "client-key"])
def test_a_missing_certificate_file_is_told(tmp_path: Path, key: str) -> None:
    if key == "certificate-authority":
        config = kubeconfig(cluster={"server": SERVER, key: "absent.pem"})
    else:
        config = kubeconfig(user={"token": TOKEN, key: "absent.pem"})
    error = refused(written(tmp_path, config))
    assert f"{tmp_path / 'absent.pem'}" in error.happened
    assert key in error.happened


@pytest.mark.parametrize(
    ("cluster", "user", "told"),
    [
        ({"certificate-authority-data": "%%%"}, None, "is not base64"),
        ({"certificate-authority-data": base64.b64encode(b"no pem").decode()}, None, "holds no certificate"),
        ({}, {"client-certificate-data": "YQ=="}, "certificate or key alone"),
        ({}, {"client-certificate-data": "YQ==", "client-key-data": "YQ=="}, "cannot be used"),
        (
            {},
            {
                "client-certificate-data": "YQ==",
                "client-key-data": base64.b64encode(b"-----BEGIN ENCRYPTED PRIVATE KEY-----").decode(),
            },
            "passphrase",
        ),
        ({"proxy-url": "socks5://127.0.0.1:1080"}, None, "proxy"),
        ({}, {"as": "admin", "token": TOKEN}, "impersonation"),
        ({}, {"auth-provider": {"name": "gcp"}}, "auth-provider"),
        ({}, {"auth-provider": {"name": "oidc", "config": {"id-token": "a.b.c"}}}, "missing, damaged or expired"),
        ({}, {"auth-provider": {"name": "oidc"}}, "missing, damaged or expired"),
        ({}, {"tokenFile": "absent"}, "tokenFile"),
        ({}, {"token": ["x"]}, "is not a text"),
        ({}, {"exec": {"args": []}}, "names no command"),
        ({}, {"exec": {"command": "surely-not-installed-plugin", "apiVersion": "v1"}}, "is not on the PATH"),
        ({}, {"exec": {"command": "sh", "apiVersion": "v1", "args": "x"}}, "args of exec"),
    ],
)
def test_each_fault_of_an_entry_is_told(
    tmp_path: Path, cluster: dict[str, Any], user: dict[str, Any] | None, told: str
) -> None:
    assert told in refused(written(tmp_path, kubeconfig({"server": SERVER} | cluster, user))).happened


def test_relative_files_of_a_kubeconfig_that_came_as_text_are_refused() -> None:
    config = kubeconfig(cluster={"server": SERVER, "certificate-authority": "ca.crt"})
    error = refused(KubeconfigText(content=SecretStr(yaml.safe_dump(config))))
    assert "lies beside no kubeconfig" in error.happened
    assert "--flatten" in error.change
