"""``gate history``: what it lists, and what it does not show of files that are not verified."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gate.commands.history import command
from gate.errors import UsageError
from gate.evidence.store import write_evidence
from gate.render.history import Stored, StoredVerdicts, render_history
from tests.support.kept import AT, evidence, signed_anew, written
from tests.support.recoveries import evidence_of
from tests.support.storing import of_run

ONE = evidence()
BROKEN = evidence_of("story-recreate-broken")


def gate_history(*arguments: str) -> Result:
    environment = dict.fromkeys(("GITHUB_TOKEN", "GITHUB_REPOSITORY", "GATE_APP_PRIVATE_KEY"))
    result = CliRunner().invoke(command, list(arguments), standalone_mode=False, env=environment)
    if result.exception is not None:
        raise result.exception
    return result


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, one in enumerate((ONE, BROKEN, ONE)):
        write_evidence(of_run(one, f"{number}-1", AT + timedelta(hours=number)), tmp_path)
    return tmp_path


def test_a_table_newest_first(folder: Path) -> None:
    ran = gate_history("-e", "staging", "--folder", str(folder))
    assert ran.return_value == 0
    _, _, head, *rows = ran.output.splitlines()
    assert head.split() == ["Recorded", "(UTC)", "Verdict", "Commit", "Run", "Reason"]
    assert [line.split()[5] for line in rows] == ["2-1", "1-1", "0-1"]
    assert rows[0].startswith("2026-05-04 12:30:00  ✅ passed  2222222")
    assert rows[1].endswith("ProgressDeadlineExceeded (readiness)")


def test_as_many_as_asked_for_and_that_there_are_more(folder: Path) -> None:
    ran = gate_history("-e", "staging", "--folder", str(folder), "--limit", "2")
    assert "There are older ones" in ran.output
    assert "0-1" not in ran.output
    whole = gate_history("-e", "staging", "--folder", str(folder), "--limit", "3")
    assert "There are older ones" not in whole.output


def test_a_file_that_is_not_verified_is_shown_without_its_verdict(folder: Path) -> None:
    path = next(folder.rglob("2-1.json"))
    raw = written(BROKEN)
    raw["verdict"]["verdict"] = "passed"
    path.write_text(json.dumps(signed_anew(raw)), encoding="utf-8")
    ran = gate_history("-e", "staging", "--folder", str(folder), "--format", "json")
    assert ran.return_value == 1
    told = json.loads(ran.output)
    [refused] = [one for one in told["verdicts"] if one["verdict"] is None]
    assert refused["refused"] != ""
    assert refused["reason"] == ""
    assert [one["verdict"] for one in told["verdicts"] if one is not refused] == ["failed", "passed"]
    text = gate_history("-e", "staging", "--folder", str(folder)).output
    assert "⛔ not verified" in text
    assert "1 of 3 files are not verified" in text


def test_nothing_is_stored(folder: Path) -> None:
    ran = gate_history("-e", "production", "--folder", str(folder))
    assert (ran.return_value, ran.output.splitlines()[0]) == (0, f"No verdict of production on {folder}.")
    assert "the name is another one, or its verdicts are kept elsewhere" in ran.output


def test_nothing_says_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="Nothing says where evidence is stored"):
        gate_history("-e", "staging")
    (tmp_path / "evidence").mkdir()
    assert gate_history("-e", "staging").output.startswith("No verdict of staging on evidence.\n")


def test_hostile_names_stay_on_their_line() -> None:
    hostile = "a\n::error::b\x1b[31m" + "c" * 400
    one = Stored(
        recorded_at=None, commit=hostile, run=hostile, path=hostile, verdict=None, reason="", failed_layer="",
        refused=hostile,
    )  # fmt: skip
    text = render_history(StoredVerdicts(environment=hostile, store=hostile, verdicts=(one,), more=False))
    assert len(text.splitlines()) == 6
    assert "\x1b" not in text
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())
