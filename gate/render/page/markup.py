"""HTML as a type of its own: text becomes Html by escaping only. Pure."""

import html
import json
from collections.abc import Iterable
from datetime import datetime
from typing import NewType

from gate.render.text import clean
from gate.render.words import utc

Html = NewType("Html", str)
"""Markup that is safe to put into a page."""

SPACE = Html(" ")

_VOID = frozenset({"meta", "br"})


def text(value: str, limit: int | None = None) -> Html:
    """Any text as one visible line."""
    return Html(html.escape(clean(value, limit), quote=True))


def element(name: str, /, *children: Html, **attributes: str) -> Html:
    """One element. ``class_`` and ``for_`` lose their underscore, others become dashes."""
    given = "".join(f' {_attribute(key)}="{html.escape(value, quote=True)}"' for key, value in attributes.items())
    if name in _VOID:
        return Html(f"<{name}{given}>")
    return Html(f"<{name}{given}>{''.join(children)}</{name}>")


def _attribute(key: str) -> str:
    if key in ("viewBox", "preserveAspectRatio"):
        return key
    return key.rstrip("_").replace("_", "-")


def join(parts: Iterable[Html]) -> Html:
    """Pieces one after another, each on its own line."""
    return Html("\n".join(parts))


def code(value: str, limit: int | None = 400) -> Html:
    """A value as it was read; for no text at all, words that say so."""
    shown = clean(value, limit)
    return element("code", text(shown)) if shown != "" else element("i", text("empty"))


def moment(at: datetime, *, seconds_only: bool = False) -> Html:
    """A time in UTC: with its date, or only the time of the day."""
    form = "%H:%M:%S" if seconds_only else "%Y-%m-%d %H:%M:%S UTC"
    return element("time", text(utc(at).strftime(form)), datetime=utc(at).strftime("%Y-%m-%dT%H:%M:%SZ"))


def fold(summary: Html, *body: Html) -> Html:
    """Something that is closed until somebody opens it."""
    return element("details", element("summary", summary), *body)


def block(value: object) -> Html:
    """Data as indented JSON; what is not ASCII stands there as its number, so that nothing can hide."""
    shown = json.dumps(value, indent=2, sort_keys=False, ensure_ascii=True)
    return element("pre", Html(html.escape(shown, quote=True)), tabindex="0")


def table(caption: str, heads: tuple[str, ...], rows: Iterable[tuple[Html, ...]], class_: str = "") -> Html:
    """A table with a caption; each cell knows its head, which a narrow page shows in front of it."""
    head = element("tr", *(element("th", text(one), scope="col") for one in heads))
    made = []
    for row in rows:
        first = element("th", row[0], scope="row", data_head=heads[0])
        cells = (element("td", cell, data_head=name) for name, cell in zip(heads[1:], row[1:], strict=True))
        made.append(element("tr", first, *cells))
    body = element("tbody", join(made))
    return element("table", element("caption", text(caption)), element("thead", head), body, class_=class_)
