"""The run as a mermaid picture: for each layer, which reason stood for how long. Pure.

Only words of our own go into it (layers, outcomes, reasons, times), and each of them is made
harmless all the same.
"""

from datetime import datetime, timedelta

from gate.outcomes import LAYERS, Layer, Outcome
from gate.render.text import fenced, label
from gate.render.words import full_time, utc
from gate.verdict import Transition, Verdict

# What mermaid's gantt knows: done is grey, active is coloured, crit is red.
_TAGS: dict[Outcome, str] = {
    Outcome.PASSED: "done",
    Outcome.PENDING: "active",
    Outcome.SUPERSEDED: "crit",
    Outcome.HELD: "crit",
    Outcome.FAILED: "crit",
}
_SHORTEST = timedelta(seconds=1)


def render_timeline(verdict: Verdict, most: int = 60) -> str:
    """A fenced mermaid gantt of the last ``most`` changes; empty text when there were none."""
    kept = verdict.timeline[-most:]
    if len(kept) == 0:
        return ""
    lines = ["gantt", "    dateFormat YYYY-MM-DD HH:mm:ss", "    axisFormat %H:%M:%S"]
    left = len(verdict.timeline) - len(kept)
    lines.append(f"    title {label(_title(verdict, left), 100)}")
    for layer in LAYERS:
        lines.extend(_section(layer, [one for one in kept if one.layer is layer], verdict.at))
    return fenced(tuple(lines), "mermaid", indented=True)


def _title(verdict: Verdict, left: int) -> str:
    more = f" ({left} earlier changes left out)" if left > 0 else ""
    day = full_time(verdict.at)[:10]
    return f"What each layer said on {day} in UTC{more}"


def _section(layer: Layer, changes: list[Transition], end: datetime) -> list[str]:
    if not changes:
        return []
    lines = [f"    section {layer.value}"]
    for number, one in enumerate(changes):
        following = changes[number + 1].at if number + 1 < len(changes) else end
        until = max(utc(following), utc(one.at) + _SHORTEST)
        name = label(f"{one.outcome.value} {one.reason.value}")
        times = f"{utc(one.at):%Y-%m-%d %H:%M:%S}, {until:%Y-%m-%d %H:%M:%S}"
        lines.append(f"    {name} :{_TAGS[one.outcome]}, {layer.value}{number}, {times}")
    return lines
