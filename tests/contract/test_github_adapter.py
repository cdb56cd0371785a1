"""Reading GitHub: commits, relations, files and pull requests, over HTTP against the stand-in."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from gate.adapters.failures import Cause, ReadFailed
from gate.adapters.github import (
    CommitFound,
    GitHubAccess,
    GitHubClient,
    GitHubRepository,
    PullRequestFound,
    RelationFound,
    find_pull_request,
)
from gate.adapters.github.client import PATIENCE
from gate.errors import AccessError, UsageError
from gate.lab.github import Fault
from gate.observed import Absent, Observed, Present, Unreadable
from tests.support.clock import EPOCH, Clock
from tests.support.github import NAME, PIN, new_repository
from tests.support.github_client import ClientBench, client_bench

MISSING = "f" * 40


@pytest.fixture
def at(tmp_path: Path) -> Iterator[ClientBench]:
    with client_bench(tmp_path) as made:
        yield made


def commit_of(found: Observed[CommitFound]) -> CommitFound:
    assert isinstance(found, Present), found
    return found.value


def relation_of(found: Observed[RelationFound]) -> RelationFound:
    assert isinstance(found, Present), found
    return found.value


# --- commits


def test_a_commit_is_read_with_tree_parents_message_author_and_files(at: ClientBench) -> None:
    found = commit_of(at.run(at.repository.read_commit(at.lab.second)))
    git = at.lab.repository.git
    assert found.id == at.lab.second
    assert found.commit.tree == git.tree(at.lab.second)
    assert found.commit.parents == (at.lab.first,)
    assert (found.commit.message, found.commit.author) == ("Two", "Octo Dev")
    assert found.commit.files == (PIN,)
    assert found.commit.committed_at is not None
    assert found.commit.committed_at.tzinfo is not None


def test_a_root_commit_has_no_parents(at: ClientBench) -> None:
    assert commit_of(at.run(at.repository.read_commit(at.lab.first))).commit.parents == ()


@pytest.mark.parametrize("name", ["main", "heads/main", "promote/prod"])
def test_a_branch_is_resolved_to_a_full_id(at: ClientBench, name: str) -> None:
    expected = at.lab.promotion if name == "promote/prod" else at.lab.second
    assert at.run(at.repository.resolve_commit(name)).id == expected


def test_a_short_id_is_resolved_and_an_unknown_one_is_a_usage_error(at: ClientBench) -> None:
    assert at.run(at.repository.resolve_commit(at.lab.second[:8])).id == at.lab.second
    with pytest.raises(UsageError) as raised:
        at.run(at.repository.resolve_commit("abcdef0"))
    assert "'abcdef0' names no single commit of acme/environments" in str(raised.value)
    assert "fits no commit, or several" in raised.value.diagnostics()
    assert "full commit id" in raised.value.change


def two_commits_with_one_short_id(tree: str | None) -> tuple[str, tuple[bytes, bytes]]:
    """The first four digits of two commit objects, and the objects."""
    seen: dict[str, bytes] = {}
    number = 0
    while True:
        person = f"Octo Dev <dev@example.com> {number} +0000"
        commit = f"tree {tree}\nauthor {person}\ncommitter {person}\n\nOne of many\n".encode()
        whole = b"commit %d\0%b" % (len(commit), commit)
        short = hashlib.sha1(whole, usedforsecurity=False).hexdigest()[:4]
        if short in seen:
            return short, (seen[short], commit)
        seen[short] = commit
        number += 1


def test_an_ambiguous_short_id_is_a_usage_error(at: ClientBench) -> None:
    git = at.lab.repository.git
    short, contents = two_commits_with_one_short_id(git.tree(at.lab.second))
    for content in contents:
        sha = git.text("hash-object", "-t", "commit", "-w", "--stdin", stdin=content)
        assert at.run(at.repository.resolve_commit(sha)).id == sha
    with pytest.raises(UsageError, match="names no single commit"):
        at.run(at.repository.resolve_commit(short))


def test_a_branch_that_looks_like_a_short_id_stands_for_nothing(at: ClientBench) -> None:
    at.lab.repository.commit("deadbee", {"x": "1"}, "Trap", parents=[at.lab.second])
    with pytest.raises(UsageError, match="has a branch or tag of that name"):
        at.run(at.repository.resolve_commit("deadbee"))


@pytest.mark.parametrize("name", ["", " main", "main..x", "-x", "a^{tree}", "x\ny", "../../user", "HEAD~1", "a/../b"])
def test_what_cannot_be_a_ref_is_never_asked_for(at: ClientBench, name: str) -> None:
    with pytest.raises(UsageError, match="is not a branch, a tag or a commit id"):
        at.run(at.repository.read_commit(name))
    assert at.client.requests == 0


def test_an_unknown_commit_is_absent_and_an_unseen_repository_unreadable(at: ClientBench) -> None:
    assert isinstance(at.run(at.repository.read_commit(MISSING)), Absent)
    elsewhere = GitHubRepository(at.client, "acme/hidden")
    found = at.run(elsewhere.read_commit(at.lab.second))
    assert isinstance(found, Unreadable)
    assert found.status == 404
    assert "may not see it" in found.error
    with pytest.raises(AccessError, match="cannot be read: HTTP 404"):
        at.run(elsewhere.resolve_commit(at.lab.second))


def test_another_repository_than_the_workflows_is_read(tmp_path: Path) -> None:
    with client_bench(tmp_path) as at:
        other = new_repository(tmp_path / "other.git")
        sha = other.commit("main", {"a": "1"}, "Elsewhere")
        at.lab.github.world.repositories["acme/orders"] = type(at.lab.github.world.repositories[NAME])(
            "acme/orders", 900, other.git, "2026-01-01T00:00:00Z"
        )
        assert (
            commit_of(at.run(GitHubRepository(at.client, "acme/orders").read_commit(sha))).commit.message == "Elsewhere"
        )
        assert isinstance(at.run(at.repository.read_commit(sha)), Absent)


def test_a_full_id_is_asked_for_once_and_a_branch_every_time(at: ClientBench) -> None:
    repository = at.repository
    for _ in range(3):
        at.run(repository.read_commit(at.lab.second))
    assert at.client.requests == 1
    for _ in range(3):
        at.run(repository.read_commit("main"))
    assert at.client.requests == 4
    for _ in range(2):
        at.run(repository.read_commit(MISSING))
    assert at.client.requests == 6  # what is not there yet may come


def test_a_commit_of_more_files_than_a_page_has_no_list_of_files(at: ClientBench) -> None:
    files = {f"f/{number}": "x" for number in range(301)}
    sha = at.lab.repository.commit("many", files, "Many", parents=[at.lab.second])
    assert commit_of(at.run(at.repository.read_commit(sha))).commit.files is None


# --- relations


def test_the_four_relations(at: ClientBench) -> None:
    first, second, promotion = at.lab.first, at.lab.second, at.lab.promotion
    side = at.lab.repository.commit("side", {"s": "1"}, "Side", parents=[first])
    repository = at.repository
    expected = {
        (first, promotion): "ahead",
        (promotion, first): "behind",
        (first, first): "identical",
        (second, side): "diverged",
    }
    for (base, head), relation in expected.items():
        assert relation_of(at.run(repository.read_relation(base, head))).relation == relation
    diverged = relation_of(at.run(repository.read_relation(second, side)))
    assert diverged.merge_base == first


def test_what_a_commit_adds_is_listed_oldest_first(at: ClientBench) -> None:
    found = relation_of(at.run(at.repository.read_relation(at.lab.first, at.lab.promotion)))
    assert [commit.id for commit in found.commits] == [at.lab.second, at.lab.promotion]
    assert found.commits[1].commit.message == "Promote three"
    assert found.commits[0].commit.files is None
    assert found.files == (PIN,)
    assert not found.truncated
    assert at.client.requests == 1


def test_a_renamed_file_is_listed_by_both_names(at: ClientBench) -> None:
    text = "".join(f"line {number}\n" for number in range(30))
    before = at.lab.repository.commit("moved", {"old.yaml": text}, "Before", parents=[at.lab.second])
    after = at.lab.repository.commit("moved", {"old.yaml": None, "new.yaml": text}, "After")
    assert relation_of(at.run(at.repository.read_relation(before, after))).files == ("new.yaml", "old.yaml")


def test_long_histories_and_many_files_are_marked_truncated(at: ClientBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gate.lab.github.api.commits.COMPARED_LIMIT", 3)
    tips = [at.lab.second]
    for number in range(4):
        tips.append(at.lab.repository.commit("long", {"n": str(number)}, f"{number}", parents=[tips[-1]]))
    fits = relation_of(at.run(at.repository.read_relation(tips[0], tips[3])))
    assert (len(fits.commits), fits.truncated) == (3, False)
    cut = relation_of(at.run(at.repository.read_relation(tips[0], tips[4])))
    assert (len(cut.commits), cut.relation, cut.truncated) == (3, "ahead", True)
    wide = at.lab.repository.commit("wide", {f"w/{n}": "x" for n in range(310)}, "Wide", parents=[at.lab.second])
    assert relation_of(at.run(at.repository.read_relation(at.lab.second, wide))).truncated


def test_unrelated_histories_are_diverged_and_unknown_commits_absent(at: ClientBench) -> None:
    alone = at.lab.repository.commit("alone", {"a": "1"}, "Alone", parents=[])
    found = relation_of(at.run(at.repository.read_relation(at.lab.first, alone)))
    assert (found.relation, found.merge_base, found.commits) == ("diverged", None, ())
    assert isinstance(at.run(at.repository.read_relation(at.lab.first, MISSING)), Absent)


def test_only_full_ids_are_compared(at: ClientBench) -> None:
    with pytest.raises(UsageError, match="is not a full commit id"):
        at.run(at.repository.read_relation("main", at.lab.second))
    assert at.client.requests == 0


# --- files


def test_a_file_is_read_at_a_commit_and_at_a_branch(at: ClientBench) -> None:
    assert at.run(at.repository.read_file(PIN, at.lab.first)) == Present(value="targetRevision: one\n")
    assert at.run(at.repository.read_file(PIN, "refs/heads/promote/prod")) == Present(value="targetRevision: three\n")


def test_a_file_at_a_branch_is_read_anew_and_at_a_commit_once(at: ClientBench) -> None:
    repository = at.repository
    for ref in (at.lab.second, "main"):
        assert at.run(repository.read_file(PIN, ref)) == Present(value="targetRevision: two\n")
    at.lab.repository.commit("main", {PIN: "targetRevision: four\n"}, "Four")
    assert at.run(repository.read_file(PIN, "main")) == Present(value="targetRevision: four\n")
    assert at.run(repository.read_file(PIN, at.lab.second)) == Present(value="targetRevision: two\n")
    assert at.client.requests == 3


def test_an_absent_file_or_ref_is_absent(at: ClientBench) -> None:
    assert isinstance(at.run(at.repository.read_file("no/such.yaml", "main")), Absent)
    assert isinstance(at.run(at.repository.read_file(PIN, "no-branch")), Absent)


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../x", "a/../b", "a//b", "./a", "a\nb"])
def test_a_path_never_leads_out_of_the_repository(at: ClientBench, path: str) -> None:
    with pytest.raises(UsageError, match="is not the path of a file"):
        at.run(at.repository.read_file(path, "main"))
    assert at.client.requests == 0


def test_directories_large_files_and_binary_files_are_unreadable(at: ClientBench) -> None:
    git = at.lab.repository
    sha = git.commit(
        "odd", {"big.yaml": "x" * (1024 * 1024 + 1), "d/f": "x", "blank": ""}, "Odd", parents=[at.lab.second]
    )
    errors = {}
    for path in ("big.yaml", "d"):
        found = at.run(at.repository.read_file(path, sha))
        assert isinstance(found, Unreadable)
        errors[path] = found.error
    assert "too large" in errors["big.yaml"]
    assert "directory" in errors["d"]
    assert at.run(at.repository.read_file("blank", sha)) == Present(value="")


# --- failures and limits


def test_short_outages_are_waited_out(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault("error", times=2), Fault("close", times=1))
    assert commit_of(at.run(at.repository.read_commit(at.lab.second))).id == at.lab.second
    assert at.clock.slept == [0.5, 1.0, 2.0]
    assert at.client.requests == 4


def test_a_long_outage_is_unreadable_with_the_number_of_tries(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault("error", times=None, status=503))
    found = at.run(at.repository.read_commit(at.lab.second))
    assert found == Unreadable(what=f"commit {at.lab.second} of {NAME}", error="HTTP 503; tried 5 times", status=503)
    assert sum(at.clock.slept) == 7.5


def test_a_wait_that_the_server_asks_for_is_kept_within_the_deadline(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault("secondary-limit", retry_after=30))
    deadline = at.client.patience.deadline(31)
    assert isinstance(at.run(at.repository.read_commit(at.lab.second, deadline=deadline)), Present)
    assert at.clock.slept == [30]


def test_a_wait_beyond_the_deadline_is_not_begun(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault("secondary-limit", retry_after=30, status=429))
    deadline = at.client.patience.deadline(29)
    found = at.run(at.repository.read_commit(at.lab.second, deadline=deadline))
    assert isinstance(found, Unreadable)
    assert found.status == 429
    assert "retry-after: 30" in found.error
    assert "the next try is due in 30 s, time is up in 29 s" in found.error
    assert at.clock.slept == []
    assert at.client.requests == 1


def test_an_exhausted_budget_is_told_with_its_reset(at: ClientBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gate.lab.github.faults.time", lambda: EPOCH)
    at.lab.github.faults.add(Fault("primary-limit", seconds=3600))
    found = at.run(at.repository.read_commit(at.lab.second))
    assert isinstance(found, Unreadable)
    assert found.status == 403
    assert f"x-ratelimit-reset: {int(EPOCH) + 3600}" in found.error
    assert "x-ratelimit-remaining: 0" in found.error
    assert at.clock.slept == []


def test_an_exhausted_budget_is_waited_for_where_time_allows(at: ClientBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gate.lab.github.faults.time", lambda: EPOCH)
    at.lab.github.faults.add(Fault("primary-limit", seconds=20))
    assert isinstance(at.run(at.repository.read_commit(at.lab.second)), Present)
    assert at.clock.slept == [21]


def test_a_limit_without_a_header_is_left_alone_for_a_minute(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault("secondary-limit"))
    deadline = at.client.patience.deadline(90)
    assert isinstance(at.run(at.repository.read_commit(at.lab.second, deadline=deadline)), Present)
    assert at.clock.slept == [60]


def test_a_missing_permission_is_no_limit_and_not_repeated(tmp_path: Path) -> None:
    with client_bench(tmp_path, permissions={"statuses": "write"}) as at:
        found = at.run(at.repository.read_commit(at.lab.second))
        assert isinstance(found, Unreadable)
        assert (found.status, at.client.requests) == (403, 1)
        assert "needs contents: read" in found.error


def test_a_wrong_token_is_not_repeated(at: ClientBench) -> None:
    client = at.another(token="wrong-token")
    found = at.run(GitHubRepository(client, NAME).read_commit(at.lab.second))
    client.close()
    assert isinstance(found, Unreadable)
    assert (found.status, client.requests) == (401, 1)


def test_a_server_that_hangs_times_out(tmp_path: Path) -> None:
    with client_bench(tmp_path, timeout=1) as at:
        at.lab.github.faults.add(Fault("hang"))
        assert isinstance(at.run(at.repository.read_commit(at.lab.second)), Present)
        assert at.clock.slept == [0.5]


def test_a_deadline_ends_a_hanging_request(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault("hang", seconds=5))
    deadline = at.client.patience.deadline(0.2)
    found = at.run(at.repository.read_commit(at.lab.second, deadline=deadline))
    assert isinstance(found, Unreadable)
    assert "no answer before the deadline" in found.error


def test_nobody_listening_is_told_in_plain_words(unused_port: int) -> None:
    access = GitHubAccess(api_url=f"http://127.0.0.1:{unused_port}", token=SecretStr("a-token"))
    client = GitHubClient(access, Clock().patience(PATIENCE))
    found = asyncio.run(GitHubRepository(client, NAME).read_commit("main"))
    client.close()
    assert isinstance(found, Unreadable)
    assert found.error == "connection refused (127.0.0.1); tried 5 times"


def test_a_cancelled_read_ends_at_once_and_blocks_nothing(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault("hang", seconds=5))

    async def cancelled() -> None:
        reading = asyncio.create_task(at.repository.read_commit(at.lab.second))
        await at.under_way()
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert not await at.client.idle(0.01)

    at.run(cancelled())


def test_a_read_cancelled_before_its_turn_is_never_sent(at: ClientBench) -> None:
    at.lab.github.faults.add(Fault("slow", seconds=0.2))

    async def cancelled() -> None:
        first = asyncio.create_task(at.repository.read_commit(at.lab.first))
        await at.under_way()
        second = asyncio.create_task(at.repository.read_commit(at.lab.second))
        await asyncio.sleep(0)
        second.cancel()
        assert isinstance(await first, Present)
        assert await at.client.idle(1)
        assert isinstance(await at.repository.read_commit("main"), Present)

    at.run(cancelled())
    assert [path.rpartition("/")[2] for path in at.lab.paths("GET")[1:]] == [at.lab.first, "main"]


# --- the token


def test_the_token_shows_nowhere(at: ClientBench, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    client = at.another()
    access = GitHubAccess(api_url=at.lab.github.url, token=SecretStr(at.lab.github.token))
    at.run(GitHubRepository(client, NAME).read_commit("main"))
    client.close()
    shown = [repr(client), str(client), repr(access), access.model_dump_json(), caplog.text]
    assert caplog.text != ""
    assert not [text for text in shown if at.lab.github.token in text]


@pytest.mark.parametrize("token", ["", " ", "abc\n", "a b", "\u00e9"])
def test_a_token_that_cannot_be_one_is_refused_without_being_shown(token: str) -> None:
    with pytest.raises(AccessError) as raised:
        GitHubClient(GitHubAccess(token=SecretStr(token)))
    assert "token is empty, or holds blanks" in str(raised.value)
    assert token.strip() == "" or token.strip() not in raised.value.diagnostics()


@pytest.mark.parametrize("url", ["http://github.example", "ftp://127.0.0.1", "api.github.com", "", "http://10.0.0.1"])
def test_a_token_never_travels_unprotected(url: str) -> None:
    with pytest.raises(AccessError, match="is not an https address"):
        GitHubClient(GitHubAccess(api_url=url, token=SecretStr("secret-value")))


def test_a_missing_authority_is_named(tmp_path: Path) -> None:
    with pytest.raises(AccessError, match=r"no file '.*ca\.pem' with the certificate authority"):
        GitHubClient(GitHubAccess(ca_file=tmp_path / "ca.pem"))


# --- GitHub Enterprise Server


def test_enterprise_server_paths_are_kept(tmp_path: Path) -> None:
    with client_bench(tmp_path, prefix="/api/v3") as at:
        assert at.lab.github.url.endswith("/api/v3")
        assert commit_of(at.run(at.repository.read_commit("main"))).id == at.lab.second


# --- pull requests


def found_for(at: ClientBench, commit: str, message: str = "", **options: int | str) -> PullRequestFound:
    arguments = {"commit": commit, "message": message} | options
    return at.run(find_pull_request(at.repository, **arguments))  # type: ignore[arg-type]  # keywords of the call


def test_an_input_wins_and_the_event_comes_next(at: ClientBench) -> None:
    assert found_for(at, at.lab.second, "Two (#9)", given=4, from_event=5).number == 4
    assert found_for(at, at.lab.second, "Two (#9)", from_event=5).number == 5
    assert at.client.requests == 0


@pytest.mark.parametrize("method", ["squash", "merge"])
def test_a_merge_is_found_by_its_message_and_verified(at: ClientBench, method: str) -> None:
    pull = at.lab.github.open_pull("promote/prod")
    merged = at.lab.github.merge_pull(pull.number, method=method)
    sha = merged.merge_commit_sha
    assert sha is not None
    message = at.lab.repository.git.text("log", "-1", "--format=%B", sha)
    assert str(pull.number) in message
    assert found_for(at, sha, message) == PullRequestFound(number=pull.number, how="message")
    assert at.client.requests == 1


def test_a_number_in_a_message_proves_nothing(at: ClientBench) -> None:
    other = at.lab.github.open_pull("promote/prod")
    sha = at.lab.repository.commit("main", {"x": "1"}, f"Sneaky (#{other.number})")
    for message in (f"Sneaky (#{other.number})", "Unknown (#999999)", "Merge pull request #0 from a/b"):
        found = found_for(at, sha, message)
        assert found.number is None
        assert "No pull request to comment on" in found.note


def test_the_index_is_asked_until_it_has_caught_up(tmp_path: Path) -> None:
    with client_bench(tmp_path, index_lag=3) as at:
        pull = at.lab.github.open_pull("promote/prod")
        sha = at.lab.github.merge_pull(pull.number, method="squash").merge_commit_sha
        assert sha is not None
        assert found_for(at, sha) == PullRequestFound(number=pull.number, how="index")
        assert at.clock.slept == [2, 4, 8]


def test_the_index_is_asked_five_times_and_never_beyond_the_deadline(tmp_path: Path) -> None:
    with client_bench(tmp_path, index_lag=99) as at:
        assert found_for(at, at.lab.second).number is None
        assert at.clock.slept == [2, 4, 8, 16]
        assert at.client.requests == 5
        at.clock.slept.clear()
        found = at.run(find_pull_request(at.repository, commit=at.lab.second, deadline=at.client.patience.deadline(7)))
        assert found.number is None
        assert at.clock.slept == [2, 4]


def test_the_merged_pull_request_wins_over_an_open_one(at: ClientBench) -> None:
    at.lab.repository.commit("release", {"r": "1"}, "Release", parents=[at.lab.first])
    merged = at.lab.github.open_pull("promote/prod", "release")
    sha = at.lab.github.merge_pull(merged.number).merge_commit_sha
    assert sha is not None
    still_open = at.lab.github.open_pull("release", "main")
    assert at.lab.github.pull(still_open.number).head_sha == sha
    assert found_for(at, sha) == PullRequestFound(number=merged.number, how="index")


def test_an_open_pull_request_is_found_by_its_head_and_base(at: ClientBench) -> None:
    at.lab.repository.commit("release", {"r": "1"}, "Release", parents=[at.lab.first])
    one = at.lab.github.open_pull("promote/prod", "main")
    assert found_for(at, at.lab.promotion).number == one.number
    two = at.lab.github.open_pull("promote/prod", "release")
    both = found_for(at, at.lab.promotion)
    assert both.number is None
    assert f"#{one.number}, #{two.number} fit equally well" in both.note
    assert found_for(at, at.lab.promotion, base="release").number == two.number


def test_a_pull_request_from_a_fork_is_not_taken_for_ours(at: ClientBench) -> None:
    at.lab.github.open_pull("stranger:promote/prod", "main")
    assert found_for(at, at.lab.promotion).number is None


def test_a_pull_request_that_only_contains_the_commit_is_not_taken(at: ClientBench) -> None:
    at.lab.repository.commit("promote/prod", {PIN: "targetRevision: four\n"}, "Four")
    at.lab.github.open_pull("promote/prod", "main")
    found = found_for(at, at.lab.promotion)
    assert found.number is None
    assert "none of the pull requests with this commit" in found.note


def test_failures_become_a_note(tmp_path: Path) -> None:
    with client_bench(tmp_path, permissions={"contents": "read"}) as at:
        assert "needs pull-requests: read" in found_for(at, at.lab.second).note
        at.lab.github.faults.add(Fault("error", times=None))
        assert "HTTP 502; tried 5 times" in found_for(at, at.lab.second).note


def test_answers_of_the_wrong_shape_are_not_believed(at: ClientBench, monkeypatch: pytest.MonkeyPatch) -> None:
    async def wrong(*_arguments: object, **_keywords: object) -> object:
        raise ReadFailed("commit", "sha: Field required", cause=Cause.MALFORMED)

    monkeypatch.setattr(at.client, "send", wrong)
    found = at.run(at.repository.read_commit(at.lab.second))
    assert isinstance(found, Unreadable)
    assert found.error == "sha: Field required"


@pytest.fixture
def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
