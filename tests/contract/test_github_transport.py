"""GitHub's client against a server that answers anything at all: TLS, redirects, answers of no sense."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from gate.adapters.failures import Cause, ReadFailed
from gate.adapters.github import (
    CommentPublisher,
    GitHubAccess,
    GitHubClient,
    GitHubRepository,
    Marker,
    PublishOutcome,
    StatusPublisher,
    find_pull_request,
)
from gate.adapters.github.answer import Refused
from gate.adapters.github.client import PATIENCE
from gate.observed import Present, Unreadable
from gate.render.status import CommitStatus
from tests.support.authority import Authority
from tests.support.clock import EPOCH, Clock
from tests.support.loopback import Asked, Loopback, Reply, asynchronous, serving

SHA, TREE, OTHER = "a" * 40, "b" * 40, "c" * 40
NAME = "acme/environments"
MARKER = Marker(environment="staging", commit=SHA, run=7, attempt=1, began=datetime(2026, 12, 1, tzinfo=UTC))
COMMIT: dict[str, Any] = {
    "sha": SHA,
    "commit": {
        "message": "Deploy",
        "tree": {"sha": TREE},
        "author": {"name": "Octo Dev", "date": "2026-12-01T12:00:00Z"},
        "committer": {"name": "GitHub", "date": "2026-12-01T12:30:00Z"},
    },
    "parents": [{"sha": OTHER}],
    "files": [{"filename": "apps/orders.yaml"}],
}


def client_of(server: Loopback, ca_file: Path | None = None) -> GitHubClient:
    access = GitHubAccess(api_url=server.url(), token=SecretStr("the-token"), ca_file=ca_file, paced=False)
    return GitHubClient(access, Clock().patience(PATIENCE))


def answering(reply: Reply) -> Callable[[Asked], Reply]:
    return lambda _asked: reply


async def read(reply: Reply, name: str = SHA) -> tuple[Any, Loopback]:
    async with serving(answering(reply)) as server:
        client = client_of(server)
        found = await GitHubRepository(client, NAME).read_commit(name)
        client.close()
        return found, server


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


# --- answers of no sense


@pytest.mark.parametrize(
    "body",
    ["", "<html>sign in</html>", "{", '{"sha": ', "null", "[]", "7", '"text"', "[" * 5000, "{}", '{"message": 5}'],
)
@asynchronous
async def test_a_success_of_no_sense_is_unreadable(body: str) -> None:
    found, _ = await read(Reply(body=body))
    assert isinstance(found, Unreadable), found


@pytest.mark.parametrize("body", ["<html>bad gateway</html>", "{ not json", "[1, 2]", '{"message": ["x"]}', ""])
@asynchronous
async def test_a_failure_of_no_sense_is_still_that_failure(body: str) -> None:
    found, server = await read(Reply(status=502, body=body))
    assert isinstance(found, Unreadable)
    assert (found.error, found.status) == ("HTTP 502; tried 5 times", 502)
    assert len(server.asked) == 5


FIELDS = ["sha", "commit", "commit.message", "commit.tree", "commit.tree.sha", "parents"]


@pytest.mark.parametrize("value", [None, "", 7, True, [], {}, "abc1234", SHA.upper()], ids=repr)
@pytest.mark.parametrize("field", FIELDS)
@asynchronous
async def test_a_commit_with_a_wrong_field_is_unreadable(field: str, value: object) -> None:
    if (field, value) in (("parents", []), ("commit.message", ""), ("commit.message", "abc1234")):
        return  # these may be so
    if field == "commit.message" and value == SHA.upper():
        return
    body = json.loads(json.dumps(COMMIT))
    *parents, last = field.split(".")
    place = body
    for name in parents:
        place = place[name]
    place[last] = value
    found, _ = await read(Reply(body=body))
    assert isinstance(found, Unreadable), found
    assert field.partition(".")[0] in found.error


@pytest.mark.parametrize(
    "changes",
    [
        {"commit": {**COMMIT["commit"], "author": None, "committer": None}},
        {"commit": {**COMMIT["commit"], "author": {}, "committer": {"name": "x"}}},
        {"files": None},
        {"author": None, "committer": None, "verification": 7},
    ],
)
@asynchronous
async def test_what_a_commit_may_lack_it_may_lack(changes: dict[str, Any]) -> None:
    found, _ = await read(Reply(body=COMMIT | changes))
    assert isinstance(found, Present), found


@asynchronous
async def test_another_commit_than_the_one_asked_for_is_not_believed() -> None:
    found, _ = await read(Reply(body=COMMIT), OTHER)
    assert isinstance(found, Unreadable)
    assert "another commit" in found.error


@asynchronous
async def test_text_from_a_server_comes_out_as_one_clean_line() -> None:
    says = "no\n::error::boom\x1b[2K\u202e" + "x" * 5000
    found, _ = await read(Reply(status=418, body={"message": says}))
    assert isinstance(found, Unreadable)
    assert found.error.isprintable()
    assert len(found.error) < 300


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


@pytest.mark.parametrize("status", [200, 202, 204, 302, 307])
@asynchronous
async def test_only_201_publishes_a_status(status: int) -> None:
    async with serving(answering(Reply(status=status, body=b"" if status == 204 else {"message": "x"}))) as server:
        client = client_of(server)
        publisher = StatusPublisher(client, NAME, SHA, "staging")
        result = await publisher.publish_final(CommitStatus("success", "x"))
        client.close()
    assert (result.outcome, publisher.final) == (PublishOutcome.REFUSED, False)


# --- lists and comments


@pytest.mark.parametrize("status", [302, 307, 400])
@asynchronous
async def test_an_update_that_was_not_taken_is_not_published(status: int) -> None:
    own = {"id": 9, "body": f"{MARKER.line}\nold", "user": {"login": "github-actions[bot]", "type": "Bot"}}

    def handle(asked: Asked) -> Reply:
        if asked.method == "PATCH":
            return Reply(status=status, body={"message": "Moved"})
        return Reply(body=[own])

    async with serving(handle) as server:
        client = client_of(server)
        result = await CommentPublisher(GitHubRepository(client, NAME), 3, MARKER).publish("new")
        client.close()
    assert (result.outcome, result.detail) == (PublishOutcome.REFUSED, f"HTTP {status}, Moved")


@asynchronous
async def test_a_list_without_an_end_is_given_up() -> None:
    link = {"link": '<http://x/?page=2>; rel="next", <http://x/?page=9>; rel="last"'}
    async with serving(answering(Reply(body=[], headers=link))) as server:
        client = client_of(server)
        with pytest.raises(Refused, match="more than 100 pages"):
            await client.pages("/x", what="list")
        client.close()


@pytest.mark.parametrize("body", [{}, {"message": "x"}, "text", None])
@asynchronous
async def test_a_list_that_is_none_publishes_nothing(body: Any) -> None:
    async with serving(answering(Reply(body=body))) as server:
        client = client_of(server)
        repository = GitHubRepository(client, NAME)
        result = await CommentPublisher(repository, 3, MARKER).publish("x")
        found = await find_pull_request(repository, commit=SHA)
        client.close()
    assert result.failed
    assert [asked.method for asked in server.asked] == ["GET", "GET"]
    assert (found.number, found.how) == (None, "nowhere")


@asynchronous
async def test_comments_of_no_sense_are_passed_over() -> None:
    odd: list[Any] = [None, 7, {}, {"id": "x"}, {"id": 1, "user": None}, {"id": 2, "user": {"login": 3}, "body": None}]

    def handle(asked: Asked) -> Reply:
        if asked.method == "POST":
            body = json.loads(asked.body)["body"]
            return Reply(status=201, body={"id": 9, "body": body, "html_url": "https://github.example/c/9"})
        return Reply(body=odd)

    async with serving(handle) as server:
        client = client_of(server)
        result = await CommentPublisher(GitHubRepository(client, NAME), 3, MARKER).publish("x")
        client.close()
    # The list is behind: what was just created is not in it, and is not created again.
    assert (result.outcome, result.url) == (PublishOutcome.PUBLISHED, "https://github.example/c/9")
    assert [asked.method for asked in server.asked] == ["GET", "POST", "GET"]


@asynchronous
async def test_a_reset_far_away_is_no_reason_to_sleep() -> None:
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(EPOCH) + 3000)}
    async with serving(answering(Reply(status=403, headers=headers, body={"message": "limit"}))) as server:
        clock = Clock()
        access = GitHubAccess(api_url=server.url(), token=SecretStr("the-token"), paced=False)
        client = GitHubClient(access, clock.patience(PATIENCE))
        with pytest.raises(ReadFailed, match="x-ratelimit-reset") as raised:
            await client.send("GET", "/x", what="x")
        client.close()
    assert raised.value.cause is Cause.THROTTLED
    assert clock.slept == []
