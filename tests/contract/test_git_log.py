"""A local clone tells a branch's messages by path, a commit's patch, and large files; and is an evidence store."""

from pathlib import Path

import pytest

from gate.adapters.failures import ReadFailed
from gate.errors import UsageError
from gate.evidence.branch import BranchStore, CloneBranch
from gate.evidence.entries import read_verified
from gate.evidence.messages import render_message
from gate.evidence.store import texts_of
from tests.support.clones import ABSENT, commit, git, new_clone, opened
from tests.support.kept import evidence
from tests.support.loopback import asynchronous
from tests.support.storing import of_run

ONE = evidence()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return new_clone(tmp_path)


def _store(folder: Path, run: str) -> None:
    """A verdict on the evidence branch, as the gate's commits have it."""
    one = of_run(ONE, run)
    path = f"staging/{one.verdict.intended}/{run}.json"
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(texts_of(one)[".json"], encoding="utf-8")
    commit(folder, render_message(one, path))


@asynchronous
async def test_messages_of_a_path_newest_first(folder: Path) -> None:
    commit(folder, "First", staging__a="1")
    commit(folder, "Other", production__a="1")
    last = commit(folder, "Last\n\nWith more: ü\n", staging__b="1")
    clone = await opened(folder)
    found = await clone.read_messages(last, "staging", 10)
    assert [one.strip() for one in found] == ["Last\n\nWith more: ü", "First"]
    assert len(await clone.read_messages(last, "staging", 1)) == 1
    assert await clone.read_messages(last, "nowhere", 10) == ()
    with pytest.raises(ReadFailed):
        await clone.read_messages(ABSENT, "staging", 10)


@asynchronous
async def test_a_patch_and_its_reverse(folder: Path) -> None:
    first = commit(folder, "First", f="1", kept="k")
    bad = commit(folder, "Bad", f="2", new="n")
    commit(folder, "Between", kept="kk")
    git(folder, "revert", "--no-edit", bad)
    back = git(folder, "rev-parse", "HEAD")
    clone = await opened(folder)
    was, now = await clone.read_patch(bad), await clone.read_patch(back)
    assert was is not None
    assert set(was) == {"f", "new"}
    assert now == {path: (after, before) for path, (before, after) in was.items()}
    assert was["new"][0] == f"000000 {'0' * 40}"
    assert await clone.read_patch(first) is None
    assert await clone.read_patch(ABSENT) is None


@asynchronous
async def test_a_large_file_only_where_it_is_asked_for(folder: Path) -> None:
    at = commit(folder, "Large", big="x" * (1024 * 1024 + 1))
    clone = await opened(folder)
    with pytest.raises(ReadFailed, match="longer than 1 MiB"):
        await clone.read_file("big", at)
    content = await clone.read_file("big", at, largest=2 * 1024 * 1024)
    assert content is not None
    assert len(content) == 1024 * 1024 + 1


@asynchronous
async def test_the_branch_of_a_clone_is_a_store(folder: Path, tmp_path: Path) -> None:
    git(folder, "checkout", "--quiet", "--orphan", "gate-evidence")
    for run in ("1-1", "2-1"):
        _store(folder, run)
    commit(folder, "By hand", staging__note="x")
    for place, name in ((folder, "own"), (tmp_path / "copy", "that of origin")):
        if place != folder:
            git(tmp_path, "clone", "--quiet", "--no-checkout", f"file://{folder}", str(place))
        store = BranchStore(await CloneBranch.open(await opened(place)))
        entries = await store.list("staging")
        assert [one.run for one in entries] == ["2-1", "1-1"], name
        assert await read_verified(store, entries[1]) == of_run(ONE, "1-1")
        assert await store.list("production") == ()


@asynchronous
async def test_a_clone_without_the_branch_says_how_to_fetch_it(folder: Path) -> None:
    commit(folder, "First", a="1")
    with pytest.raises(UsageError, match="no branch gate-evidence in the clone") as raised:
        await CloneBranch.open(await opened(folder))
    assert "git fetch origin gate-evidence:refs/remotes/origin/gate-evidence" in raised.value.change
