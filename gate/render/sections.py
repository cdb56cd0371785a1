"""The parts of a comment or summary, each a piece of Markdown that is whole in itself. Pure.

No text from outside reaches a part except through ``markdown``, ``code`` or ``fenced``, and no
line begins with such text, so that none of it can become a structure or a command to a bot.
"""

from gate.catalogue import load_catalogue
from gate.notes import SCOPE
from gate.outcomes import LAYERS, Outcome, VerdictWord
from gate.render.advice import Revert, commands, data_files, revert
from gate.render.publication import Publication
from gate.render.text import code, fenced, markdown
from gate.render.words import (
    NOT_PROVEN,
    SYMBOLS,
    advice,
    failing,
    findings,
    full_time,
    headline,
    short_id,
    short_ids,
    waiting,
    word_of,
)
from gate.verdict import CommitSummary, LayerResult, Verdict

_MOST_NOTES = 20
_MOST_FINDINGS = 4


def _linked_id(commit: str, publication: Publication) -> str:
    url = publication.revision_url(commit)
    return code(short_id(commit)) if url is None else f"[{code(short_id(commit))}]({url})"


def _commit(commit: CommitSummary, publication: Publication) -> str:
    """``id "subject" by author, time`` on one line."""
    parts = f"{_linked_id(commit.id, publication)} “{markdown(commit.subject, 120)}”"
    if commit.author != "":
        parts += f" by {markdown(commit.author, 60)}"
    return parts if commit.committed_at is None else f"{parts}, {full_time(commit.committed_at)}"


def render_headline(verdict: Verdict, publication: Publication) -> str:
    """The first visible line: the verdict and why; of one that was not taken, first of all that."""
    if publication.refused:
        said = f"{verdict.environment} {word_of(verdict).value}, which could not be published as a status"
        return f"### {SYMBOLS[VerdictWord.INTERNAL_ERROR]} {markdown(said, 300)}"
    return f"### {SYMBOLS[word_of(verdict)]} {markdown(headline(verdict), 300)}"


def render_subject(verdict: Verdict, publication: Publication) -> str:
    """What to do about the promotion, and which commit this is about."""
    if verdict.commit is not None and verdict.commit.id == verdict.intended:
        about = _commit(verdict.commit, publication)
    else:
        about = _linked_id(verdict.intended, publication) if verdict.intended != "" else "not known"
    told = "Do not promote by this; run the job again." if publication.refused else advice(verdict)
    lines = [f"**{told}**" if verdict.nothing_to_gate else f"**{told}** Commit: {about}"]
    if len(verdict.applications) > 0:
        names = ", ".join(code(name, 80) for name in verdict.applications[:10])
        more = f" and {len(verdict.applications) - 10} more" if len(verdict.applications) > 10 else ""
        lines.append(f"Application: {names}{more}")
    if verdict.newer is not None:
        lines.append(f"Newer commit: {_linked_id(verdict.newer, publication)}")
    return "<br>\n".join(lines)


def _layer_findings(layer: LayerResult) -> list[str]:
    said = findings(layer.message)[:_MOST_FINDINGS]
    return [f"- **{layer.layer.value}**: {markdown(short_ids(one), 400)}" for one in said]


def render_seen(verdict: Verdict, publication: Publication) -> str:
    """What the layers that have not passed say, in words; the one that gives the reason first."""
    worst = failing(verdict)
    if worst is None and (word_of(verdict) is not VerdictWord.PASSED or verdict.nothing_to_gate):
        reason = f"[{verdict.reason.value}]({publication.reason_url(verdict.reason)})"
        return f"**Why**\n\n- {reason}: {markdown(verdict.message, 800)}"
    rest = [
        one for one in verdict.layers if one is not worst and one.outcome is not Outcome.PASSED and not waiting(one)
    ]
    layers = rest if worst is None else [worst, *rest]
    lines = [line for layer in layers[: len(LAYERS)] for line in _layer_findings(layer)]
    return "" if not lines else "\n".join(["**What was seen**", "", *lines])


