"""A rehearsal as a table for a terminal. Import it only where standard output is one: rich is slow to import."""

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.text import Text

from gate.rehearsal.results import Rehearsal
from gate.render.rehearsal import Row, conclusion, headline, not_applicable, not_tried, rows, unaltered
from gate.render.text import clean

_WIDE = 110
"""Columns from which on everything stands in columns."""

_GOOD, _BAD = "green", "bold red"
_INDENT = (0, 0, 0, 3)


class _Rows:
    """The rows in columns where there is room for them; what is altered stands below."""

    def __init__(self, made: tuple[Row, ...]) -> None:
        self._rows = made

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide = options.max_width >= _WIDE
        names = max(len(one.name) for one in self._rows) if wide else 0
        said = max(len(_refused_by(one)) for one in self._rows) if wide else 0
        yield Text(f"\n   {'alteration':<{names}}  {'refused':<{said}}  reason" if wide else "", "dim")
        for one in self._rows:
            yield from self._row(one, names, said, options.max_width)
        yield Text("")

    def _row(self, one: Row, names: int, said: int, width: int) -> RenderResult:
        style, reason = (_GOOD if one.refused else _BAD), clean(one.reason)
        mark = "✅ " if one.refused else "❌ "
        name = (f"{one.name:<{names}}", "bold" if one.refused else _BAD)
        line = Text.assemble(mark, name, (f"  {_refused_by(one):<{said}}", style), overflow="fold")
        if line.cell_len + 2 + len(reason) <= width:
            yield line.append(f"  {reason}", style)
        else:
            yield line
            yield Padding(Text(reason, style, overflow="fold"), _INDENT, expand=False)
        yield Padding(Text(one.about, "dim", overflow="fold"), _INDENT, expand=False)


def _refused_by(one: Row) -> str:
    return f"{one.verdict} by {one.layer}" if one.refused else f"{one.verdict}, {one.layer}"


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
    lost = tuple(f"{name}: {why}" for name, why in not_tried(rehearsal))
    parts: list[RenderableType] = [
        Text(headline(rehearsal), "bold"),
        Text(unaltered(rehearsal.unaltered), _GOOD if rehearsal.passed_unaltered else _BAD),
        *(Text(f"note: {clean(note)}", "dim") for note in rehearsal.notes),
        *([_Rows(made)] if made else [Text("")]),
        *_listed("Not applicable", skipped, "dim"),
        *_listed("Not tried", lost, "red"),
        *_listed("Warnings", rehearsal.warnings, "yellow"),
        *_listed("What to change", rehearsal.advice, "red"),
        Text(conclusion(rehearsal), f"bold {_GOOD}" if rehearsal.refuses else _BAD),
    ]
    return Group(*parts)
