"""The page ``docs/reasons.md``, made from the catalogue: one anchor a reason. Pure, without pydantic."""

from collections.abc import Mapping

from gate.catalogue import PLACES, Explanation
from gate.reasons import Reason
from gate.render.text import fenced, markdown

_HEADINGS: dict[str, tuple[str, str]] = {
    "verdict": ("The verdict", "Reasons of the verdict as a whole."),
    "any": (
        "Any layer",
        "Reasons that can stand at any layer: the evidence is missing, unreadable or does not hold together.",
    ),
    "intent": ("Intent", "Is the intended commit what the live Application is told to deploy?"),
    "sync": ("Sync", "Is that commit what Argo CD applied?"),
    "readiness": ("Readiness", "Do the controllers see it ready, and does only it stand behind the Service?"),
    "request": ("Request", "Does a real request get the right answer from it?"),
}

_HEAD = """# Reasons

<!-- Made by `gate explain --all --format markdown`. Change gate/reasons.toml instead. -->

Every layer and every verdict carries one reason: one word that never changes its meaning. `gate explain REASON` says
the same in a terminal. *Final* says whether waiting cannot change it any more: the poll stops at a final reason.

The commands only read. Names in angle brackets stand for real ones; in a pull request comment they are filled in."""


def _entry(one: Explanation) -> list[str]:
    short = one.short[:1].upper() + one.short[1:]
    lines = [f"### {one.reason.value}", "", f"*{markdown(short)}.* {markdown(one.meaning, 2000)}", ""]
    lines += [f"**Next:** {markdown(one.next, 2000)}", ""]
    if len(one.commands) > 0:
        lines += [fenced(one.commands, "sh"), ""]
    lines += [f"**Final:** {markdown(one.final)}", ""]
    return lines


def render_reasons_page(catalogue: Mapping[Reason, Explanation]) -> str:
    """The whole page."""
    lines = [_HEAD, ""]
    for place in PLACES:
        title, about = _HEADINGS[place]
        entries = [one for one in catalogue.values() if one.layer == place]
        names = ", ".join(f"[{one.reason.value}](#{one.anchor})" for one in entries)
        lines += [f"## {title}", "", about, "", names, ""]
        for one in entries:
            lines += _entry(one)
    return "\n".join(lines).rstrip() + "\n"
