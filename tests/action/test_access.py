"""Ways to GitHub and to the cluster beyond a token and a kubeconfig, in the action as it is run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.support.action import Stage, stage
from tests.support.authority import Authority
from tests.support.github_apps import KEY, OTHER_KEY, install
from tests.support.identity import REQUEST_TOKEN, Issuer
from tests.support.loopback import in_thread
from tests.support.relay import relay
from tests.support.runs import Ended

pytestmark = pytest.mark.exhaustive

APP = {"app_id": "4242", "app_private_key": KEY.private}


def _masked(ended: Ended) -> list[str]:
    return [one.message for one in ended.commands if one.name == "add-mask"]


def _not_shown(ended: Ended, *secrets: str) -> None:
    """No line of a secret is anywhere in the log but where the runner is told to hide it."""
    lines = [line for line in ended.log.splitlines() if not line.startswith("::add-mask::")]
    told = "\n".join((*lines, ended.summary, json.dumps(ended.outputs)))
    for secret in secrets:
        for line in filter(None, secret.splitlines()):
            assert line not in told
            assert line in _masked(ended)


def test_a_github_app_acts_in_place_of_the_token(tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        install(on.lab)
        on.on_pull_request()
        for _ in range(2):
            ended = on.run(environment="production", comment_author="someone-else[bot]", **APP)
            assert ended.code == 0, ended.log
            _not_shown(ended, KEY.private)
        said = on.lab.github.statuses(on.promotion)
        assert {one["creator"] for one in said} == {"acme-gate[bot]"}
        [comment] = on.lab.github.comments(on.pull)
        assert comment["user"] == "acme-gate[bot]", "its own comment is found again, whatever comment-author says"
        assert on.lab.github.token not in {one.authorization for one in on.lab.github.requests}


def test_a_token_that_ends_in_the_middle_is_renewed(tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        install(on.lab, lifetime=10)  # what has less than 20 s to live is renewed
        ended = on.run(**APP)
        assert ended.code == 0, ended.log
        assert on.statuses()[-1] == ("success", "gate/staging")
        made = [one for one in on.lab.github.requests if one.path.endswith("/access_tokens")]
        assert len(made) > 1


def test_the_key_of_another_app_is_told(tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        install(on.lab)
        ended = on.run(app_id="4242", app_private_key=OTHER_KEY.private)
        assert ended.code == 64, ended.log
        assert "GitHub App 4242 cannot log in for acme/environments" in ended.log
        assert on.statuses() == []
        _not_shown(ended, OTHER_KEY.private)


def test_a_key_that_is_none_and_an_app_without_a_key(tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        install(on.lab)
        broken = on.run(app_id="4242", app_private_key="no-key-at-all")
        assert (broken.code, "private key of GitHub App 4242 cannot be used" in broken.log) == (64, True), broken.log
        missing = on.run(app_id="4242", app_private_key="")
        assert missing.code == 64
        assert "app-id: goes with app-private-key, which is empty" in missing.log
        assert on.statuses() == [("error", "gate/staging")], "told by the job's own token"


HOST = "ghes.example.test"


@contextmanager
def enterprise(folder: Path) -> Iterator[tuple[Stage, Authority]]:
    """A GitHub Enterprise Server with a certificate of its own, which is reached through a proxy only."""
    (folder / "tls").mkdir()
    authority = Authority(folder / "tls")
    tls = authority.issue(HOST).server()
    with (
        stage(folder, prefix="/api/v3") as on,
        relay(urlsplit(on.lab.github.url).port or 0, tls) as server,
        relay(server.port) as proxy,
    ):
        on.more |= {"GITHUB_API_URL": f"https://{HOST}/api/v3", "HTTPS_PROXY": f"http://127.0.0.1:{proxy.port}"}
        yield on, authority
        assert set(proxy.asked_for) == {f"{HOST}:443"}
        assert on.lab.github.token not in "".join(proxy.heads)


@pytest.mark.parametrize("given", ["path", "content", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"])
def test_an_enterprise_server_with_its_own_authority_behind_a_proxy(given: str, tmp_path: Path) -> None:
    with enterprise(tmp_path) as (on, authority):
        if given == "path":
            on.inputs["github-ca"] = str(authority.file)
        elif given == "content":
            on.inputs["github-ca"] = authority.file.read_text()
        else:
            on.more[given] = str(authority.file)
        ended = on.run()
        assert ended.code == 0, ended.log
        assert on.statuses()[-1] == ("success", "gate/staging")


def test_an_enterprise_server_that_nobody_vouches_for_gets_no_token(tmp_path: Path) -> None:
    with enterprise(tmp_path) as (on, _):
        asked = len(on.lab.github.requests)
        ended = on.run()
        assert ended.code == 64, ended.log
        assert f"TLS certificate not valid for {HOST}" in ended.log
        assert len(on.lab.github.requests) == asked


def test_an_authority_that_is_not_there_is_told(tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        ended = on.run(github_ca="gone.pem")
        assert (ended.code, "no file 'gone.pem' with the certificate authority" in ended.log) == (64, True), ended.log


def test_the_workflows_own_identity_opens_the_cluster(tmp_path: Path) -> None:
    issuer = Issuer()
    with stage(tmp_path) as on, in_thread(issuer.answer) as service:
        on.cluster.takes = lambda header: bool(issuer.issued) and header == f"Bearer {issuer.issued[-1]}"
        on.more |= issuer.environ(service.url())
        ended = on.run(kubeconfig="", server=on.cluster.loopback.url(), oidc_audience="kubernetes")
        assert ended.code == 0, ended.log
        assert [one.query["audience"] for one in issuer.asked] == ["kubernetes"]
        _not_shown(ended, *issuer.issued)
        assert REQUEST_TOKEN not in ended.log
        assert not any(issuer.issued[0] in path.read_text() for path in on.evidence())


def test_a_job_without_the_permission_is_told_so(tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        ended = on.run(kubeconfig="", server=on.cluster.loopback.url(), oidc_audience="kubernetes")
        assert ended.code == 64, ended.log
        assert "add `id-token: write` to the permissions of the job" in ended.log
        assert on.cluster.asked == []
