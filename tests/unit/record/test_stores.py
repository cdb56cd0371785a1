"""A folder as a store, and what commits of the evidence branch say of what they hold."""

import asyncio
import json
import os
from datetime import timedelta
from pathlib import Path

import pytest

from gate.errors import AccessError, UsageError
from gate.evidence.entries import Entry, read_verified
from gate.evidence.folder import FolderStore
from gate.evidence.messages import parse_message, render_message
from gate.evidence.record import EvidenceFile, EvidenceRefused
from gate.evidence.store import texts_of, write_evidence
from gate.outcomes import VerdictWord
from tests.support.kept import AT, evidence, signed_anew, written
from tests.support.recoveries import evidence_of
from tests.support.storing import of_run

ONE = evidence()
BROKEN = evidence_of("story-recreate-broken")


def listed(
    folder: Path, environment: str = "staging", commit: str | None = None, most: int = 1000
) -> tuple[Entry, ...]:
    return asyncio.run(FolderStore(folder).list(environment, commit=commit, most=most))


def read(folder: Path, entry: Entry) -> EvidenceFile:
    return asyncio.run(read_verified(FolderStore(folder), entry))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, one in enumerate((ONE, BROKEN, ONE)):
        write_evidence(of_run(one, f"{number}-1", AT + timedelta(hours=number)), tmp_path)
    return tmp_path


def test_verdicts_are_listed_newest_first(folder: Path) -> None:
    found = listed(folder)
    words = [VerdictWord.PASSED, VerdictWord.FAILED, VerdictWord.PASSED]
    assert [(one.run, one.word) for one in found] == list(zip(("2-1", "1-1", "0-1"), words, strict=True))
    assert listed(folder, most=2) == found[:2]
    assert listed(folder, commit=ONE.verdict.intended) == (found[0], found[2])
    assert listed(folder, "production") == listed(folder, commit="9" * 40) == ()
    assert read(folder, found[1]).verdict == BROKEN.verdict


def test_a_file_that_cannot_be_written_leaves_no_part_of_it(tmp_path: Path) -> None:
    """The page's place is taken by a folder, so that what was written cannot be put there."""
    file = write_evidence(ONE, tmp_path)
    page = file.with_suffix(".html")
    page.unlink()
    page.mkdir()
    with pytest.raises(OSError, match="directory"):
        write_evidence(ONE, tmp_path)
    assert {one.name for one in file.parent.iterdir()} == {file.name, page.name, f"{file.stem}.predicate.json"}


def test_nothing_that_was_written_is_written_over(tmp_path: Path) -> None:
    """Two verdicts of one run, a bump with its check and a check after it: both stay; the same one has one place."""
    first, second = of_run(ONE, "42-1", AT), of_run(ONE, "42-1", AT + timedelta(minutes=1))
    paths = [write_evidence(one, tmp_path) for one in (first, second, first, second)]
    assert [one.name for one in paths] == ["42-1.json", "42-1.2.json"] * 2
    for path, one in zip(paths[:2], (first, second), strict=True):
        for suffix, text in texts_of(one).items():
            assert (path.parent / f"{path.stem}{suffix}").read_text(encoding="utf-8") == text
    assert sorted(one.run for one in listed(tmp_path)) == ["42-1", "42-1"]


def test_a_pipe_a_folder_and_a_huge_file_by_such_a_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe would never end, a folder is no file; what is too large may be the newest, and is refused when read."""
    before, place = listed(folder), folder / "staging" / ONE.verdict.intended
    os.mkfifo(place / "8-1.json")
    (place / "9-1.json").mkdir()
    (place / "7-1.json").symlink_to("/dev/zero")
    assert listed(folder) == before
    monkeypatch.setattr("gate.evidence.folder.LARGEST", 1000)
    assert {one.word for one in listed(folder)} == {None}
    with pytest.raises(AccessError, match="it is larger than 0 MiB"):
        read(folder, before[0])


def test_a_folder_that_cannot_be_read_hides_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may read every folder, so the refusal is the system's by name only."""
    hidden, scan = str(folder / "staging" / ONE.verdict.intended), os.scandir

    def scandir(path: str) -> object:
        if str(path) == hidden:
            raise PermissionError(13, "Permission denied", hidden)
        return scan(path)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(AccessError, match="cannot be read: permission denied"):
        listed(folder)


