"""The pull request comment: what a release manager reads at night. Pure Markdown.

The marker by which the comment is found again is put in front by whoever publishes it.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gate.render.publication import Publication
from gate.render.sections import (
    fold,
    render_changes,
    render_footer,
    render_headline,
    render_next,
    render_not_proven,
    render_notes,
    render_scope,
    render_seen,
    render_subject,
)
from gate.render.tables import evidence_summary, render_evidence, render_layers
from gate.render.text import width
from gate.render.timeline import render_timeline
from gate.verdict import Verdict

LONGEST_COMMENT = 60_000
"""In UTF-16 units. GitHub refuses more than 65,536 characters; the marker needs room as well."""


class Part(NamedTuple):
    """One part of a text. Rank 0 always stays; of the others the highest goes first."""

    rank: int
    name: str
    text: str


def assemble(parts: Sequence[Part], limit: int, measure: Callable[[str], int], elsewhere: str) -> str:
    """The parts that fit, in order, whole. What was left out is named, with where to find it.

    Parts are dropped and never cut, so that no table, fence or fold is left open.
    """
    kept = [part for part in parts if part.text != ""]
    dropped: list[str] = []
    while True:
        texts = [part.text for part in kept]
        if dropped:
            texts.append(f"Left out for length: {', '.join(dropped)}. {elsewhere}")
        text = "\n\n".join(texts) + "\n"
        last = max(kept, key=lambda part: part.rank, default=None)
        if measure(text) <= limit or last is None or last.rank == 0:
            return text
        kept.remove(last)
        dropped.append(last.name)


def render_comment(verdict: Verdict, publication: Publication) -> str:
    """The comment without its marker, at most LONGEST_COMMENT long."""
    evidence = render_evidence(verdict, most=40)
    timeline = render_timeline(verdict)
    parts = (
        Part(0, "verdict", render_headline(verdict, publication)),
        Part(0, "commit", render_subject(verdict, publication)),
        Part(1, "layers", render_layers(verdict, publication) if verdict.layers else ""),
        Part(2, "what was seen", render_seen(verdict, publication)),
        Part(4, "what changed", render_changes(verdict, publication, most_commits=5, most_files=8)),
        Part(0, "what to do next", render_next(verdict, publication)),
        Part(3, "notes", render_notes(verdict)),
        Part(0, "scope", render_scope(publication)),
        Part(5, "limits", fold("What each layer does not prove", render_not_proven()) if verdict.layers else ""),
        Part(7, "evidence", "" if evidence == "" else fold(f"Evidence: {evidence_summary(verdict)}", evidence)),
        Part(6, "timeline", "" if timeline == "" else fold("Timeline", timeline)),
        Part(0, "origin", render_footer(verdict, publication)),
    )
    return assemble(parts, LONGEST_COMMENT, width, "The job summary has all of it.")
