"""What a look at a set-up found, for a terminal. Import it only where there is one: rich is slow to import."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from gate.render.findings import Checkup, Finding, Level, add_to, conclusion, grouped, kept_indent
from gate.render.text import clean

_STYLES = {Level.OK: "green", Level.WARNING: "yellow", Level.PROBLEM: "bold red"}
_MARKS = {Level.OK: "✅ ", Level.WARNING: "🔶 ", Level.PROBLEM: "❌ "}
_INDENT, _LINES = (0, 0, 0, 3), (0, 0, 0, 5)


def render_findings_terminal(checkup: Checkup) -> RenderableType:
    """Headings, findings below them, and what it comes to."""
    parts: list[RenderableType] = []
    for about, findings in grouped(checkup.findings).items():
        parts.append(Text(clean(about), "bold"))
        for one in findings:
            parts += _entry(one)
        parts.append(Text(""))
    worst = next((level for level in (Level.PROBLEM, Level.WARNING) if checkup.count(level) > 0), Level.OK)
    return Group(*parts, Text(conclusion(checkup), f"bold {_STYLES[worst].removeprefix('bold ')}"))


def _entry(one: Finding) -> Iterator[RenderableType]:
    """Mark and text; a text that takes several lines keeps clear of the mark."""
    style = "" if one.level is Level.OK else _STYLES[one.level]
    grid = _beside(Text(_MARKS[one.level]), Text(clean(one.seen), style, overflow="fold"))
    yield grid
    if one.add:
        yield Padding(Text(add_to(one), "dim", overflow="fold"), _INDENT, expand=False)
        yield from (Padding(Text(kept_indent(line), "cyan", overflow="fold"), _LINES, expand=False) for line in one.add)


def _beside(mark: Text, text: Text) -> RenderableType:
    from rich.table import Table

    grid = Table.grid(padding=0)
    grid.add_column(width=3)
    grid.add_column(overflow="fold")
    grid.add_row(mark, text)
    return grid
