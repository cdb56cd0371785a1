"""How a run shows itself while it waits: a live table in a terminal, plain lines on change everywhere else."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import TextIO

from gate.config.duration import show_duration
from gate.render.lines import render_lines, render_report
from gate.verdict import Verdict

Show = Callable[[Verdict, timedelta | None], None]
"""Called with each poll's verdict and the time that is left; None says that it is the last one."""


def is_terminal(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether a person watches: a workflow log may call itself a terminal and is none."""
    return stream.isatty() and environ.get("TERM") != "dumb" and environ.get("GITHUB_ACTIONS") != "true"


@contextmanager
def progress(stream: TextIO, environ: Mapping[str, str]) -> Iterator[Show]:
    """The way to show verdicts on this stream. rich is imported only for a terminal."""
    if not is_terminal(stream, environ):
        yield _lines(stream)
        return
    from rich.console import Console
    from rich.live import Live

    from gate.render.terminal import render_terminal

    with Live(console=Console(file=stream), auto_refresh=False) as live:

        def show(verdict: Verdict, remaining: timedelta | None) -> None:
            left = None if remaining is None else show_duration(timedelta(seconds=round(remaining.total_seconds())))
            live.update(render_terminal(verdict, left), refresh=True)

        yield show


def _lines(stream: TextIO) -> Show:
    previous: Verdict | None = None

    def show(verdict: Verdict, remaining: timedelta | None) -> None:
        nonlocal previous
        lines = render_lines(verdict, previous) if remaining is not None else render_report(verdict)
        previous = verdict
        stream.writelines(f"{line}\n" for line in lines)
        stream.flush()

    return show
