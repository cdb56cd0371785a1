"""``gate report``: three files or stored verdicts to a report, and its exit codes."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from gate.commands.report import command
from gate.errors import AccessError, UsageError
from gate.evidence.store import write_evidence
from tests.support.kept import signed_anew, written
from tests.support.recoveries import RECREATE, evidence_of

COMMITS = {name: evidence_of(name).verdict.intended for name in RECREATE}


def gate_report(*arguments: str) -> Result:
    environment = dict.fromkeys(("GITHUB_TOKEN", "GITHUB_REPOSITORY", "GATE_APP_PRIVATE_KEY"))
    result = CliRunner().invoke(command, list(arguments), standalone_mode=False, env=environment)
    if result.exception is not None:
        raise result.exception
    return result


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in RECREATE:
        write_evidence(evidence_of(name), tmp_path)
    return tmp_path


def paths(folder: Path) -> dict[str, str]:
    return {name: str(next(folder.rglob(f"{name}-1.json"))) for name in RECREATE}


def three(values: dict[str, str]) -> list[str]:
    good, bad, recovered = (values[name] for name in RECREATE)
    return ["--good", good, "--bad", bad, "--recovered", recovered]


def test_three_files(folder: Path) -> None:
    ran = gate_report(*three(paths(folder)))
    assert ran.return_value == 0
    assert ran.output.startswith("## staging recovered from cff0536 with a244382: Git revert\n")


def test_the_latest_in_a_store_is_the_same_and_says_how_it_was_chosen(folder: Path) -> None:
    ran = gate_report("-e", "staging", "--folder", str(folder), "--format", "json")
    named = gate_report(*three(paths(folder)), "--format", "json")
    chosen, given = json.loads(ran.output), json.loads(named.output)
    assert chosen["notes"][0] == f"Chosen as the latest recovery on {folder}."
    assert {**chosen, "notes": chosen["notes"][1:]} == given


@pytest.mark.parametrize("digits", [7, 12, 40])
def test_commits_are_looked_up(folder: Path, digits: int) -> None:
    short = {name: commit[:digits] for name, commit in COMMITS.items()}
    ran = gate_report(*three(short), "-e", "staging", "--folder", str(folder))
    assert ran.return_value == 0


@pytest.mark.parametrize(("form", "begins"), [("markdown", "## "), ("html", "<!doctype html>"), ("json", "{")])
def test_the_forms_and_a_file_of_its_own(folder: Path, tmp_path: Path, form: str, begins: str) -> None:
    output = tmp_path / "report"
    ran = gate_report(*three(paths(folder)), "--format", form, "--output", str(output))
    assert (ran.return_value, ran.output) == (0, "")
    assert output.read_text(encoding="utf-8").startswith(begins)


@pytest.mark.parametrize("form", ["markdown", "html", "json"])
def test_a_refusal_says_why_in_every_form(folder: Path, form: str) -> None:
    files = paths(folder)
    swapped = [*three(files)[:4], "--recovered", files[RECREATE[0]]]
    ran = gate_report(*swapped, "--format", form)
    assert ran.return_value == 2
    assert "are the same" in ran.output
    assert "recovered from" not in ran.output


def test_a_refusal_into_a_file_is_said_beside_it_and_leaves_no_older_report(folder: Path, tmp_path: Path) -> None:
    output = tmp_path / "report.md"
    output.write_text("## staging recovered\n")
    files = paths(folder)
    ran = gate_report(*three(files)[:4], "--recovered", files[RECREATE[1]], "--output", str(output))
    assert ran.return_value == 2
    assert "are the same" in ran.stderr
    assert output.read_text(encoding="utf-8").startswith("## These files show no recovery")


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: {**raw, "digest": f"sha256:{'1' * 64}"},
        lambda raw: signed_anew({**raw, "verdict": {**raw["verdict"], "message": "all is well"}}),
    ],
    ids=["damaged", "forged"],
)
def test_a_file_that_is_not_verified_is_refused(folder: Path, change: Any) -> None:
    files = paths(folder)
    path = Path(files[RECREATE[2]])
    path.write_text(json.dumps(change(written(evidence_of(RECREATE[2])))), encoding="utf-8")
    ran = gate_report(*three(files))
    assert ran.return_value == 2
    assert "The recovered file" in ran.output
    assert "is not verified" in ran.output
    stored = gate_report("-e", "staging", "--folder", str(folder))
    assert stored.return_value == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "Nothing says what to report"),
        (["--good", "a" * 7], "go together"),
        (["--good", "a" * 7, "--bad", "b" * 7, "--recovered", "c" * 7], "Nothing says of which environment"),
        (["--good", "main", "--bad", "b" * 7, "--recovered", "c" * 7, "-e", "staging"], "no file, and no commit id"),
    ],
)
def test_what_cannot_be_used(arguments: list[str], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        gate_report(*arguments)


def test_what_is_no_evidence_file_or_names_nothing(folder: Path) -> None:
    other = folder / "other.json"
    other.write_text("{}")
    with pytest.raises(UsageError, match="is no evidence file"):
        gate_report(*three(paths(folder))[:4], "--recovered", str(other))
    other.write_bytes(b"\xff\xfe")
    with pytest.raises(AccessError, match="not UTF-8"):
        gate_report(*three(paths(folder))[:4], "--recovered", str(other))
    with pytest.raises(UsageError, match="names no commit with a stored verdict"):
        gate_report(*three(paths(folder))[:4], "--recovered", "f" * 40, "-e", "staging", "--folder", str(folder))
    with pytest.raises(UsageError, match="There is no recovery of production"):
        gate_report("-e", "production", "--folder", str(folder))
