"""What a person sees of the laboratory: acts as they begin, the gate at work, verdicts, comments, the end.

On a terminal the gate's own table is drawn live and comments are framed; elsewhere everything is plain lines.
"""

import html
import os
import re
import textwrap
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TextIO

import click

from gate.adapters.runner.streams import write_openly
from gate.app.console import Lines, LiveTable, Screen, takes_codes
from gate.lab.reporting import Reported
from gate.lab.scenarios.act import Scenario
from gate.lab.serving import how_to
from gate.lab.stage import GRACE, SETTLE, Stage, progress_deadline
from gate.lab.told import Told
from gate.render.text import log
from gate.render.words import short_id
from gate.verdict import Verdict

_OPENING = f"""Promotion Gate's laboratory: a small Kubernetes, a model of Argo CD, a GitHub and the releases, on \
loopback, and before them the gate itself, as it runs in a workflow.
It proves the gate's decision, not Argo CD.
One replica with Recreate is there to make the fault visible; it is no advice.
Short on purpose: settle {SETTLE} and degraded-grace {GRACE} (in its promotion-gate.yaml), \
progressDeadlineSeconds %d (in the Deployment)."""

_FOLD = re.compile(r"<details><summary>(.*?)</summary>.*?</details>", re.DOTALL)
_TAG = re.compile(r"</?sub>")
_LINK = re.compile(r"(?<!!)\[([^]]+)]\(([^)\s]+)\)")


class _Brief(Lines):
    """As in a workflow log, without the report at the end: the comment says all of it."""

    def end(self, verdict: Verdict) -> None:
        """Say nothing more than what is said when it changes."""
        self.hear(verdict)


