"""Lines of a workflow log, annotations and outputs: on change only, one line each, no commands to the runner."""

import json
from datetime import timedelta

import pytest
from hypothesis import given, settings

from gate.notes import SCOPE
from gate.outcomes import Layer, Outcome
from gate.reasons import Reason
from gate.render.annotations import render_annotations
from gate.render.lines import render_lines, render_report
from gate.render.outputs import Result, render_outputs, render_result, render_result_line
from tests.support import release, verdicts
from tests.support.texts import ANYTHING


def harmless(line: str) -> bool:
    return not line.lstrip().startswith("::") and "##[" not in line and line.isprintable()


def test_the_first_poll_shows_every_layer() -> None:
    lines = render_lines(verdicts.failed())
    assert lines[0] == (
        "05:39:18 UTC failed: staging failed at readiness: "
        "the new Pods did not become ready before the progress deadline"
    )
    assert [line.split()[:3] for line in lines[1:]] == [
        ["intent", "passed", "PinnedToIntended"],
        ["sync", "passed", "SyncedAtIntended"],
        ["readiness", "failed", "ProgressDeadlineExceeded"],
        ["request", "pending", "AwaitingReadiness"],
    ]


def test_nothing_is_said_twice() -> None:
    later = verdicts.failed(at=release.AT + timedelta(seconds=30))
    assert render_lines(later, verdicts.failed()) == ()


def test_only_the_layers_that_changed_are_shown() -> None:
    before = verdicts.held_open()
    lines = render_lines(verdicts.failed(), before)
    assert [line.split()[0] for line in lines[1:]] == ["readiness"]


def test_another_message_of_the_same_reason_is_a_change() -> None:
    layer = release.NOT_READY.model_copy(update={"message": "Deployment shop/orders: 0 of 1"})
    before = verdicts.failed(layers=(release.INTENT, release.SYNC, layer, release.WAITING[Layer.REQUEST]))
    assert len(render_lines(verdicts.failed(), before)) == 2


def test_a_verdict_of_another_kind_is_a_change_even_if_no_layer_is() -> None:
    assert len(render_lines(verdicts.timed_out(), verdicts.pending())) == 1


@given(ANYTHING)
@settings(deadline=None)
def test_no_line_is_a_command_to_the_runner(text: str) -> None:
    for line in (*render_lines(verdicts.hostile(text)), *render_report(verdicts.hostile(text))):
        assert harmless(line), line


def test_the_report_says_the_whole_verdict_and_what_it_does_not_prove() -> None:
    report = "\n".join(render_report(verdicts.superseded()))
    assert f"commit: {release.BAD}" in report
    assert f"newer commit: {release.NEWER}" in report
    assert f"note: {SCOPE}" in report
    assert "not proven by request: all paths, all users" in report


def test_the_report_of_a_verdict_without_layers_says_why() -> None:
    assert "timeuot" in "\n".join(render_report(verdicts.could_not_run()))


@pytest.mark.parametrize(
    ("name", "level"),
    [("passed", "notice"), ("pending", "warning"), ("failed", "error"), ("held", "error"), ("superseded", "error")],
)
def test_one_annotation_says_the_verdict(name: str, level: str) -> None:
    found = render_annotations(verdicts.every()[name])
    assert [one.level for one in found] == [level]
    assert found[0].title.startswith("staging ")
    assert found[0].message != ""


def test_other_bad_layers_have_one_annotation_each_and_waiting_ones_none() -> None:
    held = release.SYNC.model_copy(update={"outcome": Outcome.HELD, "reason": Reason.ROLLED_BACK, "message": "m"})
    layers = (release.INTENT, held, release.NOT_READY, release.WAITING[Layer.REQUEST])
    found = render_annotations(verdicts.failed(layers=layers))
    assert [one.title for one in found[1:]] == ["sync: RolledBack"]


def test_there_are_never_more_annotations_than_the_runner_shows() -> None:
    held = release.SYNC.model_copy(update={"outcome": Outcome.HELD})
    assert len(render_annotations(verdicts.failed(layers=(held,) * 30))) <= 5


@given(ANYTHING)
@settings(deadline=None)
def test_annotations_are_one_line_each(text: str) -> None:
    for one in render_annotations(verdicts.hostile(text)):
        assert one.title.isprintable()
        assert one.message.isprintable()
        assert one.message != ""
        assert len(one.message) <= 1000


def test_outputs_of_a_failure() -> None:
    outputs = render_outputs(verdicts.failed(), "evidence/staging/c7581a7.json")
    assert outputs["verdict"] == "failed"
    assert outputs["reason"] == "ProgressDeadlineExceeded"
    assert outputs["failed-layer"] == "readiness"
    assert outputs["evidence"] == "evidence/staging/c7581a7.json"
    assert set(outputs) == {"verdict", "reason", "failed-layer", "evidence", "result"}


def test_failed_layer_is_empty_when_passed() -> None:
    assert render_outputs(verdicts.passed(), "")["failed-layer"] == ""


def test_the_result_is_one_json_object_with_the_promised_keys() -> None:
    result = json.loads(render_outputs(verdicts.failed(), "")["result"])
    assert "file" not in result
    assert (result["verdict"], result["reason"], result["failed-layer"]) == (
        "failed", "ProgressDeadlineExceeded", "readiness",
    )  # fmt: skip
    assert [set(layer) for layer in result["layers"]] == [
        {"layer", "outcome", "reason", "message", "final", "since"}
    ] * 4
    assert result["layers"][2]["since"] == "2026-12-01T05:39:12Z"


def test_the_result_of_a_document_names_its_file() -> None:
    assert json.loads(render_result_line(render_result(verdicts.passed(), "incident.yaml")))["file"] == "incident.yaml"


def test_the_result_reads_back_as_the_same_model() -> None:
    result = render_result(verdicts.failed(), "x.json")
    assert Result.model_validate_json(render_result_line(result)) == result


def test_a_pass_without_four_passed_layers_is_no_pass_for_programs_either() -> None:
    outputs = render_outputs(verdicts.passed(layers=()), "")
    assert outputs["verdict"] == "internal-error"
    assert outputs["reason"] == "InternalError"


@given(ANYTHING)
@settings(deadline=None)
def test_outputs_are_one_line_and_the_result_is_ascii(text: str) -> None:
    outputs = render_outputs(verdicts.hostile(text), text)
    assert outputs["verdict"] == "failed"
    assert all("\n" not in value and "\r" not in value for value in outputs.values())
    assert outputs["result"].isascii()
    assert harmless(outputs["result"])
    assert json.loads(outputs["result"])["verdict"] == "failed"
