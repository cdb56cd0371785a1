"""Annotations of a workflow run: one for the verdict, at most one a layer (the runner shows ten). Pure.

The texts are plain; whoever writes them as workflow commands escapes them for that.
"""

from typing import Literal, NamedTuple

from gate.outcomes import Layer, Outcome, VerdictWord
from gate.render.text import clean, shorten
from gate.render.words import failing, findings, headline, word_of
from gate.verdict import LayerResult, Verdict

Level = Literal["error", "warning", "notice"]

_LONGEST = 1000


class Annotation(NamedTuple):
    """``level`` as the runner calls it; ``title`` and ``message`` are one line each.

    ``layer`` of None: it is about the verdict as a whole.
    """

    level: Level
    title: str
    message: str
    layer: Layer | None = None


def _level(verdict: Verdict) -> Level:
    match word_of(verdict):
        case VerdictWord.PASSED:
            return "notice"
        case VerdictWord.PENDING:
            return "warning"
        case _:
            return "error"


def _layer(layer: LayerResult) -> Annotation:
    said = " ".join(findings(layer.message))
    return Annotation("error", f"{layer.layer.value}: {layer.reason.value}", shorten(said, _LONGEST), layer.layer)


def render_annotations(verdict: Verdict) -> tuple[Annotation, ...]:
    """The verdict first, then the other layers that failed or are held."""
    worst = failing(verdict)
    message = clean(verdict.message, _LONGEST)
    first = Annotation(_level(verdict), headline(verdict), message or verdict.reason.value)
    bad = (Outcome.FAILED, Outcome.HELD)
    others = [layer for layer in verdict.layers if layer is not worst and layer.outcome in bad]
    return (first, *(_layer(layer) for layer in others[:4]))
