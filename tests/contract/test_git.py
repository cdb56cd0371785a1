"""Git facts from a local clone: true ones, or a failure where the clone cannot tell."""

from pathlib import Path

import pytest

from gate.adapters.failures import Cause, ReadFailed
from gate.adapters.git.clone import COMMITS_AT_MOST, FILES_AT_MOST
from gate.errors import UsageError
from tests.support.clones import ABSENT, commit, git, new_clone, opened
from tests.support.loopback import asynchronous


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return new_clone(tmp_path)


@pytest.fixture
def shallow(folder: Path, tmp_path: Path) -> Path:
    for number in range(3):
        commit(folder, f"{number}", a=f"{number}")
    made = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth=2", f"file://{folder}", str(made))
    return made


@asynchronous
async def test_a_commit_as_git_knows_it(folder: Path) -> None:
    first = commit(folder, "First", a_yaml="1", apps__web_yaml="1")
    second = commit(folder, "Täglich: move\n\nBecause.\n", apps__web_yaml="2")
    clone = await opened(folder)
    found = await clone.read_commit(second)
    assert found is not None
    assert found.tree == git(folder, "rev-parse", "HEAD^{tree}")
    assert found.parents == (first,)
    assert found.message == "Täglich: move\n\nBecause.\n"
    assert found.author == "Ada Þór"
    assert found.committed_at is not None
    assert found.committed_at.isoformat() == "2023-11-15T00:14:20+02:00"
    assert found.files == ("apps/web.yaml",)
    root = await clone.read_commit(first)
    assert root is not None
    assert (root.parents, root.files) == ((), ("a.yaml", "apps/web.yaml"))


@asynchronous
async def test_a_merge_has_its_parents_in_order(folder: Path) -> None:
    base = commit(folder, "base")
    git(folder, "switch", "--quiet", "--create", "side")
    side = commit(folder, "side", b="1")
    git(folder, "switch", "--quiet", "main")
    main = commit(folder, "main", a="1")
    git(folder, "merge", "--quiet", "--no-edit", "side")
    found = await (await opened(folder)).read_commit(git(folder, "rev-parse", "HEAD"))
    assert found is not None
    assert found.parents == (main, side)
    assert found.files == ("b",)
    assert base not in found.parents


@asynchronous
async def test_a_commit_that_is_not_there_is_none_and_a_short_id_is_refused(folder: Path) -> None:
    first = commit(folder, "first")
    clone = await opened(folder)
    assert await clone.read_commit(ABSENT) is None
    tree = git(folder, "rev-parse", "HEAD^{tree}")
    assert await clone.read_commit(tree) is None
    for name in (first[:12], "main", "HEAD", "", "--all", first + "^", first.upper()):
        with pytest.raises(ReadFailed, match="not a full commit id"):
            await clone.read_commit(name)


@asynchronous
async def test_how_commits_are_related(folder: Path) -> None:
    base = commit(folder, "base")
    newer = commit(folder, "newer")
    git(folder, "switch", "--quiet", "--detach", base)
    side = commit(folder, "side")
    clone = await opened(folder)
    assert await clone.read_relation(base, base) == "identical"
    assert await clone.read_relation(base, newer) == "ahead"
    assert await clone.read_relation(newer, base) == "behind"
    assert await clone.read_relation(newer, side) == "diverged"
    for pair in ((base, ABSENT), (ABSENT, base), (ABSENT, ABSENT)):
        with pytest.raises(ReadFailed, match="is not in the clone"):
            await clone.read_relation(*pair)


@asynchronous
async def test_what_changed_since(folder: Path) -> None:
    base = commit(folder, "base", a="1")
    second = commit(folder, "second", a="2")
    third = commit(folder, "third", b="1")
    changed = await (await opened(folder)).read_changes(base, third)
    assert (changed.relation, changed.truncated) == ("ahead", False)
    assert [(key, value.message, value.files) for key, value in changed.commits.items()] == [
        (third, "third\n", ("b",)),
        (second, "second\n", ("a",)),
    ]
    back = await (await opened(folder)).read_changes(third, base)
    assert (back.relation, back.commits) == ("behind", {})


