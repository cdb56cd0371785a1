"""The gate as a GitHub App: it logs in by its key, and goes on with a new token when the old one ends."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from pydantic import SecretStr

from gate.adapters.github import (
    CommitPublisher,
    GitHubAccess,
    GitHubApp,
    GitHubClient,
    GitHubRepository,
    PublishOutcome,
    StatusPublisher,
)
from gate.errors import AccessError, CommitError, UsageError
from gate.lab.github import Fault
from gate.observed import Present, Unreadable
from gate.render.status import CommitStatus
from tests.support.github import NAME, PIN
from tests.support.github_apps import KEY, OTHER_KEY, as_app, install
from tests.support.github_client import ClientBench, client_bench
from tests.support.github_commits import pin, setting

TOKENS = "/app/installations/77/access_tokens"


def read(at: ClientBench, client: GitHubClient, name: str = "main") -> object:
    return at.run(GitHubRepository(client, NAME).read_commit(name))


@pytest.mark.exhaustive
@pytest.mark.parametrize("id_", ["4242", "Iv23liAcmeGate"])
@pytest.mark.parametrize("prefix", ["", "/api/v3"])
def test_an_app_gets_itself_one_token_for_all_requests(tmp_path: Path, id_: str, prefix: str) -> None:
    with client_bench(tmp_path, prefix=prefix) as at:
        install(at.lab)
        client = as_app(at.lab, id_=id_)
        assert isinstance(read(at, client), Present)
        assert isinstance(read(at, client, "promote/prod"), Present)
        client.close()
        assert at.lab.paths("GET").count("/installation") == 1
        assert at.lab.paths("POST") == [TOKENS]


def test_what_an_app_does_is_done_in_its_name(at: ClientBench) -> None:
    install(at.lab)
    client = as_app(at.lab)
    publisher = StatusPublisher(client, NAME, at.lab.second, "staging")
    assert at.run(publisher.publish_final(CommitStatus("success", "fine"))).published
    made = at.run(
        CommitPublisher(GitHubRepository(client, NAME), signed=True).commit("main", setting({PIN: pin("4")}), "B")
    )
    client.close()
    assert made.verified
    assert at.lab.github.statuses(at.lab.second)[0]["creator"] == "acme-gate[bot]"
    assert at.lab.repository.git.text("log", "-1", "--format=%an", "main") == "acme-gate[bot]"


def test_a_token_about_to_end_is_renewed_before_it_is_used(at: ClientBench) -> None:
    install(at.lab, lifetime=10)  # PyGithub renews what has less than 20 s to live
    client = as_app(at.lab)
    for name in ("main", "promote/prod", at.lab.first):
        assert isinstance(read(at, client, name), Present)
    client.close()
    assert at.lab.paths("POST") == [TOKENS] * 3
    assert at.lab.paths("GET").count("/installation") == 1


def test_a_token_that_ends_in_the_middle_is_replaced(at: ClientBench) -> None:
    install(at.lab)
    client = as_app(at.lab)
    assert isinstance(read(at, client), Present)
    world = at.lab.github.world
    world.expiry.update(dict.fromkeys(world.expiry, 0.0))  # our clock is behind, or somebody revoked it
    made = at.run(CommitPublisher(GitHubRepository(client, NAME)).commit("main", setting({PIN: pin("four")}), "Bump"))
    client.close()
    assert made.changed
    assert at.lab.paths("POST").count(TOKENS) == 2
    assert [seen.status for seen in at.lab.github.requests].count(401) == 1


def test_a_token_that_ended_stays_a_refusal_for_who_has_no_key(at: ClientBench) -> None:
    world = at.lab.github.world
    world.expiry[at.lab.github.token] = 0.0
    found = read(at, at.client)
    assert isinstance(found, Unreadable)
    assert found.status == 401
    del world.expiry[at.lab.github.token]
    assert isinstance(read(at, at.client), Present)


@pytest.mark.exhaustive
def test_a_hurried_client_goes_on_with_the_same_token(at: ClientBench) -> None:
    install(at.lab)
    client = as_app(at.lab)
    read(at, client)
    hurried = client.hurried(3)
    assert isinstance(read(at, hurried, "promote/prod"), Present)
    for one in (hurried, client):
        one.close()
    assert at.lab.paths("POST") == [TOKENS]


# --- what cannot work


@pytest.mark.parametrize(
    ("install_it", "changes", "status"),
    [
        (True, {"key": OTHER_KEY.private}, 401),
        (True, {"id_": "4243"}, 404),
        (True, {"repository": "acme/none"}, 404),
        (False, {}, 404),
    ],
)
def test_a_login_that_github_refuses_is_told(
    at: ClientBench, install_it: bool, changes: dict[str, str], status: int
) -> None:
    if install_it:
        install(at.lab)
    client = as_app(at.lab, **changes)
    found = read(at, client)
    assert isinstance(found, Unreadable)
    assert found.status == 401
    assert f"cannot log in for {changes.get('repository', NAME)} (HTTP {status}, " in found.error
    publisher = StatusPublisher(client, NAME, at.lab.second, "staging")
    result = at.run(publisher.publish_final(CommitStatus("success", "fine")))
    client.close()
    assert (result.published, result.outcome) == (False, PublishOutcome.BAD_TOKEN)
    assert "for a GitHub App, correct its id and key" in result.as_error().change


def test_an_app_may_do_no_more_than_it_was_given(at: ClientBench) -> None:
    install(at.lab, permissions={"contents": "read"})
    client = as_app(at.lab)
    publisher = CommitPublisher(GitHubRepository(client, NAME))
    with pytest.raises(CommitError, match="Resource not accessible by integration"):
        at.run(publisher.commit("main", setting({PIN: pin("four")}), "Bump"))
    client.close()


@pytest.mark.parametrize("path", ["*/installation", TOKENS])
def test_a_login_is_tried_again_like_any_request(at: ClientBench, path: str) -> None:
    install(at.lab)
    at.lab.github.faults.add(Fault(kind="error", status=502, path=path))
    client = as_app(at.lab)
    assert isinstance(read(at, client), Present)
    client.close()


@pytest.mark.exhaustive
def test_a_change_is_not_lost_where_the_login_fails_once(at: ClientBench) -> None:
    install(at.lab, lifetime=10)
    at.lab.github.faults.add(Fault(kind="error", status=502, path=TOKENS, skip=6))
    client = as_app(at.lab)
    made = at.run(CommitPublisher(GitHubRepository(client, NAME)).commit("main", setting({PIN: pin("four")}), "Bump"))
    client.close()
    assert made.commit == at.lab.repository.git.commit("main")
    assert at.lab.repository.git.count(at.lab.second, "main") == 1


@pytest.mark.parametrize("key", ["", "not a key", KEY.public, KEY.private[:900]])
def test_a_key_that_cannot_sign_is_refused_before_anything_is_sent(key: str) -> None:
    app = GitHubApp(id="4242", private_key=SecretStr(key), repository=NAME)
    with pytest.raises(AccessError, match="The private key of GitHub App 4242 cannot be used") as raised:
        GitHubClient(GitHubAccess(app=app))
    assert "not the whole PEM file" in raised.value.means
    assert key == "" or key not in raised.value.diagnostics()


def test_an_app_and_a_token_are_one_too_many() -> None:
    app = GitHubApp(id="4242", private_key=SecretStr(KEY.private), repository=NAME)
    with pytest.raises(AccessError, match="Both a GitHub token and a GitHub App"):
        GitHubClient(GitHubAccess(app=app, token=SecretStr("a-token")))


@pytest.mark.parametrize("id_", ["", "my gate", "a\nb", "x" * 80])
def test_an_id_that_is_none_is_refused(id_: str) -> None:
    app = GitHubApp(id=id_, private_key=SecretStr(KEY.private), repository=NAME)
    with pytest.raises(AccessError, match="is not the id of a GitHub App"):
        GitHubClient(GitHubAccess(app=app))


def test_a_repository_that_is_none_is_refused() -> None:
    app = GitHubApp(id="4242", private_key=SecretStr(KEY.private), repository="environments")
    with pytest.raises(UsageError, match="is not a repository"):
        GitHubClient(GitHubAccess(app=app))


def test_neither_key_nor_token_show_anywhere(at: ClientBench, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    install(at.lab)
    client = as_app(at.lab)
    read(at, client)
    [token] = at.lab.github.world.expiry
    app = GitHubApp(id="4242", private_key=SecretStr(KEY.private), repository=NAME)
    shown = [repr(client), repr(app), app.model_dump_json(), repr(GitHubAccess(app=app)), caplog.text]
    client.close()
    assert caplog.text != ""
    body = KEY.private.splitlines()[1]
    assert not [text for text in shown if token in text or body in text]


def test_the_account_that_an_app_acts_as_is_known(at: ClientBench) -> None:
    install(at.lab)
    client = as_app(at.lab)
    assert at.run(client.account()) == "acme-gate[bot]"
    before = client.requests
    assert at.run(client.account()) == "acme-gate[bot]"
    assert client.requests == before
    client.close()
    assert at.run(at.client.account()) is None
