"""Which of an Application's sources carries the intended commit, and what the others must say. Pure."""

import re
from dataclasses import dataclass
from typing import Any

from gate.facts.application import Application
from gate.facts.upstream import is_full_id
from gate.layers.finding import Finding, Missing, held, need, pending
from gate.reasons import Reason

_VERSION = re.compile(r"v?\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?")
"""One chart version, whole: a part of one (0.5), a range or a tag can come to mean another chart."""


@dataclass(frozen=True)
class Source:
    """One source: its place, what it pins, and whether it must be at the intended commit."""

    index: int
    pin: str
    chart: bool
    gated: bool
    name: str


@dataclass(frozen=True)
class Sources:
    """All sources in order. ``many`` tells ``spec.sources`` from ``spec.source``."""

    items: tuple[Source, ...]
    many: bool

    @property
    def gated(self) -> tuple[Source, ...]:
        """The sources that must be at the intended commit; never empty."""
        return tuple(source for source in self.items if source.gated)

    def field(self, source: Source) -> str:
        """The spec path of a source's pin, for messages."""
        return f"spec.sources[{source.index}].targetRevision" if self.many else "spec.source.targetRevision"

    def expected(self, intended: str) -> tuple[str, ...]:
        """The revision each source must be synced at: the intended commit, or its own pin."""
        return tuple(intended if source.gated else source.pin for source in self.items)


def _text(raw: dict[str, Any], key: str, what: str, where: str) -> str:
    value = raw.get(key)
    if value is not None and not isinstance(value, str):
        raise Missing(held(Reason.EVIDENCE_UNREADABLE, f"{what}: {where}.{key} is not a text"))
    return need(value, what, f"{where}.{key}")


def _source(raw: dict[str, Any], index: int, what: str, where: str) -> Source:
    chart = raw.get("chart")
    name = raw.get("name")
    _text(raw, "repoURL", what, where)
    return Source(
        index=index,
        pin=_text(raw, "targetRevision", what, where),
        chart=isinstance(chart, str) and chart != "",
        gated=False,
        name=name if isinstance(name, str) else "",
    )


def _gate(source: Source) -> Source:
    return Source(source.index, source.pin, source.chart, gated=True, name=source.name)


def _choose(items: tuple[Source, ...], chosen: int | str, what: str) -> tuple[Source, ...]:
    matches = [source.index for source in items if chosen in (source.index, source.name)]
    if len(matches) != 1:
        raise Missing(
            held(Reason.SOURCE_ABSENT, f"{what}: no single entry of spec.sources is {chosen!r} by index or name")
        )
    return tuple(_gate(source) if source.index == matches[0] else source for source in items)


def read_sources(app: Application, chosen: int | str | None, intended: str, what: str) -> Sources:
    """The Application's sources with the gated ones marked.

    Raises Missing when there is no source, when the chosen one is not there, or when several
    Git sources are pinned differently and none was chosen.
    """
    if app.spec.sources is not None and len(app.spec.sources) > 0:
        raws = app.spec.sources
        items = tuple(_source(raw, index, what, f"spec.sources[{index}]") for index, raw in enumerate(raws))
        if chosen is not None:
            return Sources(_choose(items, chosen, what), many=True)
        git = [source for source in items if not source.chart]
        if not git:
            raise Missing(held(Reason.SOURCE_NOT_CHOSEN, f"{what}: none of spec.sources comes from Git"))
        if len({source.pin for source in git}) > 1:
            pins = ", ".join(f"[{source.index}] {source.pin}" for source in git)
            raise Missing(
                held(
                    Reason.SOURCE_NOT_CHOSEN,
                    f"{what}: its Git sources are pinned differently ({pins}); expected all at {intended}, "
                    "or source: in the configuration to choose one",
                )
            )
        return Sources(tuple(source if source.chart else _gate(source) for source in items), many=True)
    single = _source(need(app.spec.source, what, "spec.source"), 0, what, "spec.source")
    return Sources((_gate(single),), many=False)


def check_pins(sources: Sources, what: str) -> Finding | None:
    """Final ``held`` for a pin that can move: a branch, a tag, a short id, a chart range."""
    for source in sources.items:
        where = f"{what} {sources.field(source)}"
        if source.chart and not source.gated:
            if _VERSION.fullmatch(source.pin) is None:
                return held(
                    Reason.PIN_NOT_A_COMMIT,
                    f"{where} is {source.pin!r}; expected one whole chart version such as 1.2.3",
                    final=True,
                )
        elif not is_full_id(source.pin):
            return held(
                Reason.PIN_NOT_A_COMMIT,
                f"{where} is {source.pin!r}; expected a full commit id of 40 or 64 lower-case hex digits",
                final=True,
            )
    return None


def revisions(
    single: str | None, several: tuple[str, ...] | None, sources: Sources, what: str, where: str
) -> tuple[str, ...]:
    """The revision of every source as a status field gives it, in order.

    Raises Missing when it is absent, empty, or its length is not that of the sources.
    """
    if not sources.many:
        return (need(single, what, f"{where}.revision"),)
    found = need(several, what, f"{where}.revisions")
    if len(found) != len(sources.items):
        raise Missing(
            held(
                Reason.EVIDENCE_MISSING,
                f"{what}: {where}.revisions has {len(found)} entries; expected {len(sources.items)}, one a source",
            )
        )
    return tuple(need(item, what, f"{where}.revisions[{index}]") for index, item in enumerate(found))


def not_pinned(sources: Sources, intended: str, what: str) -> Finding | None:
    """Pending for a full pin that is another commit than the intended one."""
    for source in sources.gated:
        if source.pin != intended:
            return pending(
                Reason.NOT_PINNED,
                f"{what} {sources.field(source)} is {source.pin}; expected {intended}: it is not pinned to it",
            )
    return None
