"""What a client of GitHub is made with: the token that shows nowhere, the address, the authority."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from pydantic import SecretStr

from gate.adapters.github import GitHubAccess, GitHubClient, GitHubRepository
from gate.errors import AccessError
from tests.support.github import NAME
from tests.support.github_client import ClientBench, client_bench, commit_of

# --- the token


def test_the_token_shows_nowhere(at: ClientBench, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    client = at.another()
    access = GitHubAccess(api_url=at.lab.github.url, token=SecretStr(at.lab.github.token))
    at.run(GitHubRepository(client, NAME).read_commit("main"))
    client.close()
    shown = [repr(client), str(client), repr(access), access.model_dump_json(), caplog.text]
    assert caplog.text != ""
    assert not [text for text in shown if at.lab.github.token in text]


@pytest.mark.parametrize("token", ["", " ", "abc\n", "a b", "\u00e9"])
def test_a_token_that_cannot_be_one_is_refused_without_being_shown(token: str) -> None:
    with pytest.raises(AccessError) as raised:
        GitHubClient(GitHubAccess(token=SecretStr(token)))
    assert "token is empty, or holds blanks" in str(raised.value)
    assert token.strip() == "" or token.strip() not in raised.value.diagnostics()


@pytest.mark.parametrize("url", ["http://github.example", "ftp://127.0.0.1", "api.github.com", "", "http://10.0.0.1"])
def test_a_token_never_travels_unprotected(url: str) -> None:
    with pytest.raises(AccessError, match="is not an https address"):
        GitHubClient(GitHubAccess(api_url=url, token=SecretStr("secret-value")))


def test_a_missing_authority_is_named(tmp_path: Path) -> None:
    with pytest.raises(AccessError, match=r"no file '.*ca\.pem' with the certificate authority"):
        GitHubClient(GitHubAccess(ca_file=tmp_path / "ca.pem"))


# --- GitHub Enterprise Server


def test_enterprise_server_paths_are_kept(tmp_path: Path) -> None:
    with client_bench(tmp_path, prefix="/api/v3") as at:
        assert at.lab.github.url.endswith("/api/v3")
        assert commit_of(at.run(at.repository.read_commit("main"))).id == at.lab.second
