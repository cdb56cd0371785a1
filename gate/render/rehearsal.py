"""A rehearsal in words: the same rows for a pipe and for a terminal. Pure; texts from outside are made harmless."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gate.outcomes import VerdictWord
from gate.rehearsal.results import Judged, NotTried, Rehearsal, Tried
from gate.render.text import clean, log

STARTS = {
    "generated": "evidence made up from the configuration alone",
    "recorded": "evidence from a file",
    "live": "evidence read from the cluster",
}
"""Where the evidence came from, in words."""

NOT_REFUSED = "NOT REFUSED"
NOT_TRIED = "NOT TRIED"
_BETWEEN = "two bundles"
_SHOWN = 3
_WIDEST = 40


@dataclass(frozen=True)
class Row:
    """One line of the table: several subjects of an alteration, or several fields, are one."""

    name: str
    about: str
    refused: bool
    verdict: str
    layer: str
    reason: str


def _counted(texts: Iterable[str], *, numbers: bool) -> str:
    """The texts, each once, the most frequent first; more than three are cut."""
    counts = Counter(texts).most_common()
    shown = [f"{text} {count}" if numbers and len(counts) > 1 else text for text, count in counts]
    return ", ".join(shown[:_SHOWN]) + (", ..." if len(shown) > _SHOWN else "")


def _row(name: str, listed: list[Tried | NotTried]) -> Row:
    grouped = listed[0].group != listed[0].name
    several = "" if len(listed) == 1 else f" ({len(listed)})"
    about = f"each of {len(listed)} fields that a pass rests on, missing in turn" if grouped else listed[0].about
    tried = [one for one in listed if isinstance(one, Tried)]
    passing, lost = [one for one in tried if not one.refused], [one for one in listed if isinstance(one, NotTried)]
    which = ", ".join(one.name if grouped else clean(one.subject, 80) for one in (passing or lost)[:_SHOWN])
    if passing:
        reason = f"{passing[0].reason.value}{f': {which}' if which else ''}"
        return Row(name, about, refused=False, verdict=passing[0].verdict.value, layer=NOT_REFUSED, reason=reason)
    if lost:
        return Row(name, about, refused=False, verdict="none", layer=NOT_TRIED, reason=which or "see below")
    layer = _counted((one.failed_layer or _BETWEEN for one in tried), numbers=False)
    reason = _counted((one.reason.value for one in tried), numbers=grouped)
    verdict = _counted((one.verdict.value for one in tried), numbers=False)
    return Row(f"{name}{several}", about, refused=True, verdict=verdict, layer=layer, reason=reason)


def rows(rehearsal: Rehearsal) -> tuple[Row, ...]:
    """The lines of the table, in the order in which things were tried; what could not be tried at all comes last."""
    groups: dict[str, list[Tried | NotTried]] = {}
    listed: tuple[Tried | NotTried, ...] = (*rehearsal.alterations, *rehearsal.not_tried)
    for one in listed:
        groups.setdefault(one.group, []).append(one)
    return tuple(_row(name, tried) for name, tried in groups.items())


def not_applicable(rehearsal: Rehearsal) -> tuple[tuple[str, str], ...]:
    """(name, why) of what there was nothing to alter for; fields that are not there for one reason are one."""
    return _listed((one.group, one.why) for one in rehearsal.not_applicable)


def not_tried(rehearsal: Rehearsal) -> tuple[tuple[str, str], ...]:
    """(name, why and what to do) of what could not be tried; fields that failed in one way are one."""
    return _listed((one.group, f"{one.why}; {one.change}") for one in rehearsal.not_tried)


def _listed(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    found = Counter((name, clean(why, 400)) for name, why in pairs)
    return tuple((name if count == 1 else f"{name} ({count})", why) for (name, why), count in found.items())


def headline(rehearsal: Rehearsal) -> str:
    """The first line: of which environment, from what."""
    return f"Rehearsal of {clean(rehearsal.environment, 80)}, with {STARTS[rehearsal.start]}."


def unaltered(judged: Judged) -> str:
    """What became of the evidence as it was."""
    where = f" at {judged.failed_layer}" if judged.failed_layer else ""
    if judged.verdict is VerdictWord.PASSED:
        return f"Unaltered it passes ({judged.reason.value})."
    return f"Unaltered it does not pass: {judged.verdict.value}{where}: {judged.reason.value}: {clean(judged.message)}"


def conclusion(rehearsal: Rehearsal) -> str:
    """The last line: whether the configuration can be trusted."""
    tried = len(rehearsal.alterations)
    if not rehearsal.passed_unaltered:
        return "Nothing was altered: where the unaltered evidence is refused, refusing the altered would show nothing."
    lost = f"{len(rehearsal.not_tried)} could not be tried" if rehearsal.not_tried else ""
    if rehearsal.passing:
        names = ", ".join(dict.fromkeys(one.name for one in rehearsal.passing))
        said = f"{NOT_REFUSED}: {len(rehearsal.passing)} of {tried} alterations passed: {names}"
        return f"{said}; {lost}." if lost else f"{said}."
    if rehearsal.not_tried:
        names = ", ".join(dict.fromkeys(one.name for one in rehearsal.not_tried))
        return f"{NOT_TRIED}: {lost}, so that nobody knows whether they would be refused: {names}."
    skipped = len(rehearsal.not_applicable)
    left = f"; {skipped} {'does' if skipped == 1 else 'do'} not apply" if skipped else ""
    mend = "; but the configuration has to be mended, as said above" if rehearsal.advice else ""
    every = "The one alteration was" if tried == 1 else f"All {tried} alterations were"
    return f"{every} refused{left}{mend}."


def render_rehearsal_lines(rehearsal: Rehearsal) -> tuple[str, ...]:
    """The whole rehearsal as plain lines, for a pipe or a log."""
    before = [headline(rehearsal), unaltered(rehearsal.unaltered), *(f"note: {note}" for note in rehearsal.notes)]
    after = [f"not applicable: {name}: {why}" for name, why in not_applicable(rehearsal)]
    after += [f"not tried: {name}: {why}" for name, why in not_tried(rehearsal)]
    after += [f"warning: {warning}" for warning in rehearsal.warnings]
    after += [f"advice: {advice}" for advice in rehearsal.advice]
    harmless = (" ".join(log(line)) for line in (*after, conclusion(rehearsal)))
    return (*(" ".join(log(line)) for line in before), *_table(rows(rehearsal)), *harmless)


def _table(made: tuple[Row, ...]) -> Iterator[str]:
    if not made:
        return
    head = ("alteration", "verdict", "refused by", "reason", "what is altered")
    lines = [head, *((one.name, one.verdict, one.layer, one.reason, one.about) for one in made)]
    widths = [max(len(line[column]) for line in lines if len(line[column]) <= _WIDEST) for column in range(4)]
    for line in lines:
        cells = [f"{cell:<{width}}" for cell, width in zip(line, (*widths, 0), strict=True)]
        yield "  ".join(cells).rstrip()


def render_rehearsal_json(rehearsal: Rehearsal) -> str:
    """One JSON object of ASCII, with texts made harmless."""
    values = rehearsal.model_dump(mode="json", by_alias=True)
    values["refuses"] = rehearsal.refuses
    return json.dumps(_cleaned(values), indent=2).replace("##[", "##\\u005b")


def _cleaned(value: object) -> object:
    if isinstance(value, dict):
        return {key: _cleaned(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    return clean(value) if isinstance(value, str) else value
