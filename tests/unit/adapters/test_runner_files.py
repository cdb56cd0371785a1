"""The runner's files: outputs and the job summary, read back by rules written down beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.adapters.runner.files import SUMMARY_CUT, outputs_text
from gate.errors import InternalError, PublishError
from tests.support.runner_protocol import outputs_in
from tests.support.step import Step

# --- outputs


RESULT = {"verdict": "failed", "reason": "ProbeFailing", "failed-layer": "readiness", "result": '{"a": 1}'}


def test_outputs_are_read_back_and_added_to_what_is_there(step: Step) -> None:
    step.output.write_text("earlier=1\n")
    assert step.runner.write_outputs(RESULT)
    assert step.runner.write_outputs({"evidence": "evidence/staging/x.json"})
    assert outputs_in(step.output.read_text()) == {"earlier": "1", **RESULT, "evidence": "evidence/staging/x.json"}


@pytest.mark.parametrize(
    "value",
    [
        "pull failed\nEOF\nverdict=passed\nEOF",
        "a\nverdict<<X\npassed\nX",
        "a\r\nverdict=passed",
        "a\rverdict=passed",
        "",
        "\n\n",
        "ends\n",
        "nul\x00 bell\x07",
        "lone \ud800 surrogate",
    ],
)
def test_no_value_can_set_another_output(step: Step, value: str) -> None:
    step.runner.write_outputs({**RESULT, "result": value})
    found = outputs_in(step.output.read_text())
    assert {name: found[name] for name in ("verdict", "reason", "failed-layer")} == {
        name: RESULT[name] for name in ("verdict", "reason", "failed-layer")
    }
    assert set(found) == set(RESULT)


def test_a_delimiter_that_stands_in_the_value_is_not_used() -> None:
    words: Iterator[str] = iter(["taken", "taken", "free"])
    text = outputs_text({"result": "gate-taken\nverdict=passed"}, lambda: next(words))
    assert outputs_in(text) == {"result": "gate-taken\nverdict=passed"}
    assert text.startswith("result<<gate-free\n")


def test_the_verdict_comes_last() -> None:
    text = outputs_text(RESULT, iter("abcdefgh").__next__)
    assert list(outputs_in(text)) == ["result", "verdict", "reason", "failed-layer"]


@pytest.mark.parametrize(
    "values",
    [
        {"verdict": "passed\nx"},
        {"verdict": "passed now"},
        {"reason": "a=b"},
        {"Bad Name": "x"},
        {"a\nb": "x"},
        {"": "x"},
    ],
)
def test_outputs_of_ours_that_cannot_be_right_are_faults(step: Step, values: dict[str, str]) -> None:
    with pytest.raises(InternalError):
        step.runner.write_outputs(values)
    assert step.output.read_text() == ""


def test_outputs_too_large_or_without_a_file_are_publish_errors(step: Step, tmp_path: Path) -> None:
    with pytest.raises(PublishError, match="the runner takes 1048576"):
        step.runner.write_outputs({"result": "x" * 600_000})
    assert step.output.read_text() == ""
    gone = Step(
        tmp_path, {"GITHUB_OUTPUT": str(tmp_path / "no" / "output"), "GITHUB_STEP_SUMMARY": str(tmp_path / "no")}
    )
    with pytest.raises(PublishError, match="outputs could not be written: No such file"):
        gone.runner.write_outputs(RESULT)
    with pytest.raises(PublishError, match="job summary could not be written"):
        gone.runner.write_summary("x")


@pytest.mark.parametrize("environment", [{}, {"GITHUB_OUTPUT": "", "GITHUB_STEP_SUMMARY": ""}])
def test_without_a_runner_nothing_is_written(tmp_path: Path, environment: dict[str, str]) -> None:
    runner = Step(tmp_path, environment).runner
    assert runner.write_outputs(RESULT) is False
    assert runner.write_summary("x") is False


# --- the summary


def test_the_summary_is_added_to_what_is_there(step: Step) -> None:
    step.summary.write_text("# Earlier\n")
    assert step.runner.write_summary("**failed** \u00e9")
    assert step.summary.read_text() == "# Earlier\n**failed** \u00e9\n"


@pytest.mark.parametrize("there", [0, 900_000])
def test_the_summary_never_exceeds_what_the_runner_takes(step: Step, there: int) -> None:
    step.summary.write_text("x" * there)
    step.runner.write_summary("**failed**\n\n```text\n" + "\u00e9\u00e9\u00e9 line\n" * 200_000 + "```\n")
    text = step.summary.read_text()
    assert 1_000_000 < len(text.encode()) <= 1024 * 1024
    assert text[there:].startswith("**failed**\n")
    assert text.endswith(f"```\n\n{SUMMARY_CUT}\n")


def test_a_full_summary_is_left_as_it_is(step: Step) -> None:
    step.summary.write_text("x" * (1024 * 1024 - 10))
    assert step.runner.write_summary("**failed**")
    assert len(step.summary.read_text()) == 1024 * 1024 - 10
