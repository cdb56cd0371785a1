"""The runner protocol, read back by rules of the runner written down beside it."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, strategies
from pydantic import SecretStr

from gate.adapters.runner.commands import annotation_command, mask_commands, neutralise
from gate.adapters.runner.files import SUMMARY_CUT, outputs_text
from gate.adapters.runner.runner import Runner
from gate.errors import InternalError, PublishError
from gate.outcomes import LAYERS, Layer
from gate.render.annotations import Annotation
from tests.support.runner_protocol import commands_in, outputs_in

IN_WORKFLOW = {"GITHUB_ACTIONS": "true"}


class Step:
    """A runner, its streams and its files."""

    def __init__(self, directory: Path, environment: dict[str, str] | None = None) -> None:
        self.output, self.summary = directory / "output", directory / "summary"
        self.output.touch()
        self.summary.touch()
        files = {"GITHUB_OUTPUT": str(self.output), "GITHUB_STEP_SUMMARY": str(self.summary)}
        self.stdout, self.stderr = io.StringIO(), io.StringIO()
        self.runner = Runner(IN_WORKFLOW | files if environment is None else environment, self.stdout, self.stderr)

    @property
    def printed(self) -> str:
        return self.stdout.getvalue()


@pytest.fixture
def step(tmp_path: Path) -> Step:
    return Step(tmp_path)


# --- text from outside

COMMANDS = [
    "::error::boom",
    "  ::set-output name=verdict::passed",
    "\t::add-mask::a",
    "\u00a0::error::x",
    "\u2003\u3000::error::x",
    "fine\r::error::x",
    "fine\n::error::x",
    "fine\r\n ::error::x",
    "text ##[error]x",
    "##[group]x",
    "a##[add-mask]b",
    "###[error]x",
    "##[##[error]x",
    "::stop-commands::pause\n::pause::\n::error::x",
]
NEARLY_COMMANDS = [
    "fine\x0b::error::x",
    "fine\x85::error::x",
    "fine\u2028::error::x",
    "\x1b[2K::error::x",
    "\u200b::error::x",
    "\ufeff::error::x",
    "::::error::x",
    ":::error::x",
]


@pytest.mark.parametrize("text", COMMANDS)
def test_the_runner_would_take_these_for_commands(text: str) -> None:
    assert commands_in(text) != []


@pytest.mark.parametrize("text", COMMANDS + NEARLY_COMMANDS)
def test_nothing_in_text_from_outside_is_a_command(step: Step, text: str) -> None:
    step.runner.say(text)
    step.runner.complain(text)
    assert commands_in(step.printed) == []
    assert commands_in(step.stderr.getvalue()) == []


@given(strategies.text(alphabet=strategies.sampled_from(":#[]% \t\r\n\u00a0\u2028\x1bae=,")))
def test_no_text_at_all_is_a_command(text: str) -> None:
    assert commands_in(neutralise(text)) == []
    assert commands_in(f"  {neutralise(text)}") == []


@pytest.mark.parametrize(
    "text",
    ["", "plain", "std::string", "10.0.0.1:80", "[::1]:8080", "  indented: yes", "a\tb", "# [x]", "é 🚀 名", "50%"],
)
def test_harmless_text_is_printed_as_it_is(step: Step, text: str) -> None:
    step.runner.say(text)
    assert step.printed == f"{text}\n"


def test_control_characters_are_shown_and_lines_kept() -> None:
    assert neutralise("a\x1b[31mred\x07\nb\u202ec\r\nd") == "a\ufffd[31mred\ufffd\nb\ufffdc\nd"


def test_what_a_stream_cannot_encode_is_replaced() -> None:
    raw = io.BytesIO()
    stdout = io.TextIOWrapper(raw, encoding="ascii", newline="\n")
    runner = Runner({}, stdout, stdout)
    runner.say("gr\u00fcn \ud800")
    assert raw.getvalue() == b"gr?n ?\n"


# --- masks


def test_every_line_of_a_secret_is_masked_before_anything_else(step: Step) -> None:
    step.runner.mask(SecretStr("first line\r\n  second% line\n\nabc\nfirst line\n"))
    assert [(c.name, c.message) for c in commands_in(step.printed)] == [
        ("add-mask", "first line"),
        ("add-mask", "second% line"),
    ]


def test_outside_a_workflow_a_mask_would_show_the_secret(tmp_path: Path) -> None:
    for environment in ({}, {"GITHUB_ACTIONS": ""}, {"GITHUB_ACTIONS": "false"}, {"GITHUB_ACTIONS": "True"}):
        step = Step(tmp_path, environment)
        step.runner.mask(SecretStr("a-secret"))
        assert step.printed == ""


def test_short_lines_are_not_masked() -> None:
    assert mask_commands("a\nbc\ndef\n") == ()
    assert mask_commands("") == ()


# --- annotations


def test_an_annotation_reads_back_as_it_was_meant(step: Step) -> None:
    title, message = "staging: failed, 100% sure", "line one\nline two: 100%, a=b::c"
    step.runner.annotate(Annotation(level="error", title=title, message=message))
    (command,) = commands_in(step.printed)
    assert (command.name, command.properties) == ("error", {"title": title})
    assert command.message == message
    assert step.printed.count("\n") == 1


def test_text_from_outside_cannot_leave_an_annotation(step: Step) -> None:
    hostile = "x,file=/etc/passwd::y\r\n::error title=forged::z ##[error]w %0A::error::v"
    step.runner.annotate(Annotation(level="warning", title=hostile, message=hostile))
    (command,) = commands_in(step.printed)
    assert (command.name, list(command.properties)) == ("warning", ["title"])


def test_one_annotation_for_the_verdict_and_one_for_each_layer(step: Step) -> None:
    for _ in range(4):
        step.runner.annotate(Annotation(level="error", title="verdict", message="failed"))
        for layer in LAYERS:
            step.runner.annotate(Annotation(level="error", title=layer, message="failed", layer=layer))
    assert [c.properties["title"] for c in commands_in(step.printed)] == ["verdict", *LAYERS]


def test_a_long_message_stays_below_what_the_runner_cuts() -> None:
    line = annotation_command(Annotation(level="notice", title="t", message="é" * 5000, layer=Layer.SYNC))
    (command,) = commands_in(line)
    assert len(command.message) == 4000
    assert command.message.endswith("…")


def test_outside_a_workflow_annotations_are_plain_lines(tmp_path: Path) -> None:
    step = Step(tmp_path, {})
    step.runner.annotate(Annotation(level="error", title="staging", message="failed"))
    with step.runner.group("Layers"), step.runner.commands_stopped():
        step.runner.say("inside")
    assert step.printed == "error: staging: failed\nLayers\ninside\n"


# --- folds and stopping


def test_a_group_closes_whatever_happens_inside(step: Step) -> None:
    with pytest.raises(KeyError), step.runner.group("Layers\n::error::x"):
        raise KeyError
    names = [(c.name, c.message) for c in commands_in(step.printed)]
    assert names == [("group", "Layers : :error::x"), ("endgroup", "")]


def test_between_stopped_and_resumed_nothing_is_a_command(step: Step) -> None:
    with step.runner.commands_stopped():
        step.stdout.write("::error::from another program\n::stop-commands::x\n::x::\n")
    step.runner.annotate(Annotation(level="error", title="t", message="after"))
    assert [c.message for c in commands_in(step.printed)] == ["after"]
    word = re.match(r"::stop-commands::([0-9a-f]{32})\n", step.printed)
    assert word is not None
    other = Step(step.output.parent)
    with other.runner.commands_stopped():
        pass
    assert word[1] not in other.printed


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
