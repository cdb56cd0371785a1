"""The entry point: whatever goes wrong becomes an exit code that is never 0, and a text that says what to do."""

import sys
from types import ModuleType
from typing import Any

import click
import pytest

import gate
from gate.__main__ import is_action, main
from gate.commands import ACTION_MODULE, COMMANDS, Entry
from gate.errors import (
    AccessError,
    Cancelled,
    ConfigurationError,
    GateError,
    InternalError,
    PublishError,
    UsageError,
)

Run = Any


@pytest.fixture
def as_command(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Makes a function the command `try`."""

    def install(function: Any) -> None:
        module = ModuleType("tests.a_command")
        module.command = click.command("try")(function)  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setitem(COMMANDS, "try", Entry(module.__name__, "Try."))

    return install


def raises(error: BaseException) -> Any:
    def command() -> int:
        raise error

    return command


@pytest.mark.parametrize("code", [0, 1, 2, 3, 4, 64, 65, 70, 130, 143])
def test_the_exit_code_is_what_the_command_returns(code: int, as_command: Run) -> None:
    as_command(lambda: code)
    assert main(["try"]) == code


@pytest.mark.parametrize("nothing", [None, "0", True, False, [], 0.0])
def test_a_command_that_returns_no_exit_code_is_a_fault(nothing: object, as_command: Run) -> None:
    as_command(lambda: nothing)
    assert main(["try"]) == 70


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("x"), 64),
        (ConfigurationError("x"), 64),
        (AccessError("x"), 64),
        (PublishError("x"), 65),
        (InternalError("x"), 70),
        (GateError("x"), 70),
        (Cancelled(2), 130),
        (Cancelled(15), 143),
        (KeyboardInterrupt(), 130),
        (click.Abort(), 130),
        (click.ClickException("x"), 64),
        (click.FileError("x"), 64),
        (KeyError("x"), 70),
        (AssertionError("x"), 70),
        (RecursionError("x"), 70),
        (OSError(28, "x"), 70),
        (click.exceptions.Exit(3), 3),
    ],
)
def test_every_way_to_end_badly_has_its_code(error: BaseException, code: int, as_command: Run) -> None:
    as_command(raises(error))
    assert main(["try"]) == code


def test_an_error_says_what_happened_what_it_means_and_what_to_change(
    as_command: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    as_command(raises(AccessError("No such context.", means="a typing error", change="name another")))
    main(["try"])
    captured = capsys.readouterr()
    assert captured.err == "No such context.\nThis usually means: a typing error\nWhat to change: name another\n"
    assert captured.out == ""


def test_an_unknown_fault_is_named_without_its_text(
    as_command: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GATE_DEBUG", raising=False)
    as_command(raises(ValueError("the token is ghs_secret")))
    assert main(["try"]) == 70
    shown = capsys.readouterr().err
    assert "ValueError" in shown
    assert gate.__version__ in shown
    assert "report it" in shown
    assert "secret" not in shown
    assert "Traceback" not in shown


def test_a_package_that_is_missing_is_named(as_command: Run, capsys: pytest.CaptureFixture[str]) -> None:
    as_command(raises(ModuleNotFoundError("No module named 'x'", name="aiohttp")))
    assert main(["try"]) == 70
    assert "ModuleNotFoundError for aiohttp" in capsys.readouterr().err


def test_text_in_a_traceback_is_no_command(
    as_command: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATE_DEBUG", "1")
    as_command(raises(ValueError("x\n::error::forged ##[error]forged \x1b[2J")))
    main(["try"])
    shown = capsys.readouterr().err
    assert "Traceback" in shown
    assert not any(line.lstrip().startswith("::") for line in shown.splitlines())
    assert "##[" not in shown
    assert "\x1b" not in shown


def test_where_to_report_a_fault_is_known_in_a_workflow(
    as_command: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://github.example")
    monkeypatch.setenv("GITHUB_ACTION_REPOSITORY", "tools/promotion-gate")
    as_command(raises(ValueError()))
    main(["try"])
    assert "https://github.example/tools/promotion-gate/issues" in capsys.readouterr().err


def test_a_traceback_is_shown_only_when_asked_for(
    as_command: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATE_DEBUG", "1")
    as_command(raises(ValueError("x")))
    assert main(["try"]) == 70
    assert "Traceback" in capsys.readouterr().err


def test_error_texts_are_no_commands_to_the_runner(as_command: Run, capsys: pytest.CaptureFixture[str]) -> None:
    as_command(raises(UsageError("x\n::set-output name=verdict::passed\n##[group]y \x1b[31m")))
    main(["try"])
    shown = capsys.readouterr().err
    assert "\n::" not in shown
    assert "##[" not in shown
    assert "\x1b" not in shown


def test_help_lists_every_command_with_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for name, entry in COMMANDS.items():
        assert f"{name} {entry.help}" in shown
    assert all(entry.help.endswith(".") and "\n" not in entry.help for entry in COMMANDS.values())


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"gate {gate.__version__}\n"


def test_no_arguments_show_the_help_and_are_a_usage_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    assert main([]) == 64
    captured = capsys.readouterr()
    assert captured.err.startswith("Usage: gate")
    assert captured.out == ""


@pytest.mark.parametrize(
    ("arguments", "words"), [(["chekc"], "check"), (["--colour"], "--colour"), (["explain", "--al"], "--all")]
)
def test_unknown_commands_and_options_suggest_the_nearest(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 64
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("environ", "action"),
    [
        ({"GITHUB_ACTIONS": "true", "INPUT_MODE": ""}, True),
        ({"GITHUB_ACTIONS": "true", "INPUT_ENVIRONMENT": "staging"}, True),
        ({"GITHUB_ACTIONS": "true"}, False),
        ({"INPUT_MODE": "check"}, False),
        ({"GITHUB_ACTIONS": "false", "INPUT_MODE": ""}, False),
        ({"GITHUB_ACTIONS": "True", "INPUT_MODE": ""}, False),
        ({}, False),
    ],
)
def test_a_runner_is_told_from_a_person(environ: dict[str, str], action: bool) -> None:
    assert is_action(environ) is action


@pytest.fixture
def as_action(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Makes a function the action's entry point, in the environment of a runner."""

    def install(function: Any) -> None:
        module = ModuleType(ACTION_MODULE)
        module.main = function  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, ACTION_MODULE, module)
        monkeypatch.setenv("GITHUB_ACTIONS", "true")
        monkeypatch.setenv("INPUT_MODE", "check")

    return install


def test_a_runner_without_arguments_runs_the_action(as_action: Run) -> None:
    as_action(lambda environ: 1 if environ["INPUT_MODE"] == "check" else 70)
    assert main([]) == 1


def test_a_runner_with_arguments_runs_the_command(as_action: Run, capsys: pytest.CaptureFixture[str]) -> None:
    as_action(lambda _: 1)
    assert main(["explain", "NotPinned"]) == 0
    assert capsys.readouterr().out.startswith("NotPinned")


@pytest.mark.parametrize("nothing", [None, "0", False])
def test_an_action_that_returns_no_exit_code_is_a_fault(nothing: object, as_action: Run) -> None:
    as_action(lambda _: nothing)
    assert main([]) == 70


def test_an_action_that_raises_has_the_error_s_code(as_action: Run) -> None:
    def refuse(_: object) -> int:
        raise PublishError("refused")

    as_action(refuse)
    assert main([]) == 65
