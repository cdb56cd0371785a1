"""The evidence branch: every verdict is kept, whoever races; nothing that is there is changed or removed."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gate.adapters.github.append import Appended, AppendOnlyBranch
from gate.adapters.github.client import GitHubClient
from gate.adapters.github.reading import GitHubRepository
from gate.errors import CommitError
from gate.evidence.branch import BRANCH
from gate.evidence.entries import read_verified
from gate.lab.github import Fault
from gate.outcomes import VerdictWord
from tests.support.github import NAME
from tests.support.github_client import ClientBench, client_bench
from tests.support.kept import AT, evidence
from tests.support.storing import addition, files, keep, of_run, state, store

REF = f"*/git/refs/heads/{BRANCH}"
ONE = evidence()
COMMIT = ONE.verdict.intended
PLACE = f"staging/{COMMIT}"


def subjects(at: ClientBench) -> list[str]:
    return at.lab.repository.git.text("log", "--format=%s", "--first-parent", BRANCH).splitlines()


def test_the_first_verdict_makes_a_branch_that_shares_no_history(at: ClientBench) -> None:
    made = keep(at, ONE)
    git = at.lab.repository.git
    assert made == Appended(path=f"{PLACE}/42-1.json", commit=git.commit(BRANCH) or "", made=True)
    assert git.text("rev-list", "--count", BRANCH) == "1"
    assert git.merge_base(BRANCH, "main") is None
    assert files(at) == [f"{PLACE}/42-1.json", f"{PLACE}/42-1.predicate.json"]


def test_what_is_stored_is_byte_for_byte_what_the_run_wrote(at: ClientBench) -> None:
    keep(at, ONE)
    text = at.lab.repository.git.run("show", f"{BRANCH}:{PLACE}/42-1.json").decode()
    assert text == addition(ONE).texts[".json"]


def test_the_next_verdict_is_one_commit_on_top_and_changes_nothing(at: ClientBench) -> None:
    keep(at, ONE)
    first = at.lab.repository.git.commit(BRANCH)
    made = keep(at, of_run(ONE, "43-1"))
    git = at.lab.repository.git
    assert git.text("rev-list", "--parents", "-1", BRANCH).split() == [made.commit, first]
    assert git.text("diff", "--name-status", "--no-renames", first or "", made.commit).split() == [
        "A", f"{PLACE}/43-1.json", "A", f"{PLACE}/43-1.predicate.json",
    ]  # fmt: skip
    [moved] = [seen for seen in at.lab.github.requests if seen.method == "PATCH"]
    assert moved.request_body["force"] is False


def test_the_same_file_once_more_is_no_second_commit(at: ClientBench) -> None:
    first, second = keep(at, ONE), keep(at, ONE)
    assert (second.path, second.commit, second.made) == (first.path, first.commit, False)


def test_another_verdict_of_the_same_run_gets_a_number_and_takes_no_place(at: ClientBench) -> None:
    keep(at, ONE)
    before = at.lab.repository.git.run("show", f"{BRANCH}:{PLACE}/42-1.json")
    other = of_run(ONE, "42-1", AT + timedelta(minutes=1))
    assert keep(at, other).path == f"{PLACE}/42-1.2.json"
    assert keep(at, of_run(ONE, "42-1", AT + timedelta(minutes=2))).path == f"{PLACE}/42-1.3.json"
    assert not keep(at, other).made
    assert at.lab.repository.git.run("show", f"{BRANCH}:{PLACE}/42-1.json") == before
    listed = at.run(store(at).list("staging"))
    assert [one.run for one in listed] == ["42-1.3", "42-1.2", "42-1"]
    assert at.run(read_verified(store(at), listed[1])) == other


@pytest.mark.exhaustive
@pytest.mark.parametrize("there", [False, True], ids=["no branch yet", "a branch"])
def test_six_runs_at_once_are_all_kept(at: ClientBench, there: bool) -> None:
    if there:
        keep(at, of_run(ONE, "1-1"))
    clients = [at.another() for _ in range(6)]

    async def one(number: int, client: GitHubClient) -> Appended:
        repository = GitHubRepository(client, NAME)
        return await AppendOnlyBranch(repository, BRANCH).append(addition(of_run(ONE, f"5{number}-1")))

    async def together() -> list[Appended]:
        return await asyncio.gather(*(one(number, client) for number, client in enumerate(clients)))

    made = at.run(together())
    for client in clients:
        client.close()
    wanted = {f"{PLACE}/5{number}-1.json" for number in range(6)}
    assert {one.path for one in made} == wanted
    assert all(one.made for one in made)
    assert wanted <= set(files(at))
    assert len(subjects(at)) == 6 + there
    # Where two met, the slower one was told so and went on top of the faster.
    assert any(seen.status == 422 for seen in at.lab.github.requests)
    assert {one.run for one in at.run(store(at).list("staging"))} >= {f"5{number}-1" for number in range(6)}


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "*/git/refs"), ("PATCH", REF)], ids=["making the branch", "moving it"]
)
def test_an_answer_that_is_lost_is_no_second_commit(at: ClientBench, method: str, path: str) -> None:
    if method == "PATCH":
        keep(at, of_run(ONE, "1-1"))
    at.lab.github.faults.add(Fault(kind="error", status=502, method=method, path=path, after=True))
    assert keep(at, ONE).path == f"{PLACE}/42-1.json"
    assert len(subjects(at)) == 1 + (method == "PATCH")


def test_a_token_that_may_not_write_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    with client_bench(tmp_path, permissions={"contents": "read"}) as at:
        with pytest.raises(CommitError, match="HTTP 403") as raised:
            keep(at, ONE)
        assert "contents: write" in raised.value.change
        assert at.lab.repository.git.commit(BRANCH) is None


def test_a_branch_that_is_protected_keeps_what_it_has(at: ClientBench) -> None:
    keep(at, of_run(ONE, "1-1"))
    before = at.lab.repository.git.commit(BRANCH)
    at.lab.github.add_rule(BRANCH, {"type": "update"})
    with pytest.raises(CommitError, match="Repository rule violations found"):
        keep(at, ONE)
    assert at.lab.repository.git.commit(BRANCH) == before


@pytest.mark.exhaustive
def test_a_rule_against_force_pushes_and_deletion_is_no_hindrance(at: ClientBench) -> None:
    for rule in ("deletion", "non_fast_forward"):
        at.lab.github.add_rule(BRANCH, {"type": rule})
    keep(at, of_run(ONE, "1-1"))
    assert keep(at, ONE).made


def test_a_file_in_the_folders_place_is_refused(at: ClientBench) -> None:
    at.lab.repository.commit(BRANCH, {PLACE: "in the way\n"}, "In the way", parents=[])
    with pytest.raises(CommitError, match="is no folder"):
        keep(at, ONE)
    assert files(at) == [PLACE]


# --- reading


def test_verdicts_are_listed_newest_first_by_environment_and_commit(at: ClientBench) -> None:
    broken = evidence(state("story-recreate-broken"))
    for number, one in enumerate((ONE, broken, ONE)):
        keep(at, of_run(one, f"{number}-1", AT + timedelta(hours=number)))
    at.lab.repository.commit(BRANCH, {"staging/README.md": "by hand\n"}, "A person's word")
    listed = at.run(store(at).list("staging"))
    words = [VerdictWord.PASSED, VerdictWord.FAILED, VerdictWord.PASSED]
    assert [(one.run, one.word) for one in listed] == list(zip(("2-1", "1-1", "0-1"), words, strict=True))
    assert listed[0].recorded_at == datetime(2026, 5, 4, 12, 30, tzinfo=UTC)
    assert at.run(store(at).list("staging", most=1)) == listed[:1]
    assert at.run(store(at).list("staging", commit=COMMIT)) == (listed[0], listed[2])
    assert at.run(store(at).list("staging", commit="1" * 40)) == at.run(store(at).list("production")) == ()


def test_a_file_that_was_changed_on_the_branch_is_refused_though_its_digest_fits(at: ClientBench) -> None:
    keep(at, ONE)
    [entry] = at.run(store(at).list("staging"))
    assert at.run(read_verified(store(at), entry)) == ONE
    forged = of_run(ONE, "42-1", AT - timedelta(days=1))
    at.lab.repository.commit(BRANCH, {entry.path: json.dumps(forged.plain)}, "Nothing to see")
    assert at.run(store(at).list("staging")) == (entry,)
    with pytest.raises(Exception, match="is not the file that was stored"):
        at.run(read_verified(store(at), entry))


def test_a_file_that_is_gone_or_anothers_is_told(at: ClientBench) -> None:
    keep(at, ONE)
    [entry] = at.run(store(at).list("staging"))
    moved = entry.model_copy(update={"environment": "production"})
    with pytest.raises(Exception, match="is the evidence of another verdict: staging at"):
        at.run(read_verified(store(at), moved))
    at.lab.repository.commit(BRANCH, {entry.path: None}, "Clean up")
    with pytest.raises(Exception, match="is not on branch gate-evidence of acme/environments any more"):
        at.run(read_verified(store(at), entry))


@pytest.mark.exhaustive
def test_a_file_above_a_megabyte_is_read_all_the_same(at: ClientBench) -> None:
    keep(at, ONE)
    [entry] = at.run(store(at).list("staging"))
    spread = json.dumps(ONE.plain, indent=800)
    assert len(spread) > 1024 * 1024
    at.lab.repository.commit(BRANCH, {entry.path: spread}, "The same, with more blanks")
    assert at.run(read_verified(store(at), entry)) == ONE


def test_a_branch_that_is_not_there_is_told(at: ClientBench) -> None:
    with pytest.raises(Exception, match="There is no branch gate-evidense of acme/environments") as raised:
        at.run(store(at, "gate-evidense").list("staging"))
    assert "no verdict was ever stored" in str(getattr(raised.value, "means", ""))
