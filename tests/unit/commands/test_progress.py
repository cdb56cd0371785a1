"""How a run shows itself: a table that is drawn anew in a terminal, lines on change elsewhere."""

import io
from datetime import timedelta

import pytest

from gate.commands.progress import is_terminal, progress
from tests.support import release, verdicts


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environ", "watched"),
    [
        (Terminal(), {"TERM": "xterm"}, True),
        (Terminal(), {}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (Terminal(), {"TERM": "xterm", "GITHUB_ACTIONS": "true"}, False),
        (io.StringIO(), {"TERM": "xterm"}, False),
    ],
)
def test_who_watches(stream: io.StringIO, environ: dict[str, str], watched: bool) -> None:
    assert is_terminal(stream, environ) is watched


def test_a_log_gets_lines_on_change_and_the_whole_verdict_at_the_end() -> None:
    stream = io.StringIO()
    with progress(stream, {}) as show:
        show(verdicts.pending(), timedelta(minutes=15))
        first = stream.getvalue()
        show(verdicts.pending(at=release.AT + timedelta(seconds=30)), timedelta(minutes=14))
        assert stream.getvalue() == first
        show(verdicts.failed(), None)
    report = stream.getvalue().removeprefix(first)
    assert first.startswith("05:39:18 UTC pending: ")
    assert report.startswith("verdict: failed: ")
    assert "\x1b" not in stream.getvalue()


def test_a_terminal_gets_a_table() -> None:
    stream = Terminal()
    with progress(stream, {"TERM": "xterm"}) as show:
        show(verdicts.pending(), timedelta(seconds=890.4))
        show(verdicts.failed(), None)
    shown = stream.getvalue()
    assert "14m50s left" in shown
    assert "ProgressDeadlineExceeded" in shown
