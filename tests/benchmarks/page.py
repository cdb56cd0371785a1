"""The page docs/benchmarks.md, from the parts that were measured."""

from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.machine import machine, versions
from tests.benchmarks.results import Part, Row

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"
_MET = {True: "met", False: "**missed**", None: ""}


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _table(rows: Sequence[Row]) -> list[str]:
    lines = ["| what | bar | measured | |", "| --- | --- | --- | --- |"]
    return lines + [
        f"| {_cell(row.what)} | {_cell(row.bar)} | {_cell(row.measured)} | {_MET[row.met]} |" for row in rows
    ]


def _missed(parts: Sequence[Part], absent: Sequence[str]) -> list[str]:
    found = [f"* {part.title}: {row.what}: {row.measured}; the bar is {row.bar}." for part in parts for row in part.rows
             if row.met is False]  # fmt: skip
    found += [f"* {name}: not measured." for name in absent]
    met = sum(row.met is True for part in parts for row in part.rows)
    return [f"{met} bars are met. Missed:", "", *found] if found else [f"All {met} bars are met."]


def render_page(parts: Sequence[Part], absent: Sequence[str]) -> str:
    """The whole page. ``absent`` names the parts that were never measured."""
    lines = [
        "# Benchmarks",
        "",
        "Written by `make bench` (`python -m tests.benchmarks`; `--offline` leaves the real cluster out). Do not edit.",
        "",
        f"Machine: {machine()}. {versions()}.",
        "",
        "Each part names its load average: two cores are busy at 2, and what is above that took time from the gate.",
        "",
        "## What was missed",
        "",
        *_missed(parts, absent),
    ]
    for part in parts:
        lines += ["", f"## {part.title}", "", part.how, "", f"Measured on {part.date}; load average {part.load}.", ""]
        lines += _table(part.rows)
        if part.notes:
            lines += ["", *[f"* {note}" for note in part.notes]]
    return "\n".join(lines) + "\n"
