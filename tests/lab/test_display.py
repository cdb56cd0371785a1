"""What is shown of a comment, and what of hostile text reaches a person."""

import io
import os
import re
import termios
from pathlib import Path

from gate.lab.display import OPENING, Display, as_shown, plain

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


def _on_a_terminal(columns: int) -> str:
    """What a terminal of this width is given by the opening and a command, without colours."""
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (40, columns))
    with os.fdopen(ours, "rb") as screen, os.fdopen(theirs, "w", encoding="utf-8") as stream:
        display = Display(stream, Path("evidence"))
        display.opening()
        display.typed("kubectl patch application orders --namespace argocd --type merge -p '{}'")
        stream.flush()
        text = screen.read1(65536).decode()
    return re.sub(r"\x1b\[[0-9;]*m", "", text).replace("\r\n", "\n")


def test_on_a_narrow_terminal_lines_break_between_words_and_commands_do_not() -> None:
    *said, typed = _on_a_terminal(40).rstrip("\n").split("\n")
    assert max(map(len, said)) <= 40
    assert " ".join(said).split() == OPENING.split()
    assert typed == "  $ kubectl patch application orders --namespace argocd --type merge -p '{}'"


def test_on_a_wide_terminal_nothing_breaks() -> None:
    assert _on_a_terminal(200).startswith(f"{OPENING}\n")
