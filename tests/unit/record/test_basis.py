"""The evidence that an approval rests on, found in a file or a folder: what holds, and what differs."""

import asyncio
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from gate.app.basis import find_basis
from gate.config.digest import environment_digest
from gate.evidence.approval import NotApproved
from gate.evidence.folder import stored_at
from gate.evidence.record import EvidenceFile, parse_evidence
from gate.evidence.soak import Wanted
from gate.reasons import Reason
from tests.support import situations
from tests.support.bundles import NEWER, OLD, Json
from tests.support.kept import evidence, signed_anew, written
from tests.support.tampering import change, copy_of, later, move

ONE = evidence()
VERDICT = ONE.verdict
HOUR = timedelta(hours=1)
RUN = ONE.run.id


def keep(folder: Path, one: EvidenceFile = ONE, run: str = RUN) -> Path:
    """Write an evidence file as its run wrote it, right after its last look."""
    raw = written(one)
    when = raw["verdict"]["at"]
    file = folder / f"{run}.json"
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(signed_anew({**raw, "recorded-at": when, "run": {**raw["run"], "id": run}})))
    return file


def found(path: Path, *, soak: timedelta | None = None, commit: str = VERDICT.intended) -> EvidenceFile:
    """What is found for an approval an hour after the verdict."""
    asked = Wanted(VERDICT.environment, commit, ONE.environment, 2 * HOUR, soak, VERDICT.at + HOUR)
    return asyncio.run(find_basis(stored_at(path), asked, None))


def refused(path: Path, reason: Reason, *, soak: timedelta | None = None, commit: str = VERDICT.intended) -> str:
    """The evidence is refused for this reason; what is said."""
    with pytest.raises(NotApproved) as caught:
        found(path, soak=soak, commit=commit)
    assert caught.value.reason is reason, caught.value.message
    return caught.value.message


def test_a_file_and_its_folder_hold_the_same(tmp_path: Path) -> None:
    file = keep(tmp_path / "staging" / VERDICT.intended)
    assert found(file) == found(file.parent) == found(tmp_path)
    assert found(file).run.id == RUN


def cut(raw: Json) -> None:
    raw["polls"].pop()


def another_message(raw: Json) -> None:
    raw["verdict"]["message"] = "all is well"


def another_layer(raw: Json) -> None:
    raw["verdict"]["layers"][2]["reason"] = "HealthUnknown"


def another_look(raw: Json) -> None:
    raw["polls"][-1]["responses"][0]["status"] = 500


def without_a_key(raw: Json) -> None:
    del raw["cut"]


def another_digest_of_settings(raw: Json) -> None:
    raw["asked"]["settings-digest"] = f"sha256:{'0' * 64}"


@pytest.mark.parametrize(
    "alter", [cut, another_message, another_layer, another_look, without_a_key, another_digest_of_settings]
)
def test_what_was_tampered_with_is_not_verified_although_its_digest_fits(
    alter: Callable[[Json], None], tmp_path: Path
) -> None:
    file = keep(tmp_path)
    change(file, alter)
    refused(file, Reason.EVIDENCE_NOT_VERIFIED)


def test_a_failed_verdict_does_not_become_a_pass(tmp_path: Path) -> None:
    file = keep(tmp_path, evidence(situations.broken()))

    def whitewash(raw: Json) -> None:
        raw["verdict"] = written(ONE)["verdict"]

    refused(file, Reason.EVIDENCE_NOT_PASSED)
    change(file, whitewash)
    refused(file, Reason.EVIDENCE_NOT_VERIFIED)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": "promotion-gate/evidence/v2", "verdict": {}}', "\x00"])
def test_a_file_that_is_no_evidence_is_not_verified(text: str, tmp_path: Path) -> None:
    file = keep(tmp_path)
    file.write_text(text)
    refused(file, Reason.EVIDENCE_NOT_VERIFIED)


def test_a_digest_that_does_not_fit_is_not_verified(tmp_path: Path) -> None:
    file = keep(tmp_path)
    file.write_text(file.read_text().replace('"42-1"', '"43-1"'))
    refused(file, Reason.EVIDENCE_NOT_VERIFIED)
    refused(tmp_path, Reason.EVIDENCE_NOT_VERIFIED)


def test_another_environment(tmp_path: Path) -> None:
    file = keep(tmp_path)
    change(file, lambda raw: raw["verdict"].update(environment="production"))
    assert "is about production; expected staging" in refused(file, Reason.EVIDENCE_OF_ANOTHER_ENVIRONMENT)
    assert "holds no evidence of staging" in refused(tmp_path, Reason.STORED_EVIDENCE_MISSING)


@pytest.mark.parametrize("other", [OLD, NEWER])
def test_another_commit(other: str, tmp_path: Path) -> None:
    file = keep(tmp_path)
    for path in (file, tmp_path):
        said = refused(path, Reason.EVIDENCE_OF_ANOTHER_COMMIT, commit=other)
        assert f"at {VERDICT.intended}; expected {other}" in said


def test_nothing_there(tmp_path: Path) -> None:
    assert "holds no evidence" in refused(tmp_path, Reason.STORED_EVIDENCE_MISSING)
    assert "no folder" in refused(tmp_path / "gone", Reason.STORED_EVIDENCE_MISSING)