class Display:
    """Writes to one stream. ``evidence`` is the folder that evidence files go below."""

    def __init__(self, stream: TextIO, evidence: Path) -> None:
        self._stream, self._evidence = stream, evidence
        self._terminal = takes_codes(stream)

    def opening(self, speed: float = 1.0) -> None:
        """What this is, and what it is not."""
        self._say(_OPENING % progress_deadline(speed), dim=True)

    def scenario(self, scenario: Scenario) -> None:
        """A scenario begins."""
        self._say(f"\nScenario {scenario.name}: {scenario.line}", bold=True)

    def act(self, scenario: Scenario, number: int) -> None:
        """An act begins; ``number`` from 1."""
        self._say(f"\nAct {number} of {len(scenario.acts)}: {scenario.acts[number - 1].title}", bold=True)

    def typed(self, command: str) -> None:
        """A change of the world, or what is asked of the gate, as the command that makes it."""
        self._say(f"  $ {command}", whole=True, dim=True)

    def screen(self, deadline_at: Callable[[], datetime | None]) -> Screen:
        """What shows the gate while it waits."""
        return LiveTable(deadline_at, self._stream) if self._terminal else _Brief(self._stream)

    def told(self, told: Told) -> None:
        """A verdict: status, comment, evidence, and whether it is the expected one."""
        state, description = told.statuses[-1] if told.statuses else ("none", "")
        where = ", the head of the promotion pull request" if told.act.approval else ""
        self._say(f"  commit status on {short_id(told.commit)}{where}: {state}, {description}")
        if told.comment != "":
            self._markdown("comment on the pull request", told.comment)
        if told.evidence is None:
            self._say("  evidence: none could be written")
        else:
            self._say(f"  evidence: {told.evidence}, to be read as {told.evidence.with_suffix('.html').name}")
        self._held_against(told, f" (exit code {int(told.code)})")

    def reported(self, reported: Reported) -> None:
        """A recovery report: the gist of it, its files, and whether it is the expected one."""
        if reported.report is not None:
            self._markdown("the recovery report, in short", reported.gist)
        if reported.files:
            page, *others = reported.files
            self._say(f"  report: {page}, and beside it {' and '.join(one.name for one in others)}")
        self._held_against(reported)

    def _held_against(self, one: Told | Reported, ending: str = "") -> None:
        if one.differences:
            self._say(f"  NOT AS EXPECTED: {'; '.join(one.differences)}", fg="red", bold=True)
        else:
            self._say(f"  as expected, after {one.seconds:.1f} s{ending}", fg="green")

    def served(self, stage: Stage) -> None:
        """The laboratory stays: how to point one's own gate at it."""
        write_openly(self._stream, f"\n{how_to(stage)}\n")

    def closing(self, played: Sequence[Told | Reported]) -> None:
        """All verdicts and reports again, one line each."""
        self._say("")
        rows = [(f"{one.scenario.name}/{one.act.name}", *one.row[1:]) for one in played]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for one, row in zip(played, rows, strict=True):
            cells = "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
            mark = "as expected" if not one.differences else "NOT AS EXPECTED"
            self._print(f"  {one.row[0]} {cells}  {mark}{_not_published(one)}")
        wrong = sum(len(one.differences) > 0 for one in played)
        said = "all as expected" if wrong == 0 else f"{wrong} not as expected"
        told = [one for one in played if isinstance(one, Told)]
        many = " and ".join(filter(None, (_many(len(told), "verdict"), _many(len(played) - len(told), "report"))))
        there = "" if all(one.evidence is None for one in told) else f" Evidence, below this folder: {self._evidence}"
        self._say(f"\n{many}, {said}.{there}", bold=True)

    def cut_short(self, played: Sequence[Told | Reported]) -> None:
        """It ends before all was played: what there is of it stays."""
        if any(isinstance(one, Told) and one.evidence is not None for one in played):
            self._say(f"\nThe evidence of what was played stays, below this folder: {self._evidence}")

    def _markdown(self, title: str, text: str) -> None:
        shown = as_shown(text)
        if self._terminal:
            _frame(title, shown, self._stream)
        else:
            self._say(f"  {title}:")
            self._say(textwrap.indent(plain(shown), "  | ", lambda _: True))

    def _say(self, text: str, *, whole: bool = False, **style: bool | str) -> None:
        """Lines, broken between words where a terminal is too narrow; ``whole`` ones are to be copied."""
        for line in text.split("\n"):
            # What is shown may hold text from Git and the cluster; the indentation is ours.
            indent = line[: len(line) - len(line.lstrip())]
            harmless = "".join(log(line.strip()))
            for part in [harmless] if whole or not self._terminal else self._wrapped(harmless, indent):
                self._print(indent + part, **style)

    def _wrapped(self, line: str, indent: str) -> list[str]:
        columns = os.get_terminal_size(self._stream.fileno()).columns or 80
        width = max(columns - len(indent), 20)
        return textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""]

    def _print(self, line: str, **style: bool | str) -> None:
        click.secho(line, file=self._stream, color=self._terminal, **style)  # type: ignore[arg-type]


def _not_published(one: Told | Reported) -> str:
    """The exit code, where it is not that of the verdict: this one could not be published."""
    return f" (exit code {int(one.code)})" if isinstance(one, Told) and one.code != one.verdict.exit_code else ""


def _many(number: int, what: str) -> str:
    return "" if number == 0 else f"{number} {what}{'' if number == 1 else 's'}"


def _frame(title: str, text: str, stream: TextIO) -> None:
    """Markdown in a frame, for a terminal; rich is imported only here."""
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.panel import Panel

    Console(file=stream).print(Panel(Markdown(text), title=title, border_style="dim"))


def as_shown(comment: str) -> str:
    """A comment's Markdown as it looks on the page: folds are closed, links are their words."""
    folded = _FOLD.sub(lambda found: f"▸ {found[1]}", comment)
    return _LINK.sub(r"\1", _TAG.sub("", folded.replace("<br>\n", "  \n").replace("<br>", " ")))


def plain(markdown: str) -> str:
    """Markdown for reading as it is: without entities and invisible characters."""
    return html.unescape(markdown).replace("\u200b", "").strip()
