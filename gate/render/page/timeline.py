"""The timeline: a picture in lanes, and everything in it as a table for whoever cannot see pictures. Pure."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from gate.outcomes import LAYERS, Outcome
from gate.render.page.happenings import (
    MOST,
    Look,
    began,
    endpoints,
    happenings,
    look_of,
    operations,
    said_by,
)
from gate.render.page.markup import SPACE, Html, element, join, moment, table, text
from gate.render.page.subject import Subject
from gate.render.words import symbol, utc
from gate.verdict import Verdict

_WIDE = 1000
_NARROWEST = 4
# Height and place of a bar in a lane of 20: what differs in colour differs in shape as well.
_SHAPES = {
    Outcome.PENDING: (8, 4),
    Outcome.PASSED: (4, 12),
    Outcome.SUPERSEDED: (4, 12),
    Outcome.HELD: (2, 16),
    Outcome.FAILED: (0, 20),
}


_Said = tuple[Outcome, str]


@dataclass(frozen=True)
class _Bar:
    """From when until when something was so, and in words what."""

    start: datetime
    end: datetime
    outcome: Outcome
    title: str


def _layer_bars(verdict: Verdict) -> Iterator[tuple[str, list[_Bar]]]:
    for layer in LAYERS:
        turns = [one for one in verdict.timeline if one.layer is layer]
        ends = [one.at for one in turns[1:]] + [verdict.at]
        yield (
            layer.value,
            [
                _Bar(one.at, end, one.outcome, f"{one.outcome.value}: {one.reason.value}")
                for one, end in zip(turns, ends, strict=True)
            ],
        )


def _operation_bars(looks: tuple[Look, ...], end: datetime) -> list[_Bar]:
    phases = {"Succeeded": Outcome.PASSED, "Failed": Outcome.FAILED, "Error": Outcome.FAILED}
    return [
        _Bar(
            state.started_at,
            state.finished_at or end,
            phases.get(state.phase or "", Outcome.PENDING),
            f"operation {state.phase}",
        )
        for _, state in operations(looks)
        if state.started_at is not None
    ]


def _stretches(looks: tuple[Look, ...], end: datetime, say: Callable[[Look], _Said | None]) -> list[_Bar]:
    """What each look saw, standing until the next one."""
    bars = []
    for number, look in enumerate(looks):
        said = say(look)
        until = looks[number + 1].moment.now if number + 1 < len(looks) else end
        if said is not None:
            bars.append(_Bar(look.moment.now, until, *said))
    return bars


def _pods(look: Look) -> _Said | None:
    found = look.deployments
    if not found:
        return None
    ready = sum((one.status.ready_replicas or 0) if one.status is not None else 0 for one in found)
    wanted = sum(one.spec.replicas or 0 for one in found)
    outcome = Outcome.PASSED if ready == wanted > 0 else Outcome.HELD if ready == 0 else Outcome.PENDING
    return outcome, f"{ready} of {wanted} replicas ready"


def _ends(look: Look) -> _Said | None:
    found = endpoints(look)
    if not found:
        return None
    ready = sum(one for one, _ in found.values())
    return (Outcome.PASSED if ready > 0 else Outcome.HELD), f"{ready} endpoints ready"


def _answers(look: Look) -> _Said | None:
    responses = look.moment.responses
    if not responses:
        return None
    bad = any(one.error is not None or one.status is None or one.status >= 400 for one in responses)
    said = "; ".join(dict.fromkeys(said_by(one) for one in responses))
    return (Outcome.FAILED if bad else Outcome.PASSED), said


def _picture(bars: list[_Bar], start: datetime, end: datetime) -> Html:
    whole = max((end - start) / timedelta(seconds=1), 1.0)

    def place(at: datetime) -> float:
        return min(max((at - start) / timedelta(seconds=1) / whole, 0.0), 1.0) * _WIDE

    made = []
    for bar in bars:
        top, height = _SHAPES[bar.outcome]
        left, right = place(bar.start), place(bar.end)
        left = min(left, _WIDE - _NARROWEST)
        made.append(
            element(
                "rect",
                x=f"{left:.1f}",
                y=str(top),
                width=f"{max(right - left, _NARROWEST):.1f}",
                height=str(height),
                class_=f"bar {bar.outcome.value}",
            )
        )
    return element(
        "svg", *made, viewBox=f"0 0 {_WIDE} 20", preserveAspectRatio="none", aria_hidden="true", focusable="false"
    )


def _lanes(verdict: Verdict, looks: tuple[Look, ...]) -> Html:
    start, end = began(verdict, looks), verdict.at
    lanes = [
        *_layer_bars(verdict),
        ("operation", _operation_bars(looks, end)),
        ("Pods", _stretches(looks, end, _pods)),
        ("endpoints", _stretches(looks, end, _ends)),
        ("requests", _stretches(looks, end, _answers)),
    ]
    rows = [
        element("div", element("span", text(name)), _picture(bars, start, end), class_="lane")
        for name, bars in lanes
        if bars
    ]
    scale = element(
        "div",
        element("span"),
        element("div", moment(start, seconds_only=True), moment(end, seconds_only=True), class_="scale"),
        class_="lane",
    )
    key = element(
        "p",
        text("Thin: pending. Medium: passed. High with a dashed edge: held. Full height: failed. Times are UTC."),
        class_="quiet",
    )
    return element("div", join(rows), scale, key, class_="lanes")


def _after(at: datetime, start: datetime) -> str:
    seconds = (at - start) / timedelta(seconds=1)
    return f"{'-' if seconds < 0 else '+'}{abs(seconds):.1f} s"


def render_timeline(subject: Subject) -> Html:
    """The lanes, and below them everything that happened, in order."""
    looks = tuple(map(look_of, subject.moments))
    found = happenings(subject.verdict, looks)
    start = began(subject.verdict, looks)
    rows = []
    for one in found:
        word = element("span", text(symbol(one.outcome) if one.outcome else "·"), aria_hidden="true")
        class_ = one.outcome.value if one.outcome is not None else "plain"
        day = utc(one.at).date() == utc(start).date()
        rows.append(
            (
                moment(one.at, seconds_only=day),
                text(_after(one.at, start)),
                text(one.kind),
                element("span", word, SPACE, text(one.what, 500), class_=f"said {class_}"),
            )
        )
    parts = [_lanes(subject.verdict, looks)] if subject.verdict.timeline else []
    if len(found) == MOST:
        parts.append(element("p", text(f"Only the last {MOST} lines are shown.")))
    if subject.cut:
        parts.append(element("p", text(subject.cut)))
    return join([*parts, table("What happened, in order", ("Time (UTC)", "After", "What", "Said"), rows, "times")])