def test_an_artifact_that_was_flattened_is_read_as_well(tmp_path: Path) -> None:
    for suffix, text in texts_of(ONE).items():
        (tmp_path / f"42-1{suffix}").write_text(text, encoding="utf-8")
    (tmp_path / "result.json").write_text('{"verdict": "passed"}')
    [entry] = listed(tmp_path)
    assert (entry.path, entry.commit) == ("42-1.json", ONE.verdict.intended)
    assert read(tmp_path, entry) == ONE


def test_a_damaged_file_comes_last_and_is_refused(folder: Path) -> None:
    path = folder / listed(folder)[0].path
    path.write_text(path.read_text(encoding="utf-8")[:-200], encoding="utf-8")
    *rest, last = listed(folder)
    assert [one.run for one in rest] == ["1-1", "0-1"]
    assert (last.run, last.word, last.recorded_at, last.commit) == ("2-1", None, None, ONE.verdict.intended)
    with pytest.raises(UsageError):
        read(folder, last)


def test_a_forged_file_is_listed_by_its_word_and_refused(folder: Path) -> None:
    entry = listed(folder)[0]
    raw = written(ONE)
    raw["verdict"]["layers"][3]["reason"] = "WrongRelease"
    (folder / entry.path).write_text(json.dumps(signed_anew(raw)), encoding="utf-8")
    with pytest.raises(EvidenceRefused, match="does not follow"):
        read(folder, entry)


def test_a_folder_that_is_not_there_and_a_file_that_has_gone(folder: Path) -> None:
    with pytest.raises(UsageError, match="There is no folder"):
        listed(folder / "none")
    entry = listed(folder)[0]
    (folder / entry.path).unlink()
    with pytest.raises(AccessError, match="is gone"):
        read(folder, entry)


# --- messages of the branch


def test_a_message_says_what_the_commit_holds() -> None:
    path = f"staging/{ONE.verdict.intended}/42-1.json"
    message = render_message(ONE, path)
    assert message.splitlines()[0] == "staging: passed (AllLayersAgree) at 222222222222"
    entry = parse_message(message)
    assert entry == Entry(
        environment="staging",
        commit=ONE.verdict.intended,
        run="42-1",
        recorded_at=AT,
        word=VerdictWord.PASSED,
        reason="AllLayersAgree",
        path=path,
        digest=ONE.digest,
    )
    assert parse_message(message + "\nSigned-off-by: Somebody <s@example.com>\n") == entry


def test_a_verdict_on_no_commit_has_a_folder_of_its_own() -> None:
    entry = parse_message(render_message(ONE, "staging/unknown-commit/42-1.json"))
    assert entry is not None
    assert entry.commit == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Evidence: staging/", "Evidence: ../staging/"),
        ("Evidence: staging/", "Evidence: staging/x/"),
        ("42-1.json", "42-1.html"),
        ("Verdict: passed", "Verdict: wonderful"),
        ("Recorded-At: 2026", "Recorded-At: soon, 2026"),
        ("Digest: sha256:", "Digest: sha1:"),
        ("Digest:", "Digests:"),
        ("Verdict: passed\n", "Verdict: passed\nVerdict: failed\n"),
        ("222222", "22222g"),
    ],
)
def test_a_message_that_is_not_the_gates_is_passed_over(old: str, new: str) -> None:
    message = render_message(ONE, f"staging/{'2' * 40}/42-1.json")
    assert old in message
    assert parse_message(message.replace(old, new)) is None
