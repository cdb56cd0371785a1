"""Writes docs/comparison.md: what the gate and other tools say about the same situations.

`python -m tests.cluster.comparison` plays the story on the cluster that runs, or starts one for the time.
"""

import os
import platform
import sys
import tempfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from gate import __version__
from tests.cluster.harness import Harness, lifecycle
from tests.cluster.harness.baselines import Answer, Words
from tests.cluster.recording import versions_of
from tests.cluster.story.all_tales import LIVE, TALES
from tests.cluster.story.play import PATIENCE, Outcome, play

PAGE = Path(__file__).parents[2] / "docs" / "comparison.md"
TRUTHS = {"pass": "pass, once it is there", "fail": "fail", "hold": "do not pass", "superseded": "superseded"}
_SLACK = 0.5
"""Seconds that a tool may be ahead of our own look at the cluster, which is taken every 0.3 s."""
_SIDE_BY_SIDE = 3
"""Fewer than in the tests: the times are to be read."""

Judgement = Literal["right", "wrong", "late", "not asked"]


class Cell(NamedTuple):
    """What one tool said, in words, and how that compares with the true answer."""

    said: str
    judgement: Judgement


def judge_tool(outcome: Outcome, answer: Answer) -> Cell:
    """A tool that waits and then answers.

    A pass is right only where the release is there by then. Any other answer is right where nothing
    should pass; for a broken release an end without an answer is late. A tool that knows no commit
    is not asked about an older one.
    """
    truth, there = outcome.act.truth, outcome.there_after
    said = _said(answer)
    if truth == "superseded":
        return Cell("knows no commit", "not asked")
    if truth == "pass":
        early = there is None or answer.seconds < there - _SLACK
        if answer.verdict == "pass":
            return Cell(f"{said}, {there:.1f} s before it was there" if early and there else said, _right(not early))
        return Cell(said, "late" if answer.verdict == "timeout" else "wrong")
    if answer.verdict == "pass":
        return Cell(said, "wrong")
    return Cell(said, "late" if truth == "fail" and answer.verdict == "timeout" else "right")


def judge_words(outcome: Outcome) -> Cell:
    """A script that reads the two words once, right after the change, and takes Synced and Healthy for a pass."""
    truth, there = outcome.act.truth, outcome.there_after
    words = outcome.words_before
    if truth == "superseded":
        return Cell("knows no commit", "not asked")
    passes = words.verdict == "pass"
    if truth == "pass":
        return Cell(_words(words), _right(passes == (there is not None and there < _SLACK)))
    return Cell(_words(words), _right(not passes))


def judge_gate(outcome: Outcome) -> Cell:
    """The gate itself, against the table that was written by hand."""
    result = outcome.said.result
    where = result.get("failed-layer") or ""
    said = f"{result.get('verdict')}: {result.get('reason')}{f' ({where})' if where else ''}"
    return Cell(f"{said}, {outcome.said.seconds:.1f} s", _right(outcome.right))


def _right(yes: bool) -> Judgement:
    return "right" if yes else "wrong"


def _said(answer: Answer) -> str:
    words = {"pass": "pass", "fail": "fail", "timeout": "no answer", "error": "error"}
    return f"{words[answer.verdict]} after {answer.seconds:.1f} s"


def _words(words: Words) -> str:
    return f"{words.sync or '(none)'}, {words.health or '(none)'}"


_MARKS = {"right": "", "wrong": "**", "late": "*", "not asked": ""}


def _cell(cell: Cell) -> str:
    mark = _MARKS[cell.judgement]
    return f"{mark}{cell.said}{mark}"


def _rows(outcomes: list[Outcome]) -> list[list[Cell]]:
    return [
        [judge_gate(one), judge_tool(one, one.argocd), judge_tool(one, one.kubectl), judge_words(one)]
        for one in outcomes
    ]


NAMES = ("gate check", "argocd app wait", "kubectl rollout status", "Synced and Healthy")


def _counts(rows: list[list[Cell]]) -> list[str]:
    lines = ["| asked | right | late | wrong | not asked |", "| --- | --- | --- | --- | --- |"]
    for column, name in enumerate(NAMES):
        counts = Counter(row[column].judgement for row in rows)
        numbers = " | ".join(str(counts[word]) for word in ("right", "late", "wrong", "not asked"))
        lines.append(f"| {name} | {numbers} |")
    return lines


