"""The runner's commands: masks, annotations, folds and stopping, read back by rules written down beside it."""

from __future__ import annotations

from pathlib import Path

from pydantic import SecretStr

from gate.adapters.runner.commands import annotation_command, mask_commands
from gate.outcomes import LAYERS, Layer
from gate.render.annotations import Annotation
from tests.support.runner_protocol import commands_in
from tests.support.step import Step

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
    step.runner.say("as well")
    assert step.printed == "error: staging: failed\nas well\n"
