"""The tests' own runner finds what the real one would stop at, leave out or cut."""

from pathlib import Path

import pytest

from tests.support.runner_environment import declared_inputs, input_variables, make_files
from tests.support.runner_protocol import Command, commands_in, outputs_in, problems_in

FINE = "::add-mask::secret\n::error title=one::What happened%0Aand when\nplain :: text\n"


def _problems(folder: Path, printed: str = FINE, **files: str) -> list[str]:
    make_files(folder)
    for name, text in files.items():
        (folder / "commands" / name).write_text(text)
    return problems_in(folder / "commands", commands_in(printed))


def test_what_the_gate_may_print_and_write_is_fine(tmp_path: Path) -> None:
    assert (
        _problems(tmp_path, output="verdict<<E\npassed\nE\n", state="pending={}\npending=\n", summary="# Passed\n")
        == []
    )


@pytest.mark.parametrize(
    "printed",
    [
        "::set-output name=verdict::passed\n",
        "  ::stop-commands::word\n::error::hidden\n",
        "text ##[set-env name=A]b\n",
        "::debug::a\n",
        "::error::" + "x" * 4097 + "\n",
        "::error::again\n" * 11,
    ],
    ids=["set-output", "stop-commands", "old form", "debug", "too long", "too many"],
)
def test_another_command_is_a_problem(printed: str, tmp_path: Path) -> None:
    assert _problems(tmp_path, printed) != []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("output", "result<<E\n" + "x" * 600_000 + "\nE\n"),
        ("output", "result=a secret\n"),
        ("summary", "x" * (1024 * 1024 + 1)),
        ("state", "other=1\n"),
        ("env", "A=b\n"),
        ("path", "/somewhere\n"),
    ],
    ids=["large output", "masked output", "large summary", "other state", "env", "path"],
)
def test_another_file_is_a_problem(name: str, text: str, tmp_path: Path) -> None:
    assert _problems(tmp_path, **{name: text}) != []


@pytest.mark.parametrize("text", ["result<<E\nvalue\n", "no output at all\n"])
def test_what_the_runner_stops_at_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"result|no output"):
        outputs_in(text)


def test_both_forms_of_a_command_are_heard() -> None:
    assert commands_in("\t::error title=a%3Ab::c%25\n") == [Command("error", "c%", {"title": "a:b"})]
    assert commands_in("before ##[warning]after\n") == [Command("warning", "after")]
    stopped = commands_in("::stop-commands::x\n::error::a\n::x::\n::notice::b\n")
    assert stopped == [Command("stop-commands", "x"), Command("notice", "b")]


def test_every_declared_input_is_given_and_hyphens_are_kept() -> None:
    given = input_variables({"environment": "staging"})
    assert set(given) == {f"INPUT_{name.upper()}" for name in declared_inputs()}
    assert (given["INPUT_ENVIRONMENT"], given["INPUT_DRY-RUN"], given["INPUT_GITHUB-TOKEN"]) == ("staging", "false", "")
