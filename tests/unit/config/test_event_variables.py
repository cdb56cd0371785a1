"""The runner's variables that say where the run is, and those that cannot be right."""

from __future__ import annotations

import pytest

from tests.support.payloads import push, refused, run


def test_enterprise_server_addresses_are_taken_as_given() -> None:
    found = run("push", push(), GITHUB_SERVER_URL="https://ghe.example/", GITHUB_API_URL="https://ghe.example/api/v3")
    assert found.api_url == "https://ghe.example/api/v3"
    assert found.run_url.startswith("https://ghe.example/acme/environments/actions/runs/4711")


@pytest.mark.parametrize(
    "value", ["ghe.example", "ftp://x", "https://", "https://a b", "https://u:p@ghe.example", "https://x\n"]
)
@pytest.mark.parametrize("name", ["GITHUB_SERVER_URL", "GITHUB_API_URL"])
def test_what_is_no_address_is_refused_and_not_repeated(name: str, value: str) -> None:
    assert refused("push", push(), **{name: value}) == f"The variable {name} is no web address."


@pytest.mark.parametrize("name", ["GITHUB_EVENT_NAME", "GITHUB_REPOSITORY", "GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT"])
def test_a_variable_that_is_not_set_is_named(name: str) -> None:
    assert refused("push", push(), **{name: ""}) == f"The variable {name} is not set."


@pytest.mark.parametrize("name", ["GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT"])
@pytest.mark.parametrize("value", ["0", "-1", "1.0", "x", "1 ", "\u0663", "9" * 30])
def test_a_number_that_is_none_is_refused(name: str, value: str) -> None:
    assert name in refused("push", push(), **{name: value})


@pytest.mark.parametrize("value", ["acme", "acme/", "/x", "a/b/c", "a/..", "a/.", "a b/c", "acme/x\n", "../x"])
def test_a_repository_that_is_none_is_refused(value: str) -> None:
    assert "GITHUB_REPOSITORY" in refused("push", push(), GITHUB_REPOSITORY=value)
