"""The table in a terminal: complete, and without escape sequences of anybody else."""

import io

import pytest
from hypothesis import given, settings
from rich.console import Console

from gate.notes import SCOPE
from gate.render.terminal import render_terminal
from gate.verdict import Verdict
from tests.support import verdicts
from tests.support.sampling import examples
from tests.support.texts import ANYTHING


def shown(verdict: Verdict, remaining: str | None = None, width: int = 200) -> str:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    with console.capture() as captured:
        console.print(render_terminal(verdict, remaining))
    return captured.get()


@pytest.mark.parametrize("name", verdicts.every())
def test_every_verdict_is_shown(name: str) -> None:
    verdict = verdicts.every()[name]
    text = shown(verdict)
    assert "staging" in text
    for layer in verdict.layers:
        assert layer.reason.value in text
    assert SCOPE in text


def test_a_failure_shows_why() -> None:
    text = shown(verdicts.failed())
    assert "HTTP probe failed with statuscode: 404" in text
    assert "commit c7581a7 · argocd/orders" in text


def test_a_verdict_without_layers_shows_its_message() -> None:
    assert "did you mean timeout?" in shown(verdicts.could_not_run())


def test_what_is_left_of_the_time_is_shown_while_the_gate_waits() -> None:
    assert "looking again; 14m50s left" in shown(verdicts.pending(), "14m50s")


def test_text_that_looks_like_markup_is_text() -> None:
    assert "[bold]x[/bold]" in shown(verdicts.could_not_run(message="[bold]x[/bold]"))


@given(ANYTHING)
@settings(deadline=None, max_examples=examples(50))
def test_no_escape_sequence_reaches_the_terminal(text: str) -> None:
    verdict = verdicts.hostile(text)
    rendered = shown(verdict)
    assert all(character == "\n" or character.isprintable() for character in rendered)


@pytest.mark.parametrize("width", [200, 120, 110, 109, 80, 40, 20])
def test_nothing_is_lost_at_any_width(width: int) -> None:
    """What was seen is what it is read for; a line may break anywhere and be cut nowhere."""
    verdict = verdicts.failed()
    words = "".join(shown(verdict, width=width).split())
    for layer in verdict.layers:
        for said in (layer.layer.value, layer.outcome.value, layer.reason.value):
            assert said in words
    assert width > 110 or "Readinessprobefailed:HTTPprobefailedwithstatuscode:404" in words
    assert "…" not in words
