"""A clone is not trusted: nothing in it is run, believed or fetched, and git has a time limit."""

import os
from pathlib import Path

import pytest

from gate.adapters.failures import Cause, ReadFailed
from gate.adapters.git.clone import Clone
from gate.adapters.git.objects import parse_commit
from gate.errors import AccessError
from tests.support.clones import commit, git, new_clone, opened
from tests.support.loopback import asynchronous


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return new_clone(tmp_path)


def raw(**headers: bytes) -> bytes:
    lines = {"tree": b"a" * 40, "author": b"A <a@b> 1 +0000", "committer": b"C <c@d> 2 +0000"} | headers
    return b"\n".join(b"%s %s" % (name.encode(), value) for name, value in lines.items()) + b"\n\nmessage\n"


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
async def test_grafted_parents_are_not_believed(folder: Path) -> None:
    base = commit(folder, "base")
    older = commit(folder, "older")
    git(folder, "switch", "--quiet", "--detach", base)
    other = commit(folder, "other")
    (folder / ".git" / "info").mkdir(exist_ok=True)
    (folder / ".git" / "info" / "grafts").write_text(f"{other} {older}\n")
    clone = await opened(folder)
    assert await clone.read_relation(older, other) == "diverged"
    assert list((await clone.read_changes(older, other)).commits) == [other]


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
