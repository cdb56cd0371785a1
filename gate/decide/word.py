"""From four layer results to the verdict's word: worst first, final first, and what the deadline makes of it. Pure."""

from dataclasses import dataclass, replace

from gate.facts.bundle import Facts
from gate.layers.finding import Answer
from gate.outcomes import Layer, Outcome, VerdictWord, merge, severity
from gate.reasons import Reason
from gate.verdict import LayerResult

_DENIED_MOMENTS = 3


def end_denied(answers: list[Answer], denied: int) -> list[Answer]:
    """Access that was refused in three moments in a row will not come back by waiting."""
    if denied < _DENIED_MOMENTS:
        return answers
    return [
        replace(answer, finding=replace(answer.finding, final=True))
        if answer.finding.reason is Reason.ACCESS_DENIED
        else answer
        for answer in answers
    ]


def _time_up(layers: tuple[LayerResult, ...]) -> VerdictWord:
    """At the deadline a pending verdict is failed where bad evidence was seen for this commit, else held."""
    bad = any(one.bad for one in layers if one.layer in (Layer.READINESS, Layer.REQUEST))
    return VerdictWord.FAILED if bad else VerdictWord.HELD


@dataclass(frozen=True)
class Word:
    """The verdict's word before it is dressed."""

    word: VerdictWord
    reason: Reason
    message: str
    final: bool
    layer: Layer | None
    timed_out: bool = False


def choose_word(layers: tuple[LayerResult, ...], facts: Facts, *, settled: bool, no_op: bool) -> Word:
    """The word over all layers. ``settled``: a second agreeing bundle has shown the same pass."""
    outcome = merge(one.outcome for one in layers)
    if outcome is Outcome.PASSED:
        if settled:
            reason = Reason.NO_OP if no_op else Reason.ALL_LAYERS_AGREE
            message = "all four layers agree about this commit, in two bundles of evidence"
            return Word(VerdictWord.PASSED, reason, message, final=True, layer=None)
        message = "all four layers passed once; a second agreeing bundle is awaited"
        if facts.deadline:
            return Word(VerdictWord.HELD, Reason.SETTLING, message, final=True, layer=None, timed_out=True)
        return Word(VerdictWord.PENDING, Reason.SETTLING, message, final=False, layer=None)
    ending = [one for one in layers if one.final and one.outcome is not Outcome.PASSED]
    if ending:
        first = min(ending, key=lambda one: severity(one.outcome))
        return Word(VerdictWord(first.outcome.value), first.reason, first.message, final=True, layer=first.layer)
    first = next(one for one in layers if one.outcome is outcome)
    if not facts.deadline:
        return Word(VerdictWord(outcome.value), first.reason, first.message, final=False, layer=first.layer)
    word = _time_up(layers) if outcome is Outcome.PENDING else VerdictWord(outcome.value)
    if word is VerdictWord.FAILED:
        first = next(one for one in layers if one.bad and one.layer in (Layer.READINESS, Layer.REQUEST))
    return Word(word, first.reason, first.message, final=True, layer=first.layer, timed_out=True)
