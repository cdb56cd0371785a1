"""A fault of the gate shows no secret, however deep it is, whatever the exception says, and debugged as well."""

import ast
import base64
import json
import time
import traceback
from pathlib import Path

import pytest
from pydantic import SecretStr

from gate.adapters.github.access import GitHubAccess, GitHubApp
from gate.adapters.github.client import GitHubClient
from gate.adapters.http.client import HttpRequest
from gate.adapters.kubernetes.access import KubeconfigText, ServerAccess
from gate.adapters.kubernetes.connection import Connection, Setting, connect
from gate.adapters.kubernetes.credentials import load_kubeconfig
from gate.adapters.kubernetes.kinds import ServiceTarget
from gate.adapters.kubernetes.kubeconfig import read_documents, select
from gate.adapters.kubernetes.oidc import Issued
from gate.adapters.kubernetes.proxy import ProxiedRequest
from gate.adapters.kubernetes.transport import Answer
from gate.app.check import Check
from gate.app.console import Lines
from gate.app.fault import fault_of
from gate.app.options import CheckOptions, ClusterOptions
from gate.config.inputs import parse_inputs
from gate.secrecy import Secrets
from tests.conftest import ROOT
from tests.support.action import Started, stage
from tests.support.bundles import recording
from tests.support.canaries import (
    BY_NAME,
    GIVEN,
    TOLD,
    asking,
    canary,
    found_in,
    give,
    kubeconfig,
    planted,
    said,
    sinks,
    takes,
)
from tests.support.faulty import chained, client_errors
from tests.support.forked import start_forked
from tests.support.github_apps import KEY
from tests.support.loopback import asynchronous
from tests.support.runner_environment import make_files

pytestmark = pytest.mark.exhaustive

PLACES = [
    "gate.commands.acting:parse_inputs",
    "gate.app.configuration:load_configuration",
    "gate.adapters.kubernetes.credentials:read_documents",
    "gate.adapters.kubernetes.transport:Transport.send",
    "gate.adapters.kubernetes.proxy:kept_headers",
    "gate.adapters.github.client:GitHubClient.send",
    "gate.layers.sync:choose",
    "gate.evidence.recorder:Recorder.hear",
    "gate.app.announce:render_status",
    "gate.app.recording:Recording.write",
]


@pytest.mark.parametrize("place", PLACES)
def test_a_fault_anywhere_prints_and_publishes_none(place: str, tmp_path: Path) -> None:
    with stage(tmp_path, planted(recording()), config=asking(), cluster={"takes": takes}) as on:
        give(on)
        on.more |= {"GATE_FAULT": place, "SECRETS": f"{said()} {TOLD}", "LOGGED": f"{said(BY_NAME)} {TOLD}"}
        make_files(on.folder)
        (on.folder / "workflow" / "event.json").write_text(json.dumps(on.payload))
        run = start_forked((), on.workspace, on.environment(), "tests.support.faulty")
        ended = Started(run, on, time.monotonic()).end()
        assert ended.code == 70, ended.log
        assert "Traceback" in ended.stderr
        assert "ExceptionGroup" in ended.stderr
        assert "github.GithubException" in ended.stderr, "what it came from is named"
        assert sinks(on, ended).found == {}


def test_the_exceptions_would_show_them() -> None:
    """The search finds what Python itself prints of these exceptions, of each of them."""
    text = f"{said()} {TOLD}"
    for error in client_errors(text):
        assert found_in(f"{error} {error!r} {getattr(error, '__dict__', '')}") != set(), type(error)
    shown = "".join(traceback.TracebackException.from_exception(chained(text), capture_locals=True).format())
    assert found_in(shown) >= {"header", "github", "cluster", "proxy", "password"}


@pytest.mark.parametrize("debug", ["", "1"])
def test_a_fault_is_told_by_types_and_places(debug: str, capsys: pytest.CaptureFixture[str]) -> None:
    secret = canary("unknown")
    told = fault_of(chained(secret), {"GATE_DEBUG": debug})
    shown = capsys.readouterr().err
    assert found_in(shown + told.diagnostics() + repr(told)) == set()
    assert ("httpx.HTTPStatusError" in shown) is (debug == "1")


def test_nothing_in_the_gate_prints_an_exception_with_its_locals() -> None:
    """Tracebacks have one door, ``fault_of``; nobody else formats one, and nothing shows locals."""
    banned = {
        "print_exc",
        "print_exception",
        "format_exc",
        "format_exception",
        "capture_locals",
        "show_locals",
        "exception",
    }
    found = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in (ROOT / "gate").rglob("*.py")
        if path.relative_to(ROOT / "gate").parts[0] != "lab"
        for node in ast.walk(ast.parse(path.read_bytes()))
        for name in [getattr(node, "attr", getattr(node, "arg", ""))]
        if name in banned
    }
    assert found <= {"gate/adapters/retry.py: exception"}, "that of a finished attempt, which is raised"


@asynchronous
async def test_no_object_that_holds_a_secret_shows_it(tmp_path: Path) -> None:
    secret = SecretStr(canary("object"))
    with stage(tmp_path / "stage") as on:
        give(on)
        files = KubeconfigText(content=SecretStr(kubeconfig(on)))
        environ = {**on.environment(), "INPUT_APP-PRIVATE-KEY": KEY.private, "INPUT_APP-ID": "1"}
        connection, _ = await connect(files, Setting(environ))
        await connection.headers()
        documents = read_documents(files)
        loaded = await load_kubeconfig(files, tmp_path, allow_unverified=False)
        access = GitHubAccess(api_url=on.lab.github.url, token=secret)
        client = GitHubClient(access)
        cluster = ClusterOptions(kubeconfig=SecretStr(kubeconfig(on)), server_token=secret)
        options = CheckOptions(environment="staging", cluster=cluster, github_token=secret, app_private_key=secret)
        holders: list[object] = [
            parse_inputs(environ), options, Check(options, environ, Lines()), Setting(environ), connection, documents,
            select(documents, None), loaded, access, client, client.connected(), files, secret,
            GitHubApp(id="1", private_key=SecretStr(KEY.private), repository="a/b"),
            ServerAccess(server="https://x.example", token=secret), Issued(secret.get_secret_value(), 0, 0),
            HttpRequest("version", "external", "https://x.example", headers={"X": secret},
                        proxies={"http": f"http://a:{canary('proxy')}@b"}),
            ProxiedRequest("version", ServiceTarget("a", "b", "c"), "GET", "/", {"X": secret}, 1.0),
            Answer(401, {"set-cookie": secret.get_secret_value()}, secret.get_secret_value().encode()),
            Secrets([secret.get_secret_value()]),
        ]  # fmt: skip
        shown = {type(one).__name__: found_in(f"{one!r} {one}") for one in holders}
        client.close()
        await connection.close()
    assert {name: found for name, found in shown.items() if found} == {}
    assert isinstance(connection, Connection)
    assert KEY.private[40:100] not in "".join(map(repr, holders))
    assert found_in(repr({"header": base64.b64encode(GIVEN["RELEASE_CALLER"].encode())})) == {"auth"}, (
        "the search would find it"
    )
