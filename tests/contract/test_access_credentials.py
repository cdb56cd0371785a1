"""Exec plugins, identity tokens, token files, client certificates: used as they are, never replaced by nobody."""

import base64
import json
import stat
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import SecretStr

from gate.adapters.kubernetes.access import (
    KubeconfigText,
)
from tests.support.access import TOKEN, kubeconfig, opened, refused, written
from tests.support.authority import Authority
from tests.support.loopback import asynchronous


@asynchronous
async def test_client_certificates_leave_no_file_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Authority(tmp_path).issue("client")
    user = {
        "client-certificate-data": base64.b64encode(made.certificate.read_bytes()).decode(),
        "client-key-data": base64.b64encode(made.key.read_bytes()).decode(),
    }
    room = tmp_path / "room"
    room.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(room))
    for _ in range(2):
        await opened(KubeconfigText(content=SecretStr(yaml.safe_dump(kubeconfig(user=user)))))
    assert list(room.iterdir()) == []


def plugin(tmp_path: Path, script: str) -> dict[str, Any]:
    path = tmp_path / "plugin"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return kubeconfig(
        user={"exec": {"command": "./plugin", "apiVersion": "client.authentication.k8s.io/v1", "env": None}}
    )


@asynchronous
async def test_an_exec_plugin_beside_the_kubeconfig_gives_the_token(tmp_path: Path) -> None:
    credential = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "kind": "ExecCredential",
        "status": {"token": TOKEN},
    }
    connection = await opened(written(tmp_path, plugin(tmp_path, f"echo '{json.dumps(credential)}'")))
    assert (await connection.headers())["Authorization"] == f"Bearer {TOKEN}"


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("echo log in first >&2; exit 3", "log in first"),
        ("echo '{}'", "malformed response"),
        ("echo not json", "decode"),
        (
            'echo \'{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{}}\'',
            "missing token",
        ),
    ],
)
def test_an_exec_plugin_that_fails_is_not_replaced_by_anonymous(
    tmp_path: Path, script: str, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    error = refused(written(tmp_path, plugin(tmp_path, script)))
    assert "gave no credentials for api.example.com:6443" in error.happened
    assert told in error.happened
    assert caplog.records == []


def test_what_a_plugin_says_is_shown_without_what_may_be_a_token(tmp_path: Path) -> None:
    secret = "eyJhbGciOiJSUzI1NiIsImtpZCI6IkFCQ0RFRiJ9"
    error = refused(written(tmp_path, plugin(tmp_path, f"echo got {secret} >&2; exit 1")))
    assert secret not in error.diagnostics()
    assert "got ***" in error.happened


def id_token(expires: float) -> str:
    payload = base64.urlsafe_b64encode(json.dumps({"exp": expires}).encode()).decode().rstrip("=")
    return f"{base64.urlsafe_b64encode(b'{}').decode()}.{payload}.x"


@asynchronous
async def test_an_oidc_token_that_is_still_good_is_used(tmp_path: Path) -> None:
    token = id_token(time.time() + 3600)
    user = {"auth-provider": {"name": "oidc", "config": {"id-token": token, "refresh-token": TOKEN}}}
    connection = await opened(written(tmp_path, kubeconfig(user=user)))
    assert (await connection.headers())["Authorization"] == f"Bearer {token}"


def test_an_oidc_token_that_has_expired_is_not_refreshed_behind_ones_back(tmp_path: Path) -> None:
    config = {"id-token": id_token(time.time() - 10), "refresh-token": TOKEN, "idp-issuer-url": "https://127.0.0.1:1"}
    error = refused(written(tmp_path, kubeconfig(user={"auth-provider": {"name": "oidc", "config": config}})))
    assert "expired" in error.happened


@asynchronous
async def test_a_token_file_is_trimmed(tmp_path: Path) -> None:
    (tmp_path / "token").write_text(f"{TOKEN}\n")
    connection = await opened(written(tmp_path, kubeconfig(user={"tokenFile": "token", "token": "older"})))
    assert (await connection.headers())["Authorization"] == f"Bearer {TOKEN}"


def test_an_empty_token_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("\n")
    assert "is empty" in refused(written(tmp_path, kubeconfig(user={"tokenFile": "token"}))).happened
