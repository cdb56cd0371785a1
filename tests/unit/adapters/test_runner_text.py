"""Text from outside is printed, and is never a command of the runner."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, strategies

from gate.adapters.runner.commands import neutralise
from gate.adapters.runner.runner import Runner
from tests.support.runner_protocol import commands_in
from tests.support.step import Step

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