def render_changes(verdict: Verdict, publication: Publication, most_commits: int, most_files: int) -> str:
    """What changed since the release before: commits and files, truncated; says so where it is not known."""
    changes = verdict.changes
    if changes is None:
        return "" if len(verdict.layers) == 0 else "**What changed**: no release before this one is known."
    base = _linked_id(changes.since, publication)
    url = publication.compare_url(changes.since, verdict.intended)
    compare = "" if url is None else f" ([compare]({url}))"
    title = f"**What changed since {base}**, the release before{compare}"
    if changes.relation == "unknown":
        return f"{title}: not known, the history between the two could not be read."
    if changes.relation in ("behind", "diverged"):
        title += f": this commit is {changes.relation} of it, not simply newer"
    lines = [title, ""]
    lines += [f"- {_commit(one, publication)}" for one in changes.commits[:most_commits]]
    if len(changes.files) > 0:
        shown = ", ".join(code(path, 120) for path in changes.files[:most_files])
        more = len(changes.files) - most_files
        lines.append(f"- Files: {shown}{f' and {more} more' if more > 0 else ''}")
    if len(changes.commits) > most_commits or changes.truncated:
        lines.append("- Not everything is shown.")
    if len(lines) == 2:
        lines.append("- No commit and no file.")
    return "\n".join(lines)


def _revert(verdict: Verdict, offered: Revert, publication: Publication) -> list[str]:
    data = f"Data needs [its own plan]({publication.data_url}): compatibility, backup, replay."
    if offered.command is None:
        files = () if verdict.changes is None else data_files(verdict.changes)[:3]
        named = f" ({', '.join(code(path, 100) for path in files)})" if len(files) > 0 else ""
        return [f"No revert is offered: {offered.why}{named}. {data}"]
    words = (
        "If the change is stateless, it can be taken back with a new commit, whose id is then pinned and judged as its "
        f"own ({offered.why}). A revert brings no data back. {data}"
    )
    return [words, "", fenced((offered.command,), "sh")]


def render_next(verdict: Verdict, publication: Publication) -> str:
    """What to do next: the catalogue's advice, commands that only read, and where it fits a revert."""
    if word_of(verdict) is not verdict.word:
        return "**What to do next**\n\nReport this as a fault of the gate, and look at the release by hand."
    lines = ["**What to do next**", "", markdown(load_catalogue()[verdict.reason].next, 1000)]
    read_only = commands(verdict)
    if read_only:
        hint = " (fill in the names)" if any("<" in command for command in read_only) else ""
        lines += ["", f"These commands only read{hint}:", "", fenced(read_only, "sh")]
    offered = revert(verdict)
    if offered is not None:
        lines += ["", *_revert(verdict, offered, publication)]
    return "\n".join(lines)


def render_notes(verdict: Verdict) -> str:
    """Opt-ins in force, tags that are not pinned and other things to know; empty text when there are none."""
    notes = [note for note in verdict.notes if note != SCOPE]
    if not notes:
        return ""
    lines = [f"- {markdown(note, 300)}" for note in notes[:_MOST_NOTES]]
    if len(notes) > _MOST_NOTES:
        lines.append(f"- {len(notes) - _MOST_NOTES} more notes are in the evidence file.")
    return "\n".join(["**Notes**", "", *lines])


def render_scope(publication: Publication) -> str:
    """What the verdict is about, always."""
    return f"{SCOPE} [What that means for data]({publication.data_url})."


def render_not_proven() -> str:
    """What each layer does not prove."""
    return "\n".join(f"- **{layer.value}** does not prove {NOT_PROVEN[layer]}." for layer in LAYERS)


def fold(summary: str, body: str) -> str:
    """A part that is closed until somebody opens it. ``summary`` is text of ours."""
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"


def render_footer(verdict: Verdict, publication: Publication) -> str:
    """Where this comes from: the run attempt, the commit that carries the status, the time and the version."""
    parts = [] if publication.run_url is None else [f"[Run attempt]({publication.run_url})"]
    url = publication.reported_url()
    if publication.reported is not None and url is not None and publication.reported != verdict.intended:
        parts.append(f"status on [{code(short_id(publication.reported))}]({url})")
    parts.append(full_time(verdict.at))
    parts.append(f"Promotion Gate {markdown(publication.version, 30)}")
    return f"<sub>{' · '.join(parts)}</sub>"
