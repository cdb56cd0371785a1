"""A rehearsal as a table for a terminal. Import it only where standard output is one: rich is slow to import."""

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from gate.rehearsal.results import Rehearsal
from gate.render.rehearsal import Row, conclusion, headline, not_applicable, rows, unaltered
from gate.render.text import clean

_WIDE = 110
"""Columns from which on what is altered has a column of its own."""

_GOOD, _BAD = "green", "bold red"


def _cells(one: Row) -> tuple[Text, Text, Text, Text, Text]:
    style = _GOOD if one.refused else _BAD
    mark = "✅" if one.refused else "❌"
    return (
        Text.assemble((f"{mark} ", style), (one.name, "bold" if one.refused else _BAD)),
        Text(one.verdict, style),
        Text(one.layer, style),
        Text(clean(one.reason), style, overflow="fold"),
        Text(one.about, "dim", overflow="fold"),
    )


class _Rows:
    """The rows as a table; what is altered stands in a column, or under its name where there is no room."""

    def __init__(self, made: tuple[Row, ...]) -> None:
        self._rows = made

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide = options.max_width >= _WIDE
        if not wide:
            yield from self._list()
            return
        table = Table(box=SIMPLE_HEAD, pad_edge=False, expand=False)
        for name in ("alteration", "verdict", "refused by"):
            table.add_column(name, no_wrap=True)
        table.add_column("reason", overflow="fold", max_width=44)
        table.add_column("what is altered", overflow="fold")
        for one in self._rows:
            table.add_row(*_cells(one))
        yield table

    def _list(self) -> RenderResult:
        yield Text("")
        for one in self._rows:
            name, verdict, layer, reason, about = _cells(one)
            yield Text.assemble(name, "  ", verdict, " by ", layer, ": ", reason, overflow="fold")
            yield Text.assemble("   ", about, overflow="fold")
        yield Text("")


def _listed(title: str, entries: tuple[str, ...], style: str) -> list[RenderableType]:
    if not entries:
        return []
    return [
        Text(title, f"bold {style}"),
        *(Text(f"  {clean(one)}", style, overflow="fold") for one in entries),
        Text(""),
    ]


def render_rehearsal_terminal(rehearsal: Rehearsal) -> RenderableType:
    """Headline, table, what did not apply, warnings, advice, and what it comes to."""
    made = rows(rehearsal)
    skipped = tuple(f"{name}: {why}" for name, why in not_applicable(rehearsal))
    parts: list[RenderableType] = [
        Text(headline(rehearsal), "bold"),
        Text(unaltered(rehearsal.unaltered), _GOOD if rehearsal.passed_unaltered else _BAD),
        *(Text(f"note: {clean(note)}", "dim") for note in rehearsal.notes),
        *([_Rows(made)] if made else [Text("")]),
        *_listed("Not applicable", skipped, "dim"),
        *_listed("Allowed, and no longer refused", rehearsal.warnings, "yellow"),
        *_listed("What to change", rehearsal.advice, "red"),
        Text(conclusion(rehearsal), f"bold {_GOOD}" if rehearsal.refuses else _BAD),
    ]
    return Group(*parts)
