"""What a person at a terminal or in a workflow log sees while the gate waits.

What words a verdict is imported with the first one: until then there is nothing to show.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

from gate.render.text import log

if TYPE_CHECKING:
    from rich.live import Live

    from gate.verdict import Verdict


class Lines:
    """Plain lines, written when something changed: for logs and pipes."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._previous: Verdict | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return

    def hear(self, verdict: Verdict) -> None:
        """Write what changed since the verdict before."""
        from gate.render.lines import render_lines

        for line in render_lines(verdict, self._previous):
            print(line, file=self._stream, flush=True)
        self._previous = verdict

    def say(self, text: str) -> None:
        """Write a message, made harmless, line by line."""
        for line in log(text):
            print(line, file=self._stream, flush=True)

    def end(self, verdict: Verdict) -> None:
        """Write the whole verdict."""
        from gate.render.lines import render_report

        for line in render_report(verdict):
            print(line, file=self._stream, flush=True)


def takes_codes(stream: TextIO) -> bool:
    """Whether a stream is a terminal on which text can be coloured and written anew."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


class LiveTable:
    """A table that is drawn anew: for a terminal. rich is imported only here."""

    def __init__(self, deadline_at: Callable[[], datetime | None], stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._deadline_at = deadline_at
        self._live: Live | None = None

    def __enter__(self) -> Self:
        from rich.console import Console
        from rich.live import Live

        self._live = Live(console=Console(file=self._stream), auto_refresh=False, transient=True)
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def hear(self, verdict: Verdict) -> None:
        """Draw the verdict with the time that is left."""
        from gate.render.terminal import render_terminal

        deadline = self._deadline_at()
        left = None if deadline is None else max(int((deadline - verdict.at).total_seconds()), 0)
        if self._live is not None:
            shown = None if left is None or verdict.final else f"{left // 60}m{left % 60:02d}s"
            self._live.update(render_terminal(verdict, shown), refresh=True)

    def say(self, text: str) -> None:
        """Write a message above the table."""
        for line in log(text):
            if self._live is not None:
                self._live.console.print(line, markup=False, highlight=False)
            else:
                print(line, file=self._stream, flush=True)

    def end(self, verdict: Verdict) -> None:
        """Draw the final verdict so that it stays."""
        from rich.console import Console

        from gate.render.terminal import render_terminal

        if self._live is not None:
            self._live.stop()
            self._live = None
        Console(file=self._stream).print(render_terminal(verdict))


Screen = Lines | LiveTable
