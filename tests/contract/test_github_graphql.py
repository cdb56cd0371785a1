"""The stand-in's GraphQL: one mutation as GitHub's schema has it, and its errors."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from gate.lab.github import Exchange
from tests.support.github import MISSING, NAME, PIN, Bench, bench
from tests.support.openapi import Validator

MUTATION = """mutation ($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid message signature { isValid } } }
}"""


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


def given(lab: Bench, **changes: Any) -> dict[str, Any]:
    contents = base64.b64encode(b"targetRevision: four\n").decode()
    return {
        "branch": {"repositoryNameWithOwner": NAME, "branchName": "main"},
        "message": {"headline": "Bump", "body": "Because"},
        "expectedHeadOid": lab.second,
        "fileChanges": {"additions": [{"path": PIN, "contents": contents}], "deletions": [{"path": "README.md"}]},
    } | changes


def ask(lab: Bench, value: Any, document: str = MUTATION, token: str | None = None) -> Any:
    headers = {} if token is None else {"Authorization": f"token {token}"}
    body = {"query": document, "variables": {"input": value}}
    answer = lab.api.post("/graphql", json=body, headers=headers)
    assert answer.status_code == 200
    return answer.json()


def error(answer: Any) -> tuple[str | None, str]:
    [found] = answer["errors"]
    return found.get("type"), found["message"]


def test_files_are_added_and_deleted_in_one_signed_commit(lab: Bench) -> None:
    made = ask(lab, given(lab))["data"]["createCommitOnBranch"]["commit"]
    git = lab.repository.git
    assert made == {"oid": git.commit("main"), "message": "Bump\n\nBecause", "signature": {"isValid": True}}
    assert git.text("ls-tree", "-r", "--name-only", "main") == PIN
    shown = lab.api.get(f"{lab.url}/git/commits/{made['oid']}").json()
    assert shown["verification"]["verified"] is True
    assert [parent["sha"] for parent in shown["parents"]] == [lab.second]


def test_another_head_is_stale(lab: Bench) -> None:
    kind, message = error(ask(lab, given(lab, expectedHeadOid=lab.first)))
    assert (kind, message.startswith(f'Expected branch to point to "{lab.first}" but it did not.')) == (
        "STALE_DATA",
        True,
    )
    assert lab.repository.git.commit("main") == lab.second
    assert "errors" not in ask(lab, given(lab))


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"branch": {"repositoryNameWithOwner": "acme/none", "branchName": "main"}}, "NOT_FOUND"),
        ({"branch": {"repositoryNameWithOwner": NAME, "branchName": "none"}}, "NOT_FOUND"),
        ({"fileChanges": {"additions": [{"path": "x", "contents": "no base64!"}]}}, "UNPROCESSABLE"),
    ],
)
def test_what_cannot_be_found_or_used(lab: Bench, changes: dict[str, Any], kind: str) -> None:
    answer = ask(lab, given(lab, **changes))
    assert error(answer)[0] == kind
    assert answer["data"] == {"createCommitOnBranch": None}


@pytest.mark.parametrize("name", ["branch", "message", "expectedHeadOid"])
def test_what_has_to_be_there(lab: Bench, name: str) -> None:
    _, message = error(ask(lab, given(lab, **{name: None})))
    assert f"invalid value for {name} (Expected value to not be null)" in message


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (MUTATION.replace("message", "colour"), "Field 'colour' doesn't exist"),
        (MUTATION.replace("createCommitOnBranch(", "deleteEverything("), "Field 'deleteEverything' doesn't exist"),
        (MUTATION[:-3], "Expected"),
        ("", "Expected a mutation"),
    ],
)
def test_documents_that_cannot_be_answered(lab: Bench, document: str, words: str) -> None:
    assert words in error(ask(lab, given(lab), document))[1]
    assert lab.repository.git.commit("main") == lab.second


def test_permissions(lab: Bench) -> None:
    lab.github.add_token("reader", lab.github.world.identities[lab.github.token], {"contents": "read"})
    lab.github.add_token("writer", lab.github.world.identities[lab.github.token], {"contents": "write"})
    assert error(ask(lab, given(lab), token="reader")) == ("FORBIDDEN", "Resource not accessible by integration")
    assert "errors" not in ask(lab, given(lab), token="writer")
    headers = {"Authorization": "token unknown"}
    assert lab.api.post("/graphql", json={"query": MUTATION}, headers=headers).status_code == 401


def test_rules_of_the_branch(lab: Bench) -> None:
    lab.github.add_rule("main", {"type": "required_signatures"})
    assert "errors" not in ask(lab, given(lab))
    lab.github.add_rule("main", {"type": "update"})
    kind, message = error(ask(lab, given(lab, expectedHeadOid=lab.repository.git.commit("main"))))
    assert (kind, "Cannot update this protected ref." in message) == ("UNPROCESSABLE", True)


GOOD = Exchange(
    "POST", "/graphql", "/graphql", {},
    {"query": MUTATION, "variables": {"input": {
        "branch": {"repositoryNameWithOwner": NAME, "branchName": "main"}, "message": {"headline": "B"},
        "expectedHeadOid": MISSING,
    }}},
    200,
    {"data": {"createCommitOnBranch": {"commit": {"oid": MISSING, "message": "B", "signature": {"isValid": True}}}}},
    {}, datetime(2026, 1, 1, tzinfo=UTC), None,
)  # fmt: skip


@pytest.mark.parametrize(
    "wrong",
    [
        {"request_body": {"query": MUTATION, "variables": {"input": {"branch": {}}}}},
        {"request_body": GOOD.request_body | {"query": "query { viewer { login } }"}},
        {"response_body": {"data": {"createCommitOnBranch": {"commit": {"oid": 7}}}}},
        {"response_body": {"data": {"createCommitOnBranch": {"commit": {"colour": "red"}}}}},
        {"response_body": {"data": {"createCommitOnBranch": {"ref": None}}}},
        {"response_body": {"errors": [{"type": "X"}]}},
        {"status": 401, "response_body": {}},
    ],
)
def test_the_validator_sees_violations(wrong: dict[str, Any]) -> None:
    validator = Validator()
    validator(GOOD)
    assert validator.violations == []
    validator(replace(GOOD, **wrong))
    assert validator.violations != []
