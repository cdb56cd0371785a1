"""Names in GitHub's addresses, and the marker of a comment."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from pydantic import ValidationError

from gate.adapters.github import Marker, PullRequest, parse_repository
from gate.adapters.github.address import check_path, check_ref, check_repository
from gate.adapters.github.marker import is_marked, parse_marker
from gate.adapters.github.pulls import choose, number_in
from gate.errors import UsageError

SHA = "a" * 40
SERVER = "https://github.com"


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/acme/orders",
        "https://github.com/acme/orders.git",
        "https://github.com/acme/orders/",
        "https://GitHub.com/acme/orders.git",
        "https://www.github.com/acme/orders",
        "https://user:ghp_secret@github.com/acme/orders.git",
        "https://github.com:443/acme/orders",
        "http://github.com/acme/orders",
        "git@github.com:acme/orders.git",
        "git@github.com:/acme/orders",
        "github.com:acme/orders",
        "ssh://git@github.com/acme/orders.git",
        "ssh://git@ssh.github.com:443/acme/orders.git",
        "git://github.com/acme/orders",
        "  https://github.com/acme/orders  ",
    ],
)
def test_a_repository_is_found_behind_every_form_of_its_url(url: str) -> None:
    assert parse_repository(url, SERVER) == "acme/orders"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "acme/orders",
        "https://gitlab.com/acme/orders",
        "https://github.com.evil.example/acme/orders",
        "https://evil.example/github.com/acme/orders",
        "https://github.com@evil.example/acme/orders",
        "https://github.com/acme",
        "https://github.com/acme/orders/tree/main",
        "https://github.com/acme/..",
        "https://github.com/../orders",
        "file:///github.com/acme/orders",
        "git@evil.example:acme/orders.git",
        "https://[github.com/acme/orders",
        "oci://github.com/acme/orders",
    ],
)
def test_everything_else_is_another_place(url: str) -> None:
    assert parse_repository(url, SERVER) is None


def test_enterprise_servers_are_told_apart() -> None:
    assert parse_repository("https://ghe.example/acme/orders", "https://ghe.example") == "acme/orders"
    assert parse_repository("https://github.com/acme/orders", "https://ghe.example") is None
    assert parse_repository("git@ghe.example:acme/orders", "https://ghe.example:8443") == "acme/orders"
    assert parse_repository("https://x/acme/orders", "") is None


@pytest.mark.parametrize("name", ["acme/orders", "a/b.c_d-e", "A1/x", "acme_corp/x", "a/.github"])
def test_repositories_that_can_be(name: str) -> None:
    assert check_repository(name) == name


@pytest.mark.parametrize("name", ["", "acme", "a/b/c", "a/..", "a/.", "../a", "a/b?", "a/b\n", "a/ b", "-a/b"])
def test_repositories_that_cannot_be(name: str) -> None:
    with pytest.raises(UsageError, match="is not a repository"):
        check_repository(name)


@pytest.mark.parametrize("name", ["main", "env/staging", "v1.2.3", SHA, "refs/heads/main", "fix-#1", "über"])
def test_refs_that_can_be(name: str) -> None:
    assert check_ref(name) == name


@pytest.mark.parametrize(
    "name", ["", "-x", "/x", "x/", "x.", ".x", "a..b", "a//b", "a/.b", "a b", "a~1", "a^", "a:b", "a?", "a*", "x" * 256]
)
def test_refs_that_cannot_be(name: str) -> None:
    with pytest.raises(UsageError, match="is not a branch, a tag or a commit id"):
        check_ref(name)


def test_a_path_may_hold_blanks_and_dots_in_names() -> None:
    assert check_path("apps/stag ing/.orders..yaml") == "apps/stag ing/.orders..yaml"


@pytest.mark.parametrize(
    ("message", "number"),
    [
        ("Promote (#12)", 12),
        ('Revert "Promote (#12)" (#15)', 15),
        ("Promote (#12)  \n\nMore (#13)", 12),
        ("Merge pull request #7 from acme/promote\n\nPromote", 7),
        ("Promote #12", None),
        ("Promote (#12) again", None),
        ("Merge branch 'x' (#3) into main", None),
        ("(#99999999999)", None),
        ("", None),
        ("\n(#5)", None),
    ],
)
def test_the_number_that_github_writes_into_a_message(message: str, number: int | None) -> None:
    assert number_in(message) == number


def pull(number: int, **changes: object) -> PullRequest:
    fields = {
        "number": number,
        "state": "open",
        "head": SHA,
        "head_branch": "promote",
        "head_repository": "acme/orders",
        "base_branch": "main",
        "merged_at": None,
        "merge_commit": None,
    }
    return PullRequest.model_validate(fields | changes)


def test_a_test_merge_is_no_merge() -> None:
    waiting = pull(1, head="b" * 40, merge_commit=SHA)
    closed = pull(2, head="b" * 40, merge_commit=SHA, state="closed")
    merged = pull(3, state="closed", merge_commit=SHA, merged_at=datetime(2026, 12, 1, tzinfo=UTC))
    assert choose([waiting, closed], commit=SHA, repository="acme/orders", base=None).number is None
    assert choose([waiting, closed, merged], commit=SHA, repository="acme/orders", base=None).number == 3


@pytest.mark.parametrize("changes", [{"state": "closed"}, {"head": "b" * 40}, {"head_repository": None}])
def test_only_an_open_pull_request_of_ours_that_ends_with_the_commit_fits(changes: dict[str, object]) -> None:
    assert choose([pull(1)], commit=SHA, repository="Acme/Orders", base="main").number == 1
    assert choose([pull(1, **changes)], commit=SHA, repository="acme/orders", base="main").number is None
    assert choose([], commit=SHA, repository="acme/orders", base=None).number is None


# --- the marker


def marker(**changes: object) -> Marker:
    fields = {
        "environment": "staging",
        "commit": SHA,
        "run": 7,
        "attempt": 1,
        "began": datetime(2026, 12, 1, tzinfo=UTC),
    }
    return Marker.model_validate(fields | changes)


def test_a_marker_reads_back() -> None:
    for made in (marker(), marker(commit="b" * 64, run=0, attempt=12), marker(environment="a--b.c_d")):
        assert parse_marker(f"{made.line}\nbody", made.environment) == made
        assert parse_marker(f"{made.line}\r\nbody", made.environment) == made
        assert "\n" not in made.line


def test_a_time_is_written_in_utc_to_the_second() -> None:
    east = datetime(2026, 12, 1, 1, 30, 5, 999, tzinfo=timezone(timedelta(hours=2)))
    assert ":at=20261130T233005Z -->" in marker(began=east).line


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<!-- promotion-gate:production:x -->",
        "<!-- promotion-gate:staging-2:x -->",
        "<!-- promotion-gate:staging:x",
        f"> {marker().line}",
        f"\n{marker().line}",
        f" {marker().line}",
        f"text\n{marker().line}",
    ],
)
def test_only_the_first_line_marks_and_only_for_its_environment(body: str) -> None:
    assert is_marked(body, "staging") is False
    assert parse_marker(body, "staging") is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (SHA, SHA[:39]),
        (SHA, SHA.upper()),
        ("run=7", "run=x"),
        ("run=7", "run=-1"),
        ("attempt=1", "attempt=0"),
        ("20261201T000000Z", "20261301T000000Z"),
        ("20261201T000000Z", "2026-12-01"),
        (" -->", ":more=1 -->"),
    ],
)
def test_a_marker_with_other_details_is_ours_but_says_nothing(old: str, new: str) -> None:
    line = marker().line.replace(old, new)
    assert line != marker().line
    assert is_marked(line, "staging")
    assert parse_marker(line, "staging") is None


@pytest.mark.parametrize("environment", ["", "a b", "a:b", "a\nb", "-->", "a>b"])
def test_no_environment_can_end_the_marker(environment: str) -> None:
    with pytest.raises(ValidationError):
        marker(environment=environment)


def test_a_later_beginning_is_later_and_the_same_second_goes_by_run() -> None:
    later = marker().began + timedelta(seconds=1)
    assert marker(began=later).began_after(marker(run=99))
    assert not marker().began_after(marker(began=later))
    assert marker(run=8).began_after(marker())
    assert marker(attempt=2).began_after(marker())
    assert not marker().began_after(marker())
    assert not marker(began=marker().began + timedelta(milliseconds=900)).began_after(marker())


def test_a_run_is_one_attempt() -> None:
    assert marker().same_run(marker(commit="b" * 40))
    assert not marker().same_run(marker(attempt=2))
    assert not marker().same_run(marker(run=8))
