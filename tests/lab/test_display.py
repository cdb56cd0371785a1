"""What is shown of a comment, and what of hostile text reaches a person."""

import io
import os
import re
import termios
from pathlib import Path

import pytest

from gate.lab.display import Display, as_shown, plain

COMMENT = """### ❌ staging failed

**Do not promote.** Commit: [`abc1234`](https://github.example.test/acme/environments/commit/abc)<br>
Application: `argocd/orders`

| Observed |
| --- |
| `one`<br>`two` |

<details><summary>Timeline</summary>

| at | what |

</details>

<sub>[Run attempt](https://github.example.test/run) · a&#95;b\u200b</sub>
"""


def test_folds_are_closed_and_links_are_their_words() -> None:
    assert plain(as_shown(COMMENT)) == (
        "### ❌ staging failed\n\n**Do not promote.** Commit: `abc1234`  \nApplication: `argocd/orders`\n\n"
        "| Observed |\n| --- |\n| `one` `two` |\n\n▸ Timeline\n\nRun attempt · a_b"
    )


def test_what_comes_from_outside_is_made_harmless() -> None:
    stream = io.StringIO()
    Display(stream, Path("evidence")).typed('git commit -m "\x1b[31mred\x07" ::set-output')
    assert stream.getvalue() == '  $ git commit -m "red" ::set-output\n'


def _opening(speed: float = 1.0) -> str:
    stream = io.StringIO()
    Display(stream, Path("evidence")).opening(speed)
    return stream.getvalue()


def test_the_deadline_of_the_story_takes_two_seconds_at_any_speed() -> None:
    """Whole seconds: a shorter one could end in the second in which the operation ended."""
    assert ["progressDeadlineSeconds 6 " in _opening(speed) for speed in (0.1, 1, 3, 4)] == [True, True, True, False]
    assert "progressDeadlineSeconds 40 " in _opening(20)


def _read(terminal: int) -> bytes:
    """What is there to be read; nothing once the other side is closed."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def _on_a_terminal(columns: int) -> str:
    """What a terminal of this width is given by the opening and a command."""
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (40, columns))
    with os.fdopen(theirs, "w", encoding="utf-8") as stream:
        display = Display(stream, Path("evidence"))
        display.opening()
        display.typed("kubectl patch application orders --namespace argocd --type merge -p '{}'")
    text = "".join(piece.decode() for piece in iter(lambda: _read(ours), b""))
    os.close(ours)
    return text.replace("\r\n", "\n")


def _without_colours(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_on_a_narrow_terminal_lines_break_between_words_and_commands_do_not() -> None:
    *said, typed = _without_colours(_on_a_terminal(40)).rstrip("\n").split("\n")
    assert max(map(len, said)) <= 40
    assert " ".join(said).split() == _opening().split()
    assert typed == "  $ kubectl patch application orders --namespace argocd --type merge -p '{}'"


def test_on_a_wide_terminal_nothing_breaks() -> None:
    assert _without_colours(_on_a_terminal(200)).startswith(_opening())


def test_a_terminal_that_knows_no_codes_is_given_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b" in _on_a_terminal(80)
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in _on_a_terminal(80)