@pytest.mark.exhaustive
@asynchronous
async def test_a_long_history_and_many_files_are_cut_and_told(folder: Path) -> None:
    base = commit(folder, "base")
    last = base
    for number in range(COMMITS_AT_MOST + 1):
        last = commit(folder, f"{number}")
    many = {f"f{number}": "x" for number in range(FILES_AT_MOST + 5)}
    clone = await opened(folder)
    changed = await clone.read_changes(base, last)
    assert changed.truncated
    assert len(changed.commits) == COMMITS_AT_MOST
    whole = await clone.read_changes(git(folder, "rev-parse", "HEAD~50"), last)
    assert (whole.truncated, len(whole.commits)) == (False, COMMITS_AT_MOST)
    found = await clone.read_commit(commit(folder, "many", **many))
    assert found is not None
    assert found.files is not None
    assert len(found.files) == FILES_AT_MOST


@asynchronous
async def test_a_shallow_clone_says_so_and_claims_nothing_it_cannot_see(folder: Path, shallow: Path) -> None:
    root, middle, last = git(folder, "rev-list", "--reverse", "main").split()
    clone = await opened(shallow)
    assert clone.shallow
    assert not (await opened(folder)).shallow
    assert await clone.read_relation(middle, last) == "ahead"
    found = await clone.read_commit(middle)
    assert found is not None
    assert found.parents == (root,)
    assert found.files is None
    with pytest.raises(ReadFailed, match="shallow"):
        await clone.read_commit(root)
    with pytest.raises(ReadFailed):
        await clone.read_relation(root, last)
    with pytest.raises(UsageError) as caught:
        await clone.resolve(root)
    assert "the clone is shallow" in caught.value.means


@asynchronous
async def test_a_shallow_clone_does_not_call_commits_diverged(folder: Path, shallow: Path) -> None:
    git(folder, "switch", "--quiet", "--create", "side", "HEAD~2")
    side = commit(folder, "side", b="1")
    git(shallow, "fetch", "--quiet", "--depth=1", "origin", "side")
    clone = await opened(shallow)
    with pytest.raises(ReadFailed, match="cannot prove how"):
        await clone.read_relation(side, git(folder, "rev-parse", "main"))


@asynchronous
async def test_files_at_a_commit(folder: Path) -> None:
    first = commit(folder, "first", a="one", apps__web_yaml="x: 1\n")
    second = commit(folder, "second", a="two")
    clone = await opened(folder)
    assert await clone.read_file("a", first) == b"one"
    assert await clone.read_file("a", second) == b"two"
    assert await clone.read_file("apps/web.yaml", second) == b"x: 1\n"
    assert await clone.read_file("absent", second) is None
    assert await clone.read_file("a*", second) is None
    assert await clone.read_file(":(glob)**", second) is None
    assert await clone.read_file("-z", second) is None
    with pytest.raises(ReadFailed, match="not a file"):
        await clone.read_file("apps", second)


@asynchronous
async def test_a_clone_is_read_from_its_root_even_when_a_folder_in_it_is_named(folder: Path) -> None:
    first = commit(folder, "first", a="root", apps__a="below")
    assert await (await opened(folder / "apps")).read_file("a", first) == b"root"


@pytest.mark.parametrize("path", ["", "/a", "../a", "a/../b", "./a", "a/", "a//b", "a\0b"])
@asynchronous
async def test_paths_that_leave_the_repository(folder: Path, path: str) -> None:
    first = commit(folder, "first", a="1")
    with pytest.raises(UsageError, match="not a path inside"):
        await (await opened(folder)).read_file(path, first)


@asynchronous
async def test_links_and_large_files_are_refused(folder: Path) -> None:
    (folder / "link").symlink_to("/etc/passwd")
    first = commit(folder, "first", large="x" * (1024 * 1024 + 1), just="x" * (1024 * 1024))
    clone = await opened(folder)
    with pytest.raises(ReadFailed, match="symbolic link"):
        await clone.read_file("link", first)
    with pytest.raises(ReadFailed, match="longer than 1 MiB") as caught:
        await clone.read_file("large", first)
    assert caught.value.cause is Cause.TOO_LARGE
    assert len(await clone.read_file("just", first) or b"") == 1024 * 1024
