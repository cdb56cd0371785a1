"""The laboratory's recovery report: made by the product's own code, written in every form, held against its table."""

import asyncio
import dataclasses
import io
import json
from collections.abc import Mapping
from pathlib import Path

from gate.errors import ExitCode
from gate.evidence.store import write_evidence
from gate.lab.display import Display
from gate.lab.reporting import Reported, report_recovery
from gate.lab.scenarios.act import ReportAct
from gate.lab.scenarios.story import STORY
from gate.lab.told import Told
from gate.render.report.subject import Kind, Role
from tests.support.recoveries import altered, story

ROLES: tuple[Role, ...] = ("good", "bad", "recovered")
[ACT] = (act for act in STORY.acts if isinstance(act, ReportAct))


def _written(folder: Path) -> dict[Role, Path | None]:
    return {role: write_evidence(file, folder) for role, file in story().items()}


def _told(files: Mapping[Role, Path | None]) -> list[Told]:
    """What the acts of the story said that the report is made of, with these evidence files."""
    acts = {act.name: act for act in STORY.asked}
    return [
        Told(STORY, acts[ACT.roles[role]], one.verdict.intended, one.verdict, ExitCode.PASSED, (), "", files[role], 1.0)
        for role, one in story().items()
    ]


def _report(files: Mapping[Role, Path | None], act: ReportAct = ACT) -> tuple[Reported, list[str]]:
    commands: list[str] = []
    return asyncio.run(report_recovery(STORY, act, _told(files), commands.append)), commands


def _shown(reported: Reported) -> str:
    stream = io.StringIO()
    Display(stream, Path("evidence")).reported(reported)
    return stream.getvalue()


def test_it_is_written_in_every_form_beside_the_folders_of_the_evidence(tmp_path: Path) -> None:
    reported, [command] = _report(_written(tmp_path))
    assert reported.differences == ()
    assert reported.row[1:] == ("recovered", "git-revert")
    name = f"recovery-{story()['recovered'].verdict.intended[:7]}"
    folder = tmp_path / story()["good"].verdict.environment
    assert [file.relative_to(folder).as_posix() for file in reported.files] == [
        f"{name}.html",
        f"{name}.md",
        f"{name}.json",
    ]
    page, markdown, raw = (file.read_text(encoding="utf-8") for file in reported.files)
    assert page.startswith("<!doctype html>")
    assert "**Why the bad commit was not passed**" in markdown
    told = json.loads(raw)
    assert [told[role]["commit"] for role in ROLES] == [story()[role].verdict.intended for role in ROLES]
    assert command.startswith("gate report \\\n")
    assert command.endswith(f"--format html --output {reported.files[0]}")
    shown = _shown(reported)
    assert "recovered from" in shown
    assert "statuscode: 404" in shown
    assert "Why the bad" not in shown, "only the gist"
    assert f"report: {reported.files[0]}" in shown
    assert "as expected" in shown


def test_another_kind_than_the_expected_one_is_a_difference(tmp_path: Path) -> None:
    expected = dataclasses.replace(ACT.expected, kind=Kind.ROLL_FORWARD, says=("never said",))
    reported, _ = _report(_written(tmp_path), dataclasses.replace(ACT, expected=expected))
    assert reported.differences == (
        "kind is 'git-revert', expected 'roll-forward'",
        "the report does not say 'never said'",
    )
    assert "NOT AS EXPECTED: kind is 'git-revert'" in _shown(reported)


def test_files_that_show_no_recovery_are_a_difference_and_the_refusal_is_written(tmp_path: Path) -> None:
    written = _written(tmp_path)
    reported, _ = _report({**written, "recovered": written["good"]})
    assert reported.row[1] == "no report"
    assert any("are the same, " in one for one in reported.differences), reported.differences
    assert "no recovery" in reported.files[1].read_text(encoding="utf-8")


def test_a_file_that_was_tampered_with_is_a_difference(tmp_path: Path) -> None:
    files: dict[Role, Path | None] = _written(tmp_path)
    wrong = altered(story(), "recovered", message="all is well")["recovered"]
    reported, _ = _report({**files, "recovered": write_evidence(wrong, tmp_path / "wrong")})
    [said] = reported.differences
    assert "is not verified" in said


def test_without_the_evidence_of_an_act_there_is_none(tmp_path: Path) -> None:
    reported, commands = _report({**_written(tmp_path), "bad": None})
    assert (reported.report, reported.files, commands) == (None, (), [])
    assert reported.differences == ("the evidence that it is made from was not written",)


def test_one_that_cannot_be_written_is_a_difference(tmp_path: Path) -> None:
    written = _written(tmp_path)
    name = f"recovery-{story()['recovered'].verdict.intended[:7]}"
    (tmp_path / story()["good"].verdict.environment / f"{name}.html").mkdir()
    reported, _ = _report(written)
    assert reported.differences == ("the report could not be written: Is a directory",)
