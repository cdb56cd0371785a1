"""Names that a person gives are resolved once to full ids; ambiguous, unknown and tricky ones are refused."""

from pathlib import Path

import pytest

from gate.errors import UsageError
from tests.support.clones import ABSENT, commit, git, new_clone, opened
from tests.support.loopback import asynchronous


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return new_clone(tmp_path)


@asynchronous
async def test_names_are_resolved_once_to_full_ids(folder: Path) -> None:
    first = commit(folder, "first")
    git(folder, "tag", "light", first)
    git(folder, "tag", "--annotate", "--message", "x", "v1.0+meta", first)
    second = commit(folder, "second")
    git(folder, "update-ref", "refs/remotes/origin/release/2", first)
    clone = await opened(folder)
    for name, expected in {
        first: first,
        first[:7]: first,
        second[:4]: second,
        "main": second,
        "HEAD": second,
        "light": first,
        "v1.0+meta": first,
        "refs/heads/main": second,
        "release/2": first,
        "origin/release/2": first,
    }.items():
        assert await clone.resolve(name) == expected


@asynchronous
async def test_a_local_branch_comes_before_that_of_the_remote(folder: Path) -> None:
    first = commit(folder, "first")
    second = commit(folder, "second")
    git(folder, "update-ref", "refs/remotes/origin/main", first)
    clone = await opened(folder)
    assert await clone.resolve("main") == second
    assert await clone.resolve("origin/main") == first


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "-h",
        "--all",
        "--output=/tmp/x",
        "HEAD~1",
        "HEAD^",
        "main@{1}",
        "@",
        "@{u}",
        ":/first",
        ":0:a",
        "main:a",
        "a..b",
        "^main",
        "main\n",
        "main\0",
        "ma*n",
        "main.lock",
        "main/",
        "a//b",
        "../x",
        "é",
    ],
)
@asynchronous
async def test_options_and_expressions_are_no_names(folder: Path, name: str) -> None:
    commit(folder, "first")
    with pytest.raises(UsageError, match="neither a commit id nor the name") as caught:
        await (await opened(folder)).resolve(name)
    assert caught.value.change != ""
    assert "\n" not in caught.value.happened


@asynchronous
async def test_what_names_nothing_is_told(folder: Path) -> None:
    first = commit(folder, "first", a="1")
    clone = await opened(folder)
    tree = git(folder, "rev-parse", "HEAD^{tree}")
    blob = git(folder, "rev-parse", "HEAD:a")
    for name in ("nothing", ABSENT, "deadbeef", tree, tree[:10], blob, first[:3], "refs/heads/x"):
        with pytest.raises(UsageError, match="names no commit") as caught:
            await clone.resolve(name)
        assert "shallow" not in caught.value.means
        assert "fetch-depth: 0" in caught.value.change


@asynchronous
async def test_what_can_mean_two_commits_is_ambiguous(folder: Path) -> None:
    first = commit(folder, "first")
    second = commit(folder, "second")
    git(folder, "tag", "main", first)
    clone = await opened(folder)
    with pytest.raises(UsageError, match="is ambiguous") as caught:
        await clone.resolve("main")
    assert first in caught.value.happened
    assert second in caught.value.happened
    git(folder, "branch", second[:8], first)
    with pytest.raises(UsageError, match="is ambiguous"):
        await clone.resolve(second[:8])
    git(folder, "branch", first[:8], first)
    assert await clone.resolve(first[:8]) == first


@pytest.mark.exhaustive
@asynchronous
async def test_a_short_id_that_two_commits_share_is_ambiguous(folder: Path) -> None:
    commit(folder, "first")
    tree = git(folder, "rev-parse", "HEAD^{tree}")
    seen: set[str] = set()
    made, number = "", 0
    while made == "" or made[:4] not in seen:
        seen.add(made[:4])
        number += 1
        made = git(folder, "commit-tree", tree, "-m", f"{number}")
    with pytest.raises(UsageError, match="is ambiguous"):
        await (await opened(folder)).resolve(made[:4])


@asynchronous
async def test_a_full_id_is_never_a_branch_name(folder: Path) -> None:
    first = commit(folder, "first")
    git(folder, "update-ref", f"refs/heads/{ABSENT}", first)
    with pytest.raises(UsageError, match="names no commit"):
        await (await opened(folder)).resolve(ABSENT)
