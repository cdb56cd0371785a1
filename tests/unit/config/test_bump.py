"""How gate bump may write pins: strict, with branches by their plain names."""

import pytest

from gate.errors import ConfigurationError
from tests.unit.config.building import staging


@pytest.mark.parametrize("name", ["main", "env/staging", "release-1.x", "a", "ünï"])
def test_branches_are_plain_names(name: str) -> None:
    made = staging(bump={"branch": name, "allowed-branch": name}).bump
    assert (made.branch, made.allowed_branch) == (name, name)


@pytest.mark.parametrize(
    "name", ["", "refs/heads/main", "-d", "a..b", "a b", "main/", ".main", "a//b", "x@{1}", "a\nb"]
)
def test_what_is_no_plain_name_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match="branch"):
        staging(bump={"branch": name})


def test_nothing_is_allowed_that_was_not_asked_for() -> None:
    made = staging().bump
    assert (made.pull_request, made.signed, made.allow_older) == (False, False, False)
    assert (made.branch, made.allowed_branch) == (None, None)
    with pytest.raises(ConfigurationError, match="allow-older"):
        staging(bump={"allow-older": "yes"})
    with pytest.raises(ConfigurationError, match="did you mean signed"):
        staging(bump={"sign": True})