def test_an_approval_and_a_recheck_are_no_check(tmp_path: Path) -> None:
    file = keep(tmp_path)
    change(file, lambda raw: raw["run"].update(approves=ONE.digest))
    assert "no check" in refused(file, Reason.STORED_EVIDENCE_MISSING)
    change(file, lambda raw: raw["run"].update({"approves": None, "reported-commit": None}))
    assert "no check" in refused(file, Reason.STORED_EVIDENCE_MISSING)


def test_the_age_and_the_future(tmp_path: Path) -> None:
    file = keep(tmp_path)
    move(file, -HOUR)
    assert found(file).run.id == RUN
    move(file, timedelta(seconds=-1))
    assert "expected at most 2h" in refused(file, Reason.EVIDENCE_TOO_OLD)
    move(file, 3 * HOUR)
    assert "it is 2026-05-04" in refused(file, Reason.EVIDENCE_FROM_THE_FUTURE)


def test_other_settings_that_fit_their_digest(tmp_path: Path) -> None:
    """The verdict follows, and was given by other rules than those in force."""
    file = keep(tmp_path)

    def other(raw: Json) -> None:
        raw["asked"]["settings"]["promotes-to"] = "elsewhere"
        raw["asked"]["settings-digest"] = environment_digest(parse_evidence(signed_anew(raw)).environment)

    change(file, other)
    refused(file, Reason.EVIDENCE_OF_ANOTHER_CONFIGURATION)


def test_two_files_of_one_run(tmp_path: Path) -> None:
    file = keep(tmp_path)
    other = copy_of(file, tmp_path / "again")
    assert found(tmp_path).run.id == RUN, "twice the same is no difference"
    move(other, timedelta(seconds=-1))
    refused(tmp_path, Reason.EVIDENCE_DISAGREES)


def test_the_newest_counts_and_what_cannot_be_read_may_be_it(tmp_path: Path) -> None:
    folder = tmp_path / "staging" / VERDICT.intended
    move(keep(folder, evidence(situations.broken()), "41-1"), -HOUR)
    keep(folder)
    assert found(tmp_path).run.id == RUN
    (folder / "43-1.json").write_text("{")
    refused(tmp_path, Reason.EVIDENCE_NOT_VERIFIED)
    (folder / "43-1.json").unlink()
    move(keep(folder, evidence(situations.broken()), "44-1"), timedelta(minutes=5))
    refused(tmp_path, Reason.EVIDENCE_NOT_PASSED)


def test_the_soak_time_is_that_of_all_verdicts(tmp_path: Path) -> None:
    """Passed an hour ago, cancelled half an hour ago, passed a quarter of an hour ago."""
    keep(tmp_path)
    broke, newest = keep(tmp_path, run="43-1"), keep(tmp_path, run="44-1")
    move(broke, HOUR / 2)
    move(newest, HOUR * 3 / 4)
    assert found(tmp_path, soak=HOUR).run.id == "44-1"
    cancelled = {"verdict": "cancelled", "reason": "Cancelled", "message": "stopped"}
    change(broke, lambda raw: raw["verdict"].update(cancelled))
    assert "it was cancelled (Cancelled)" in refused(tmp_path, Reason.SOAK_NOT_OVER, soak=HOUR / 2)
    assert found(tmp_path, soak=HOUR / 4).run.id == "44-1"
    assert found(tmp_path).run.id == "44-1"


def test_every_difference_is_said(tmp_path: Path) -> None:
    file = keep(tmp_path, evidence(situations.broken()))
    move(file, -2 * HOUR)
    said = refused(file, Reason.EVIDENCE_NOT_PASSED, soak=HOUR)
    assert [part in said for part in ("is failed", "expected at most 2h", "has to have passed for 1h")] == [True] * 3


@pytest.mark.parametrize("took", [1, -20], ids=["faster", "by a clock that was set back"])
def test_the_newest_is_the_one_that_looked_last_however_they_were_recorded(took: int, tmp_path: Path) -> None:
    """A run that passed took its time to write; another one that failed after it was faster."""
    slow, fast = keep(tmp_path), keep(tmp_path, evidence(situations.broken()), "43-1")

    def recorded(seconds: int) -> Callable[[Json], None]:
        return lambda raw: raw.update({"recorded-at": later(raw["verdict"]["at"], timedelta(seconds=seconds))})

    change(slow, recorded(40))
    move(fast, timedelta(seconds=10))
    change(fast, recorded(took))
    assert "run 43-1, is failed" in refused(tmp_path, Reason.EVIDENCE_NOT_PASSED)


def test_a_soak_time_is_broken_by_what_is_known_of_other_commits(tmp_path: Path) -> None:
    """The commit passed an hour ago and half an hour ago; in between another one was pinned."""
    folder = tmp_path / "staging" / VERDICT.intended
    keep(folder)
    move(keep(folder, run="44-1"), HOUR / 2)
    assert found(tmp_path, soak=HOUR).run.id == "44-1"
    other = keep(tmp_path / "staging" / OLD, evidence({**situations.not_pinned(), "intended": OLD}), "43-1")
    move(other, HOUR / 4)
    assert "it was pinned to another commit" in refused(tmp_path, Reason.SOAK_NOT_OVER, soak=HOUR)
    assert found(tmp_path, soak=HOUR / 2).run.id == "44-1"
    assert found(tmp_path).run.id == "44-1"
    other.write_text("{")
    refused(tmp_path, Reason.EVIDENCE_NOT_VERIFIED, soak=HOUR)
    assert found(tmp_path).run.id == "44-1", "without a soak time other commits do not matter"
