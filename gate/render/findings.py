"""What a look at a set-up found, in words: one entry for each thing, with the lines to add. Pure."""

import json
from collections.abc import Iterable, Iterator
from enum import StrEnum

from gate.render.text import clean, log
from gate.verdict import Answered, Text

_MARGIN = "           "


class Level(StrEnum):
    """How a finding is to be taken: a problem keeps the gate from passing, or its verdict from counting."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


class Finding(Answered):
    """One thing that was looked at, under the heading ``about``.

    ``add`` are lines as they are to be written, ``to`` says what to do with them: add to a file, run.
    """

    about: Text
    level: Level
    seen: Text
    add: tuple[Text, ...] = ()
    to: Text = ""


class Checkup(Answered):
    """All that was found about one environment."""

    environment: str
    findings: tuple[Finding, ...]

    def count(self, level: Level) -> int:
        """How many findings are of this level."""
        return sum(1 for one in self.findings if one.level is level)

    @property
    def sound(self) -> bool:
        """Whether something was looked at and none of it is a problem."""
        return len(self.findings) > 0 and self.count(Level.PROBLEM) == 0


def ok(about: str, seen: str) -> Finding:
    """Something is as it should be."""
    return Finding(about=about, level=Level.OK, seen=seen)


def warning(about: str, seen: str, *add: str, to: str = "") -> Finding:
    """Something is worth knowing, or could not be looked at."""
    return Finding(about=about, level=Level.WARNING, seen=seen, add=add, to=to)


def problem(about: str, seen: str, *add: str, to: str = "") -> Finding:
    """Something has to be changed."""
    return Finding(about=about, level=Level.PROBLEM, seen=seen, add=add, to=to)


def kept_indent(line: str) -> str:
    """A line to add, made harmless, with its indentation."""
    bare = line.lstrip(" ")
    return " " * (len(line) - len(bare)) + " ".join(log(bare))


def grouped(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    """The findings under their headings, in the order in which these first came."""
    groups: dict[str, list[Finding]] = {}
    for one in findings:
        groups.setdefault(one.about, []).append(one)
    return groups


def conclusion(checkup: Checkup) -> str:
    """The last line: how many of what."""
    counts = [(checkup.count(Level.PROBLEM), "problem"), (checkup.count(Level.WARNING), "warning")]
    said = [f"{count} {word}{'' if count == 1 else 's'}" for count, word in counts if count > 0]
    fine = f"{checkup.count(Level.OK)} of {len(checkup.findings)} as they should be"
    return f"{clean(checkup.environment, 80)}: {', '.join([*said, fine])}."


def render_findings_lines(checkup: Checkup) -> tuple[str, ...]:
    """All of it as plain lines, for a pipe or a log."""
    lines: list[str] = []
    for about, findings in grouped(checkup.findings).items():
        lines.append(" ".join(log(about)))
        for one in findings:
            lines += _entry(one)
        lines.append("")
    return (*lines, " ".join(log(conclusion(checkup))))


def _entry(one: Finding) -> Iterator[str]:
    yield f"  {one.level.value:<8} {' '.join(log(one.seen))}"
    if one.add:
        yield f"{_MARGIN}{add_to(one)}"
        yield from (f"{_MARGIN}  {kept_indent(line)}" for line in one.add)


def add_to(one: Finding) -> str:
    """What to do with the lines of a finding."""
    return f"{' '.join(log(one.to))}:" if one.to else "add:"


def render_findings_json(checkup: Checkup) -> str:
    """One JSON object of ASCII, with texts made harmless."""
    values = checkup.model_dump(mode="json", by_alias=True)
    for one in values["findings"]:
        one |= {"about": clean(one["about"]), "seen": clean(one["seen"]), "to": clean(one["to"])}
        one["add"] = [kept_indent(line) for line in one["add"]]
    values |= {"problems": checkup.count(Level.PROBLEM), "warnings": checkup.count(Level.WARNING)}
    return json.dumps(values, indent=2).replace("##[", "##\\u005b")
