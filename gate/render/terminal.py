"""The verdict as a table for a terminal. Import it only where standard output is one: rich is slow to import.

Texts are rich ``Text`` objects, never markup, and hold no escape sequences of anybody else.
"""

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gate.notes import SCOPE
from gate.outcomes import Outcome, VerdictWord
from gate.render.text import clean, log
from gate.render.words import (
    SYMBOLS,
    findings,
    full_time,
    headline,
    short_id,
    short_ids,
    time_of_day,
    waiting,
    word_of,
)
from gate.verdict import LayerResult, Verdict

_STYLES: dict[VerdictWord, str] = {
    VerdictWord.PASSED: "bold green",
    VerdictWord.PENDING: "yellow",
    VerdictWord.SUPERSEDED: "magenta",
    VerdictWord.HELD: "bold yellow",
    VerdictWord.FAILED: "bold red",
    VerdictWord.COULD_NOT_RUN: "bold red",
    VerdictWord.CANCELLED: "bold red",
    VerdictWord.INTERNAL_ERROR: "bold red",
}


_NARROW = 110
"""Columns below which the table would leave no room for what was seen, which is what it is read for."""


class _Layers:
    """The layers as a table, or one below the other where a table has no room."""

    def __init__(self, verdict: Verdict) -> None:
        self._verdict = verdict

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide = options.max_width >= _NARROW
        yield from (self._table(),) if wide else self._list()

    def _table(self) -> Table:
        table = Table(box=SIMPLE_HEAD, pad_edge=False, expand=False)
        for name in ("layer", "outcome", "reason", "since (UTC)"):
            table.add_column(name, no_wrap=True)
        table.add_column("what was seen", overflow="fold")
        for layer in self._verdict.layers:
            table.add_row(*_row(layer, self._verdict))
        return table

    def _list(self) -> RenderResult:
        yield Text("")
        for layer in self._verdict.layers:
            name, outcome, reason, since, message = _row(layer, self._verdict)
            at = Text(f" since {since.plain}", "dim") if layer.since is not None else Text("")
            yield Text.assemble(name, " ", outcome, " ", reason, at, overflow="fold")
            yield Padding(message, (0, 0, 0, 2))
        yield Text("")


def _row(layer: LayerResult, verdict: Verdict) -> tuple[Text, ...]:
    word = VerdictWord(layer.outcome.value)
    style = "dim" if waiting(layer) else _STYLES[word]
    said = findings(layer.message)
    quiet = layer.outcome is Outcome.PASSED or waiting(layer)
    message = Text("\n", overflow="fold").join(Text(clean(short_ids(one), 300)) for one in said[: 1 if quiet else 3])
    return (
        Text(layer.layer.value, "bold"),
        Text(f"{SYMBOLS[word]} {word.value}", style),
        Text(layer.reason.value, style),
        Text("–" if layer.since is None else time_of_day(layer.since, verdict.at)),
        message,
    )


def render_terminal(verdict: Verdict, remaining: str | None = None) -> RenderableType:
    """Headline, four layers, notes. ``remaining`` is how long the gate still waits, None when it does not."""
    word = word_of(verdict)
    names = ", ".join(clean(name, 80) for name in verdict.applications)
    about = f"commit {short_id(verdict.intended) or 'not known'}" + ("" if names == "" else f" · {names}")
    parts: list[RenderableType] = [
        Text(f"{SYMBOLS[word]} {clean(headline(verdict), 300)}", _STYLES[word]),
        Text(f"{about} · {full_time(verdict.at)}", "dim"),
    ]
    parts.append(_Layers(verdict) if len(verdict.layers) > 0 else Text("\n".join(log(verdict.message[:2000]))))
    parts.extend(Text(f"note: {clean(note, 300)}", "dim") for note in verdict.notes if note != SCOPE)
    parts.append(Text(SCOPE if remaining is None else f"looking again; {remaining} left", "dim"))
    return Group(*parts)
