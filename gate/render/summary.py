"""The job summary: the comment's content at full length. Pure Markdown."""

from gate.render.comment import Part, assemble
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
from gate.render.tables import evidence_summary, render_evidence, render_layers, render_transitions
from gate.render.text import markdown
from gate.render.timeline import render_timeline
from gate.verdict import Verdict

LONGEST_SUMMARY = 1_000_000
"""In bytes. The runner refuses a step's summary of more than 1 MiB as a whole; others may add to it."""


def _bytes(text: str) -> int:
    return len(text.encode("utf-8"))


def render_summary(verdict: Verdict, publication: Publication) -> str:
    """The summary, at most LONGEST_SUMMARY bytes."""
    evidence = render_evidence(verdict, most=1000)
    changes = render_transitions(verdict, most=500)
    parts = (
        Part(0, "verdict", render_headline(verdict, publication)),
        Part(0, "commit", render_subject(verdict, publication)),
        Part(1, "layers", render_layers(verdict, publication) if verdict.layers else ""),
        Part(2, "what was seen", render_seen(verdict, publication)),
        Part(4, "what changed", render_changes(verdict, publication, most_commits=50, most_files=200)),
        Part(0, "what to do next", render_next(verdict, publication)),
        Part(3, "notes", render_notes(verdict)),
        Part(0, "scope", render_scope(publication)),
        Part(5, "limits", f"**What each layer does not prove**\n\n{render_not_proven()}" if verdict.layers else ""),
        Part(6, "timeline", render_timeline(verdict)),
        Part(7, "every change", "" if changes == "" else fold("Every change", changes)),
        Part(8, "evidence", "" if evidence == "" else fold(f"Evidence: {evidence_summary(verdict)}", evidence)),
        Part(0, "where evidence is kept", markdown(publication.evidence_kept or "", 1000)),
        Part(0, "origin", render_footer(verdict, publication)),
    )
    return assemble(parts, LONGEST_SUMMARY, _bytes, "The evidence file has all of it.")
