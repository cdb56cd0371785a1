"""A change that GitHub does not take: what happened, what it usually means, what to change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gate.adapters.github import CommitPublisher, GitHubClient, GitHubRepository
from gate.adapters.github.answer import Refused
from gate.adapters.github.commit_refusals import not_committed
from gate.errors import CommitError, ExitCode
from gate.lab.github import Identity
from gate.lab.github.exchange import ApiError
from tests.support.github import NAME, PIN
from tests.support.github_client import ClientBench, client_bench
from tests.support.github_commits import bump, history, pin, setting

PULL_REQUESTS: dict[str, Any] = {
    "type": "pull_request",
    "parameters": {
        "dismiss_stale_reviews_on_push": False,
        "require_code_owner_review": False,
        "require_last_push_approval": False,
        "required_approving_review_count": 1,
        "required_review_thread_resolution": False,
    },
}
APP = Identity("acme-gate[bot]", 7007, app_id=424242)


@pytest.fixture(params=[False, True], ids=["git data", "signed"])
def signed(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def readers(tmp_path: Path) -> Iterator[ClientBench]:
    with client_bench(tmp_path, permissions={"contents": "read"}) as made:
        yield made


def refused(at: ClientBench, signed: bool, client: GitHubClient | None = None) -> CommitError:
    repository = GitHubRepository(at.client if client is None else client, NAME)
    with pytest.raises(CommitError) as raised:
        at.run(CommitPublisher(repository, signed=signed).commit("main", setting({PIN: pin("four")}), "Bump"))
    assert raised.value.exit_code is ExitCode.COULD_NOT_RUN
    assert raised.value.means
    assert raised.value.change
    assert history(at) == ["Two", "One"]
    return raised.value


def test_a_protected_branch_wants_a_pull_request_or_an_app(at: ClientBench, signed: bool) -> None:
    at.lab.github.add_rule("main", PULL_REQUESTS)
    error = refused(at, signed)
    assert "Changes must be made through a pull request." in error.happened
    assert "GITHUB_TOKEN cannot bypass its rules" in error.means
    assert "open a pull request instead" in error.change
    assert "GitHub App on the bypass list" in error.change


def test_an_app_on_the_bypass_list_may(at: ClientBench, signed: bool) -> None:
    assert APP.app_id is not None
    at.lab.github.add_rule("main", PULL_REQUESTS, bypass=(APP.app_id,))
    refused(at, signed)
    at.lab.github.add_token("app-token", APP)
    client = at.another("app-token")
    publisher = CommitPublisher(GitHubRepository(client, NAME), signed=signed)
    assert at.run(publisher.commit("main", setting({PIN: pin("four")}), "Bump")).changed
    client.close()


def test_the_app_behind_github_token_is_on_no_bypass_list(at: ClientBench) -> None:
    with pytest.raises(ApiError, match="Actor GitHub Actions integration must be part of"):
        at.lab.github.add_rule("main", PULL_REQUESTS, bypass=(15368,))
    at.lab.github.add_rule("main", PULL_REQUESTS, bypass=(1,))


def test_a_required_status_is_required_of_direct_commits_too(at: ClientBench, signed: bool) -> None:
    at.lab.github.require_status("main", "gate/prod")
    error = refused(at, signed)
    assert 'Required status check "gate/prod" is expected.' in error.happened
    assert "takes no direct change" in error.means


def test_a_branch_of_signed_commits_takes_signed_ones_only(tmp_path: Path) -> None:
    with client_bench(tmp_path, signs_commits=False) as at:
        at.lab.github.add_rule("main", {"type": "required_signatures"})
        error = refused(at, signed=False)
        assert error.means == "this branch takes signed commits only."
        assert "bump: {signed: true}" in error.change
        made = bump(at, "four", signed=True)
        assert (made.verified, history(at)) == (True, ["Bump the pin", "Two", "One"])


def test_a_token_that_may_not_write_is_told(readers: ClientBench, signed: bool) -> None:
    error = refused(readers, signed)
    assert "Resource not accessible by integration" in error.happened
    assert "contents: write" in error.change


def test_a_wrong_token_is_told(at: ClientBench, signed: bool) -> None:
    client = at.another("no-such-token")
    error = refused(at, signed, client)
    client.close()
    assert "HTTP 401" in error.happened
    assert "the token is wrong" in error.means


def test_a_repository_that_is_not_there_is_told(at: ClientBench, signed: bool) -> None:
    publisher = CommitPublisher(GitHubRepository(at.client, "acme/none"), signed=signed)
    with pytest.raises(CommitError) as raised:
        at.run(publisher.commit("main", setting({}), "Bump"))
    assert "There is no branch main of acme/none" in raised.value.happened


@pytest.mark.parametrize(
    ("status", "says", "change"),
    [
        (422, "Reference does not exist", "check the names"),
        (422, "Reference update failed", "open a pull request instead"),
        (403, "GitHub Actions is not permitted to create or approve pull requests.", "Settings, Actions, General"),
        (422, "Something new", "see what the message asks for"),
        (409, "Git Repository is empty.", "see what the message asks for"),
        (200, "protected branch 'main' check failed: At least 1 approving review", "open a pull request instead"),
    ],
)
def test_each_of_githubs_words_has_its_advice(status: int, says: str, change: str) -> None:
    error = not_committed("branch main of acme/environments", Refused("it", status, says))
    assert says in error.happened
    assert ("HTTP" in error.happened) is (status != 200)
    assert change in error.change
