"""What a look at a set-up found, as lines, as JSON and in a terminal: hostile text is text, indentation is kept."""

import io
import json

import pytest
from rich.console import Console

from gate.render.findings import Checkup, ok, problem, render_findings_json, render_findings_lines, warning
from gate.render.findings_terminal import render_findings_terminal

HOSTILE = "::error::x\x1b[31m ##[group]y \u202e\nsecond"
CHECKUP = Checkup(
    environment="staging",
    findings=(
        ok("cluster", "All is there."),
        problem("request version", f"It says {HOSTILE}", "env:", "  KEY: value", to="add to the step"),
        warning("cluster", "Late."),
    ),
)


def test_lines_are_grouped_and_keep_their_indentation() -> None:
    lines = render_findings_lines(CHECKUP)
    assert lines[:3] == ("cluster", "  ok       All is there.", "  warning  Late.")
    at = lines.index("           add to the step:")
    assert lines[at + 1 : at + 3] == ("             env:", "               KEY: value")
    assert lines[-1] == "staging: 1 problem, 1 warning, 1 of 3 as they should be."


def _terminal(width: int) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width, force_terminal=False).print(render_findings_terminal(CHECKUP))
    return stream.getvalue()


LOGS = ["\n".join(render_findings_lines(CHECKUP)), render_findings_json(CHECKUP)]


@pytest.mark.parametrize("shown", [*LOGS, _terminal(80)])
def test_hostile_text_is_text(shown: str) -> None:
    for part in ("\x1b", "\u202e", "\n::error"):
        assert part not in shown


@pytest.mark.parametrize("shown", LOGS)
def test_nothing_in_a_log_is_a_command(shown: str) -> None:
    assert "##[" not in shown


@pytest.mark.parametrize("width", [80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    assert max(len(line) for line in _terminal(width).splitlines()) <= width


def test_json_counts_and_nothing_at_all_is_not_sound() -> None:
    found = json.loads(render_findings_json(CHECKUP))
    assert (found["problems"], found["warnings"], len(found["findings"])) == (1, 1, 3)
    assert found["findings"][1]["add"] == ["env:", "  KEY: value"]
    assert not CHECKUP.sound
    assert not Checkup(environment="x", findings=()).sound
    assert Checkup(environment="x", findings=(ok("a", "b"), warning("a", "c"))).sound
