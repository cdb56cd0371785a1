"""The stand-in's rules for GitHub Apps: what their tokens are signed with, hold, and when they end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest

from tests.support.github import Bench, bench
from tests.support.github_apps import KEY, OTHER_KEY, install

TOKENS = "/app/installations/77/access_tokens"


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


def signed(key: str = KEY.private, algorithm: str = "RS256", **claims: Any) -> dict[str, str]:
    now = int(time.time())
    payload = {"iat": now - 60, "exp": now + 300, "iss": "4242"} | claims
    return {"Authorization": f"Bearer {jwt.encode(payload, key, algorithm=algorithm)}"}


def says(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["message"]


def test_an_app_knows_itself_and_where_it_is_installed(lab: Bench) -> None:
    install(lab)
    about = lab.api.get("/app", headers=signed()).json()
    assert (about["id"], about["slug"], about["permissions"]["pull_requests"]) == (4242, "acme-gate", "write")
    found = lab.api.get(f"{lab.url}/installation", headers=signed(iss="Iv23liAcmeGate")).json()
    assert (found["id"], found["app_id"]) == (77, 4242)
    assert lab.api.get("/repos/acme/none/installation", headers=signed()).status_code == 404


@pytest.mark.parametrize(
    ("claims", "status", "message"),
    [
        ({"iss": "999"}, 404, "Integration not found"),
        ({"exp": int(time.time()) + 3000}, 401, "'Expiration time' claim ('exp') is too far in the future"),
        ({"exp": int(time.time()) - 5}, 401, "'Expiration time' claim ('exp') must be"),
        ({"exp": "soon"}, 401, "'Expiration time' claim ('exp') must be"),
        ({"iat": int(time.time()) + 3000}, 401, "'Issued at' claim ('iat') must be"),
    ],
)
def test_claims_are_checked(lab: Bench, claims: dict[str, Any], status: int, message: str) -> None:
    install(lab)
    code, said = says(lab.api.get("/app", headers=signed(**claims)))
    assert (code, said.startswith(message)) == (status, True)
    assert lab.api.get("/app", headers=signed()).status_code == 200


def test_signatures_are_checked(lab: Bench) -> None:
    install(lab)
    good = signed()["Authorization"].removeprefix("Bearer ")
    head, claims, signature = good.split(".")
    forged = [
        signed(OTHER_KEY.private),
        signed("x" * 40, algorithm="HS256"),
        {"Authorization": f"Bearer {head}.{claims}.{signature[:-8]}AAAAAAAA"},
        {"Authorization": f"Bearer {head}.{claims}."},
        {"Authorization": "Bearer not.a.token"},
        {"Authorization": f"Bearer {lab.github.token}"},
        {},
    ]
    for headers in forged:
        code, said = says(httpx.get(f"{lab.github.url}/app", headers=headers, trust_env=False))
        assert (code, said) == (401, "A JSON web token could not be decoded")
    assert lab.api.get("/app", headers=signed()).status_code == 200


def test_a_token_has_the_rights_that_were_asked_for_and_no_more(lab: Bench) -> None:
    install(lab)
    made = lab.api.post(TOKENS, headers=signed(), json={"permissions": {"statuses": "write"}}).json()
    assert made["permissions"] == {"statuses": "write"}
    mine = {"Authorization": f"token {made['token']}"}
    status = {"state": "success", "context": "gate/prod"}
    assert lab.api.post(f"{lab.url}/statuses/{lab.second}", headers=mine, json=status).status_code == 201
    assert lab.api.get(f"{lab.url}/commits/main", headers=mine).status_code == 403
    for asked in ({"administration": "write"}, {"contents": "admin"}):
        code, said = says(lab.api.post(TOKENS, headers=signed(), json={"permissions": asked}))
        assert (code, said) == (422, "The permissions requested are not granted to this installation.")
    assert lab.api.post("/app/installations/78/access_tokens", headers=signed()).status_code == 404


def test_a_token_ends_and_the_app_may_not_stand_in_for_it(lab: Bench) -> None:
    install(lab, lifetime=-1)
    token = lab.api.post(TOKENS, headers=signed()).json()["token"]
    path = f"{lab.url}/commits/main"
    assert says(lab.api.get(path, headers={"Authorization": f"token {token}"})) == (401, "Bad credentials")
    assert says(lab.api.get(path, headers=signed())) == (401, "Bad credentials")
    install(lab)
    token = lab.api.post(TOKENS, headers=signed()).json()["token"]
    assert lab.api.get(path, headers={"Authorization": f"token {token}"}).status_code == 200
