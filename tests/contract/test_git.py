"""Git facts from a local clone: true ones, or a failure; whatever the clone's own configuration says."""

import os
import subprocess
from pathlib import Path

import pytest

from gate.adapters.failures import Cause, ReadFailed
from gate.adapters.git.clone import COMMITS_AT_MOST, FILES_AT_MOST, Clone
from gate.adapters.git.objects import parse_commit
from gate.errors import AccessError, UsageError
from tests.support.loopback import asynchronous

ABSENT = "0" * 39 + "1"


def git(folder: Path, *arguments: str, text: str | None = None) -> str:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Ada Þór",
        "GIT_AUTHOR_EMAIL": "ada@example.com",
        "GIT_COMMITTER_NAME": "C",
        "GIT_COMMITTER_EMAIL": "c@example.com",
        "GIT_AUTHOR_DATE": "1700000000 +0200",
        "GIT_COMMITTER_DATE": "1700000060 +0200",
    }
    command = ["git", "-C", str(folder), "-c", "protocol.file.allow=always", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, input=text)
    return done.stdout.strip()


def commit(folder: Path, message: str, **files: str) -> str:
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_yaml", ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", message)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "clone"
    made.mkdir()
    git(made, "init", "--quiet", "--initial-branch=main")
    return made


async def opened(folder: Path) -> Clone:
    return await Clone.open(folder)


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


@pytest.fixture
def shallow(folder: Path, tmp_path: Path) -> Path:
    for number in range(3):
        commit(folder, f"{number}", a=f"{number}")
    made = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth=2", f"file://{folder}", str(made))
    return made


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


@asynchronous
async def test_what_is_no_clone_is_an_access_error(tmp_path: Path) -> None:
    for folder in (tmp_path / "absent", tmp_path):
        with pytest.raises(AccessError, match="not a usable Git clone") as caught:
            await Clone.open(folder)
        assert "--repo DIR" in caught.value.change


@asynchronous
async def test_a_clone_of_another_owner_is_read(folder: Path) -> None:
    first = commit(folder, "first")
    if os.getuid() == 0:
        os.chown(folder, 65534, 65534)
    assert await (await opened(folder)).read_commit(first) is not None


@asynchronous
async def test_nothing_of_the_clone_or_the_environment_is_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = commit(folder, "first", a="1", _gitattributes="* diff=evil filter=evil\n")
    second = commit(folder, "second", a="2")
    mark = folder.parent / "mark"
    script = folder.parent / "script"
    script.write_text(f"#!/bin/sh\ntouch {mark}\n")
    script.chmod(0o755)
    for key in (
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "core.askPass",
        "diff.external",
        "diff.evil.textconv",
        "diff.evil.command",
        "filter.evil.smudge",
        "gpg.program",
        "log.showSignature",
        "credential.helper",
        "alias.log",
    ):
        git(folder, "config", key, "true" if key == "log.showSignature" else str(script))
    for name in ("GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_SSH_COMMAND", "GIT_ASKPASS"):
        monkeypatch.setenv(name, str(script))
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    clone = await opened(folder)
    changed = await clone.read_changes(first, second)
    assert list(changed.commits) == [second]
    assert await clone.read_file("a", second) == b"2"
    assert await clone.resolve("main") == second
    assert not mark.exists()


@asynchronous
async def test_replaced_commits_are_not_believed(folder: Path) -> None:
    first = commit(folder, "first")
    second = commit(folder, "second")
    git(folder, "replace", second, first)
    found = await (await opened(folder)).read_commit(second)
    assert found is not None
    assert found.message == "second\n"


@asynchronous
async def test_missing_objects_are_not_fetched(folder: Path, tmp_path: Path) -> None:
    git(folder, "config", "uploadpack.allowFilter", "true")
    first = commit(folder, "first", a="1")
    second = commit(folder, "second", a="2")
    partial = tmp_path / "partial"
    git(tmp_path, "clone", "--quiet", "--bare", "--filter=blob:none", f"file://{folder}", str(partial))
    git(partial, "config", "protocol.file.allow", "always")
    clone = await opened(partial)
    assert await clone.read_relation(first, second) == "ahead"
    with pytest.raises(ReadFailed):
        await clone.read_file("a", second)


@asynchronous
async def test_git_has_a_time_limit_and_is_ended(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(folder, "first")
    slow = tmp_path / "bin"
    slow.mkdir()
    (slow / "git").write_text("#!/bin/sh\nexec sleep 60\n")
    (slow / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(ReadFailed, match=r"git took longer than 0\.2 s") as caught:
        await Clone.open(folder, seconds=0.2)
    assert caught.value.cause is Cause.TIMEOUT


@asynchronous
async def test_a_missing_git_is_an_access_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(AccessError, match="git cannot be started"):
        await Clone.open(folder)


def raw(**headers: bytes) -> bytes:
    lines = {"tree": b"a" * 40, "author": b"A <a@b> 1 +0000", "committer": b"C <c@d> 2 +0000"} | headers
    return b"\n".join(b"%s %s" % (name.encode(), value) for name, value in lines.items()) + b"\n\nmessage\n"


def test_signatures_and_their_text_are_no_headers() -> None:
    signed = raw(gpgsig=b"-----BEGIN\n tree " + b"f" * 40 + b"\n parent " + b"e" * 40 + b"\n -----END")
    parsed = parse_commit(signed)
    assert (parsed.tree, parsed.parents, parsed.message) == ("a" * 40, (), "message\n")


def test_other_charsets_and_odd_signatures() -> None:
    latin = raw(author=b"Andr\xe9 <a@b> 1 +0000", encoding=b"ISO-8859-1")
    assert parse_commit(latin).author == "André"
    assert parse_commit(raw(author=b"Andr\xe9 <a@b> 1 +0000", encoding=b"zip")).author == "Andr\ufffd"
    odd = parse_commit(raw(author=b"nobody", committer=b"C <c@d> 99999999999 +9999"))
    assert (odd.author, odd.committed_at) == ("", None)
    assert parse_commit(raw(committer=b"C <c@d> 2 -0130")).committed_at is not None


@pytest.mark.parametrize("data", [b"", b"\n\n", b"tree " + b"a" * 40, b"parent x\n\nmessage"])
def test_a_damaged_commit_is_a_failure(data: bytes) -> None:
    with pytest.raises(ReadFailed):
        parse_commit(data)
