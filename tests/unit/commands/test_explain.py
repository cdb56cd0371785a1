"""`gate explain`, as it is called."""

import json
from pathlib import Path

import pytest

from gate.__main__ import main
from gate.catalogue import load_catalogue
from gate.reasons import Reason

ROOT = Path(__file__).resolve().parents[3]


def test_a_reason_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "oldpodsserving"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("OldPodsServing (layer readiness)\n")
    assert "Next: " in shown
    assert "  kubectl -n <namespace> get replicasets -o wide\n" in shown
    assert shown.endswith("Final: never\n")


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_can_be_asked_for(reason: Reason, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", reason.value]) == 0
    assert capsys.readouterr().out.startswith(f"{reason.value} (")


def test_a_reason_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "AutosyncOff", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert set(shown) == {"reason", "layer", "short", "meaning", "next", "commands", "final"}
    assert (shown["reason"], shown["layer"], shown["final"]) == ("AutosyncOff", "sync", "always")


def test_all_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines] == [reason.value for reason in Reason]


def test_all_reasons_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--all", "--format", "json"]) == 0
    assert [one["reason"] for one in json.loads(capsys.readouterr().out)] == [one.value for one in load_catalogue()]


def test_the_page_of_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--all", "--format", "markdown"]) == 0
    assert capsys.readouterr().out == (ROOT / "docs" / "reasons.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["NotPined"], "NotPinned"),
        (["zzz"], "--all"),
        ([], "exactly one of"),
        (["NotPinned", "--all"], "exactly one of"),
        (["NotPinned", "--format", "markdown"], "--all"),
        (["NotPinned", "--format", "yaml"], "'yaml'"),
        (["NotPinned", "AutosyncOff"], "AutosyncOff"),
        ([""], "There is no reason called ''"),
        (["\x1b[31mx\n::error::y"], "There is no reason called"),
    ],
)
def test_what_cannot_be_explained_is_a_usage_error(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", *arguments]) == 64
    captured = capsys.readouterr()
    assert captured.out == ""
    assert words in captured.err
    assert "\x1b" not in captured.err
    assert not any(line.lstrip().startswith("::") for line in captured.err.splitlines())
