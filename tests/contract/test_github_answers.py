"""GitHub's client against a server that answers anything at all: nothing of no sense is believed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import SecretStr

from gate.adapters.failures import Cause, ReadFailed
from gate.adapters.github import (
    CommentPublisher,
    GitHubAccess,
    GitHubClient,
    GitHubRepository,
    PublishOutcome,
    StatusPublisher,
    find_pull_request,
)
from gate.adapters.github.answer import Refused
from gate.adapters.github.client import PATIENCE
from gate.observed import Present, Unreadable
from gate.render.status import CommitStatus
from tests.support.clock import EPOCH, Clock
from tests.support.github import NAME
from tests.support.github_answers import COMMIT, MARKER, OTHER, SHA, answering, client_of, read
from tests.support.loopback import Asked, Reply, asynchronous, serving

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


# --- what counts as published


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
