"""Tokens, permissions, pages, revalidation and malformed requests at the GitHub stand-in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from github import BadCredentialsException

from gate.lab.github import Identity
from tests.support.github import NAME, PERSON, PIN, Bench, bench

NOT_ACCESSIBLE = "Resource not accessible by integration"


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


def test_a_bad_token_is_401_and_none_at_all_404(lab: Bench) -> None:
    for header in ("Bearer wrong", "token wrong", "Basic d3Jvbmc="):
        answer = lab.api.get(lab.url, headers={"Authorization": header})
        assert (answer.status_code, answer.json()["message"]) == (401, "Bad credentials")
    assert lab.api.get(lab.url, headers={"Authorization": f"token {lab.github.token}"}).is_success
    with httpx.Client(base_url=lab.github.url, trust_env=False) as anonymous:
        assert anonymous.get(lab.url).status_code == 404
        assert anonymous.get("/user").status_code == 401
    lab.github.world.identities.clear()
    with pytest.raises(BadCredentialsException):
        lab.repo().get_commit(lab.first).get_combined_status()


def test_tokens_stay_out_of_the_record(lab: Bench) -> None:
    lab.api.get(lab.url)
    assert lab.github.requests[-1].authorization == "Bearer ***"
    assert lab.github.token not in repr(lab.github.requests)
    assert lab.github.token not in repr(lab.github.state())


def test_an_unknown_repository_and_an_unknown_path_are_404(lab: Bench) -> None:
    assert lab.api.get("/repos/acme/other").status_code == 404
    assert lab.api.get("/repos/ACME/Environments").status_code == 200
    lab.validator.violations.clear()
    # This one is in no description: PyGithub's lazy refs would PATCH it.
    answer = lab.api.patch(f"{lab.url}/git/ref/heads/main", json={"sha": lab.promotion})
    assert answer.status_code == 404
    assert len(lab.validator.violations) == 1
    lab.validator.violations.clear()


def test_only_people_have_a_user(lab: Bench) -> None:
    assert lab.api.get("/user").json()["message"] == NOT_ACCESSIBLE
    lab.github.add_token("personal", PERSON)
    answer = lab.api.get("/user", headers={"Authorization": "Bearer personal"})
    assert answer.json()["login"] == "octo-dev"


CALLS: list[tuple[str, str, dict[str, Any] | None, dict[str, str]]] = [
    ("GET", "", None, {}),
    ("GET", "/rules/branches/main", None, {}),
    ("POST", "/statuses/{sha}", {"state": "pending"}, {"statuses": "write"}),
    ("GET", "/commits/main/status", None, {"statuses": "read"}),
    ("GET", "/commits/main/statuses", None, {"statuses": "read"}),
    ("GET", "/commits/{sha}/pulls", None, {"pull-requests": "read"}),
    ("GET", "/commits/main", None, {"contents": "read"}),
    ("GET", "/commits", None, {"contents": "read"}),
    ("GET", "/compare/main...promote/prod", None, {"contents": "read"}),
    ("GET", "/pulls", None, {"pull-requests": "read"}),
    ("PATCH", "/pulls/1", {"title": "New"}, {"pull-requests": "write"}),
    ("GET", "/pulls/1/files", None, {"pull-requests": "read"}),
    ("GET", "/issues/1/comments", None, {"pull-requests": "read"}),
    ("GET", "/issues/1/comments", None, {"issues": "read"}),
    ("POST", "/issues/1/comments", {"body": "x"}, {"pull-requests": "write"}),
    ("POST", "/issues/1/comments", {"body": "x"}, {"issues": "write"}),
    ("PATCH", "/issues/comments/{id}", {"body": "y"}, {"pull_requests": "write"}),
    ("GET", "/contents/README.md", None, {"contents": "read"}),
    ("GET", "/git/ref/heads/main", None, {"contents": "read"}),
    ("PATCH", "/git/refs/heads/main", {"sha": "{sha}"}, {"contents": "write"}),
    ("POST", "/git/blobs", {"content": "x"}, {"contents": "write"}),
]


@pytest.mark.parametrize(("method", "path", "body", "needed"), CALLS)
def test_each_operation_wants_its_permission(
    lab: Bench, method: str, path: str, body: dict[str, Any] | None, needed: dict[str, str]
) -> None:
    lab.github.open_pull("promote/prod")
    comment = lab.github.plant_comment(1, "planted", PERSON)
    path = lab.url + path.format(sha=lab.second, id=comment)
    if body is not None and "sha" in body:
        body = {"sha": lab.second}
    bot = Identity("acme-gate[bot]", 7007)
    weaker = {name: "read" for name, level in needed.items() if level == "write"}
    lab.github.add_token("enough", bot, needed)
    lab.github.add_token("weaker", bot, weaker)
    answers = [
        lab.api.request(method, path, json=body, headers={"Authorization": f"Bearer {token}"})
        for token in ("weaker", "enough")
    ]
    assert answers[1].is_success
    if needed:
        assert answers[0].status_code == 403
        assert answers[0].json()["message"] == NOT_ACCESSIBLE
        [(name, level)] = needed.items()
        accepted = answers[0].headers["x-accepted-github-permissions"]
        assert f"{name.replace('-', '_')}={level}" in accepted


def test_commit_pulls_lag_as_configured(tmp_path: Path) -> None:
    with bench(tmp_path, index_lag=2) as lab:
        lab.github.open_pull("promote/prod")
        path = f"{lab.url}/commits/{lab.promotion}/pulls"
        assert [len(lab.api.get(path).json()) for _ in range(4)] == [0, 0, 1, 1]


WRONG: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "/statuses/{sha}", {"state": "success", "description": 7}),
    ("POST", "/issues/1/comments", {"body": ["x"]}),
    ("POST", "/pulls", {"title": "T", "head": 1, "base": "main"}),
    ("PATCH", "/pulls/1", {"state": "merged"}),
    ("PATCH", "/git/refs/heads/main", {"sha": "{sha}", "force": "yes"}),
    ("POST", "/git/trees", {"tree": "none"}),
    ("POST", "/git/commits", {"message": "M", "tree": 1}),
    ("POST", "/git/blobs", {"content": None}),
]


@pytest.mark.parametrize(("method", "path", "body"), WRONG)
def test_fields_of_the_wrong_kind_are_422(lab: Bench, method: str, path: str, body: dict[str, Any]) -> None:
    lab.github.open_pull("promote/prod")
    assert lab.api.request(method, lab.url + path.format(sha=lab.second), json=body).status_code == 422


def test_a_body_that_is_no_json_is_400(lab: Bench) -> None:
    for content in (b"{", b"[]", b""):
        answer = lab.api.post(f"{lab.url}/statuses/{lab.second}", content=content)
        assert (answer.status_code, answer.json()["message"]) == (400, "Problems parsing JSON")


def test_pages_and_their_links(lab: Bench) -> None:
    number = lab.github.open_pull("promote/prod").number
    for index in range(7):
        lab.github.plant_comment(number, str(index), PERSON)
    path = f"{lab.url}/issues/{number}/comments"
    assert "link" not in lab.api.get(path).headers
    first = lab.api.get(path, params={"per_page": 3})
    assert set(first.links) == {"next", "last"}
    second = lab.api.get(first.links["next"]["url"])
    assert set(second.links) == {"prev", "next", "first", "last"}
    third = lab.api.get(second.links["next"]["url"])
    assert [comment["body"] for comment in third.json()] == ["6"]
    assert set(third.links) == {"prev", "first"}


def test_an_unchanged_answer_is_304_and_free(lab: Bench) -> None:
    path = f"{lab.url}/git/ref/heads/main"
    fresh = lab.api.get(path)
    used = lab.github.world.requests_used
    again = lab.api.get(path, headers={"If-None-Match": fresh.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert lab.github.world.requests_used == used
    lab.repository.commit("main", {PIN: "targetRevision: six\n"}, "Six")
    assert lab.api.get(path, headers={"If-None-Match": fresh.headers["etag"]}).status_code == 200


def test_the_enterprise_prefix(tmp_path: Path) -> None:
    with bench(tmp_path, prefix="/api/v3") as lab:
        assert lab.github.url.endswith("/api/v3")
        assert lab.github.url == lab.github.server_url + "/api/v3"
        lab.repo().get_commit(lab.first).create_status("success", context="gate/prod")
        assert lab.api.get(f"{lab.github.server_url}/repos/{NAME}").status_code == 404
        assert lab.api.get(lab.url).json()["url"].startswith(lab.github.url)