def _head(versions: str, outcomes: list[Outcome], rows: list[list[Cell]]) -> str:
    passing = sum(1 for one in outcomes if one.act.truth == "pass")
    wrong = [one.act.situation for one, row in zip(outcomes, rows, strict=True) if row[0].judgement != "right"]
    fails = "" if not wrong else f" It was wrong about: {'; '.join(wrong)}."
    return f"""# What passes that should not

The same {len(outcomes)} situations, asked of the gate and of what people use in its place, on a real cluster:
{versions}, promotion-gate {__version__}, on {datetime.now(UTC):%d %B %Y}
({platform.machine()}, {os.cpu_count()} cores, three situations side by side).
In {passing} of them the right answer is a pass.{fails}

The true answer of each was written with the situation, before the gate was asked; whether a
release was there was looked at from outside, three times a second.

Written by `python -m tests.cluster.comparison`; the situations are those of `tests/cluster/story`.

## How each was asked

All at the same moment, right after the change.

* **gate check**: as a process with a read-only account and a configuration that asks the Service
  for its release. It is right when verdict, reason and layer are those of the table, and a pass did
  not come before the release was there.
* **argocd app wait** `NAME --sync --health --operation --timeout N` and **kubectl rollout status**
  `deployment/NAME --timeout=Ns`, with N what the gate was given, at most {PATIENCE} s.
* **Synced and Healthy**: a script that reads Argo CD's two words once and takes them for a pass.

A pass is wrong where the release is not there by then, and where the right answer is not a pass.
Where nothing should pass, any other answer counts as right, for it blocks; an end without an answer
about a broken release, or about a good one, is *late*; a failure or an error about a good one is
wrong. None of the others knows a commit, so that they cannot be asked about an older one.

"""


def _table(outcomes: list[Outcome], rows: list[list[Cell]]) -> list[str]:
    lines = [
        f"| situation | true answer | {' | '.join(NAMES)} |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for one, row in zip(outcomes, rows, strict=True):
        cells = " | ".join(_cell(cell) for cell in row)
        lines.append(f"| {one.act.situation} | {TRUTHS[one.act.truth]} | {cells} |")
    return lines


_TAIL = """
## What this does not show

* Argo CD compares every 10 s here, to keep the tests short; by default it is every 120 to 180 s. The first moments
  after a change look the same, waits for the next comparison are longer.
* The situations were chosen because they are hard to tell; the counts are no rates of everyday life.
* One small stateless release, one Application at a time, one node. No Helm chart, no ApplicationSet, no traffic.
* The others were asked as most pipelines ask them. `argocd app sync` before it, a check of the revision, or a request
  afterwards make some of these answers right; each is a step that somebody has to write and keep.
* `argocd app wait` waits for what it finds: where it is asked before Argo CD has seen the change, it answers about
  the release before. Asked a second later it may be right. The table shows what was said, once.
* Situations that the gate holds although a person may know better (a stray Pod that is meant to be there, a paused
  rollout) count as right, because it says what it saw and does not pass.
* A StatefulSet is held for want of a rule: the gate does not judge it yet.
"""


def render_page(versions: str, outcomes: list[Outcome]) -> str:
    """The whole page."""
    rows = _rows(outcomes)
    parts = [
        _head(versions, outcomes, rows) + "## Counts\n",
        "\n".join(_counts(rows)),
        "\n## Situations\n\n**Bold** is wrong, *italic* is late.\n",
        "\n".join(_table(outcomes, rows)),
        _TAIL,
    ]
    return "\n".join(parts)


def main() -> int:
    """Play all tales and write the page; 1 where a tale broke off, and then no page is written."""
    with Harness(keep=lifecycle.running() is not None) as harness, tempfile.TemporaryDirectory() as folder:
        told = play(harness, TALES, Path(folder), set(LIVE), _SIDE_BY_SIDE)
        broken = {name: error for name, future in told.items() if (error := future.exception()) is not None}
        for name, error in broken.items():
            print(f"the tale {name} was not told to its end: {error}", file=sys.stderr)
        if broken:
            return 1
        outcomes = [one for tale in TALES for one in told[tale.name].result()]
        PAGE.write_text(render_page(versions_of(harness), outcomes))
    for one in outcomes:
        if not one.right:
            print(f"{one.act.name}: the gate is not right: {one.said.result or one.said.log}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
