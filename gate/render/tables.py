"""The tables of a comment or summary: four layers at a glance, and all evidence. Markdown, pure."""

from gate.catalogue import load_catalogue
from gate.outcomes import Outcome
from gate.render.publication import Publication
from gate.render.text import code, markdown
from gate.render.words import short_ids, symbol, time_of_day, utc, waiting
from gate.verdict import Evidence, LayerResult, Verdict

_NOTHING = "–"
# Of the fields that agree, the one that says most; the first that is there is shown.
_TELLING = (
    "targetRevision",
    "status.sync.status",
    "status.readyReplicas",
    "samples that match",
)
_MOST_ROWS = 8
_MOST_DIFFERENCES = 2


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _compared(one: Evidence) -> bool:
    """Whether the row compares at all: beside an image's tag stands only a remark."""
    return one.expected is not None


def _chosen(layer: LayerResult) -> list[Evidence]:
    """What to show of a layer: the most telling of what agrees where it passed, else what differs."""
    compared = [one for one in layer.evidence if _compared(one)]
    different = [one for one in compared if one.value != one.expected]
    if layer.outcome is not Outcome.PASSED:
        return [] if waiting(layer) else different[:_MOST_DIFFERENCES]
    telling = [one for name in _TELLING for one in compared if one.field.endswith(name)]
    return (telling or compared)[:1]


def _pair(one: Evidence) -> tuple[str, str]:
    """Observed and expected; full ids are cut for reading unless they then look the same."""
    expected = one.expected or ""
    observed, wanted = short_ids(one.value), short_ids(expected)
    if observed == wanted and one.value != expected:
        observed, wanted = one.value, expected
    return f"{code(one.field, 60)} {code(observed, 70)}", code(wanted, 70)


def _observed(layer: LayerResult) -> tuple[str, str]:
    pairs = [_pair(one) for one in _chosen(layer)]
    if not pairs:
        return markdown(load_catalogue()[layer.reason].short), _NOTHING
    return "<br>".join(pair[0] for pair in pairs), "<br>".join(pair[1] for pair in pairs)


def render_layers(verdict: Verdict, publication: Publication) -> str:
    """The table of the layers: outcome, reason, observed against expected, since when."""
    rows = [
        _row("Layer", "Outcome", "Reason", "Observed", "Expected", "Since (UTC)"),
        _row("---", "---", "---", "---", "---", "---"),
    ]
    for layer in verdict.layers[:_MOST_ROWS]:
        since = _NOTHING if layer.since is None else time_of_day(layer.since, verdict.at)
        outcome = f"{symbol(layer.outcome)} {layer.outcome.value}"
        reason = f"[{layer.reason.value}]({publication.reason_url(layer.reason)})"
        rows.append(_row(f"**{layer.layer.value}**", outcome, reason, *_observed(layer), since))
    return "\n".join(rows)


def render_evidence(verdict: Verdict, most: int) -> str:
    """Every piece of evidence with its label, at most ``most`` rows; empty text when there is none."""
    pieces = [(layer.layer.value, one) for layer in verdict.layers for one in layer.evidence]
    if not pieces:
        return ""
    rows = [
        _row("Layer", "Label", "Object", "Field", "Value", "Expected"),
        _row("---", "---", "---", "---", "---", "---"),
    ]
    for layer, one in pieces[:most]:
        expected = _NOTHING if one.expected is None else code(one.expected)
        rows.append(_row(layer, one.label, markdown(one.subject, 120), code(one.field, 100), code(one.value), expected))
    if len(pieces) > most:
        rows.append("")
        rows.append(f"{len(pieces) - most} more rows are in the evidence file.")
    return "\n".join(rows)


def evidence_summary(verdict: Verdict) -> str:
    """How much evidence there is, by label: what was only declared is not what was observed."""
    pieces = [one for layer in verdict.layers for one in layer.evidence]
    declared = sum(1 for one in pieces if one.label == "declared")
    return f"{declared} declared (Git, spec), {len(pieces) - declared} observed (status, live objects, HTTP)"


def render_transitions(verdict: Verdict, most: int) -> str:
    """The timeline as a table, for readers without pictures; empty text when there was no change."""
    if len(verdict.timeline) == 0:
        return ""
    rows = [_row("At (UTC)", "Layer", "Outcome", "Reason"), _row("---", "---", "---", "---")]
    for one in verdict.timeline[-most:]:
        at = f"{utc(one.at):%Y-%m-%d %H:%M:%S}"
        rows.append(_row(at, one.layer.value, one.outcome.value, one.reason.value))
    return "\n".join(rows)
