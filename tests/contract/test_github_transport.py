"""GitHub's client on the wire: what is sent, which certificates and which redirects are trusted."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.adapters.github import GitHubRepository, PublishOutcome, StatusPublisher
from gate.observed import Present, Unreadable
from gate.render.status import CommitStatus
from tests.support.authority import Authority
from tests.support.github import NAME
from tests.support.github_answers import COMMIT, SHA, answering, client_of, read
from tests.support.loopback import Asked, Reply, asynchronous, serving

# --- what is sent


@asynchronous
async def test_requests_carry_the_token_the_api_version_and_a_name() -> None:
    found, server = await read(Reply(body=COMMIT))
    assert isinstance(found, Present)
    (asked,) = server.asked
    assert asked.path == f"/repos/acme/environments/commits/{SHA}"
    assert asked.headers["authorization"] == "token the-token"
    assert asked.headers["x-github-api-version"] == "2022-11-28"
    assert asked.headers["user-agent"].startswith("promotion-gate/")


@asynchronous
async def test_names_are_quoted() -> None:
    async with serving(answering(Reply(status=404, body={"message": "Not Found"}))) as server:
        client = client_of(server)
        repository = GitHubRepository(client, NAME)
        await repository.read_commit("fix-#1/50%")
        await repository.read_file("a b/c#d?.yaml", "env/pro&d=1")
        client.close()
    assert [asked.target for asked in server.asked] == [
        "/repos/acme/environments/commits/fix-%231/50%25",
        "/repos/acme/environments/contents/a%20b/c%23d%3F.yaml?ref=env%2Fpro%26d%3D1",
    ]


# --- TLS


@asynchronous
async def test_a_private_authority_is_trusted_when_it_is_named(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    async with serving(answering(Reply(body=COMMIT)), authority.issue("127.0.0.1").server()) as server:
        trusting = client_of(server, authority.file)
        assert isinstance(await GitHubRepository(trusting, NAME).read_commit(SHA), Present)
        trusting.close()


@asynchronous
async def test_an_unknown_authority_is_never_trusted_and_not_tried_again(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    authority = Authority(tmp_path)
    other = Authority(tmp_path_factory.mktemp("other"))
    certificate = authority.issue("127.0.0.1").server()
    async with serving(answering(Reply(body=COMMIT)), certificate) as server:
        for ca_file in (None, other.file):
            client = client_of(server, ca_file)
            found = await GitHubRepository(client, NAME).read_commit(SHA)
            assert isinstance(found, Unreadable)
            assert found.error.startswith("TLS certificate not valid for 127.0.0.1")
            status = StatusPublisher(client, NAME, SHA, "staging")
            result = await status.publish_final(CommitStatus("success", "x"))
            assert result.outcome is PublishOutcome.UNREACHABLE
            assert client.requests == 2
            client.close()
        assert server.asked == []


@asynchronous
async def test_a_certificate_for_another_name_is_refused(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    async with serving(answering(Reply(body=COMMIT)), authority.issue("ghe.example").server()) as server:
        client = client_of(server, authority.file)
        assert isinstance(await GitHubRepository(client, NAME).read_commit(SHA), Unreadable)
        client.close()


# --- redirects


@asynchronous
async def test_a_renamed_repository_is_followed_on_the_same_host() -> None:
    def handle(asked: Asked) -> Reply:
        if asked.path.startswith("/repositories/"):
            return Reply(body=COMMIT)
        return Reply(status=301, headers={"location": f"http://{asked.headers['host']}/repositories/1/commits/{SHA}"})

    async with serving(handle) as server:
        client = client_of(server)
        assert isinstance(await GitHubRepository(client, NAME).read_commit(SHA), Present)
        client.close()
        assert len(server.asked) == 2


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@asynchronous
async def test_the_token_follows_no_redirect_to_another_host(status: int) -> None:
    async with serving(answering(Reply(body=COMMIT))) as elsewhere:
        away = Reply(
            status=status, headers={"location": f"http://localhost:{elsewhere.port}/x"}, body={"message": "Moved"}
        )
        found, _ = await read(away)
        assert isinstance(found, Unreadable)
        assert elsewhere.asked == []
