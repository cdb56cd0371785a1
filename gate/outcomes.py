"""The words of an answer: layers, outcomes, verdict words, and how outcomes merge.

Pure vocabulary: nothing here reads evidence. Merge order, worst first:
``failed``, ``held``, ``superseded``, ``pending``, ``passed``; merging nothing gives ``held``,
because an empty set of answers is missing evidence and never success.
"""

from collections.abc import Iterable
from enum import StrEnum


class Layer(StrEnum):
    """One question the gate asks, in the order in which it asks."""

    INTENT = "intent"
    SYNC = "sync"
    READINESS = "readiness"
    REQUEST = "request"


class Outcome(StrEnum):
    """The answer of one layer, or of all layers together."""

    PASSED = "passed"
    PENDING = "pending"
    SUPERSEDED = "superseded"
    HELD = "held"
    FAILED = "failed"


class VerdictWord(StrEnum):
    """What the whole run came to: a merged outcome, or why no outcome was reached."""

    PASSED = "passed"
    PENDING = "pending"
    SUPERSEDED = "superseded"
    HELD = "held"
    FAILED = "failed"
    COULD_NOT_RUN = "could-not-run"
    CANCELLED = "cancelled"
    INTERNAL_ERROR = "internal-error"


LAYERS: tuple[Layer, ...] = tuple(Layer)

_WORST_FIRST: tuple[Outcome, ...] = (
    Outcome.FAILED,
    Outcome.HELD,
    Outcome.SUPERSEDED,
    Outcome.PENDING,
    Outcome.PASSED,
)


def severity(outcome: Outcome) -> int:
    """Place in the merge order; 0 is the worst. Raises ValueError for an outcome not listed."""
    return _WORST_FIRST.index(outcome)


def merge(outcomes: Iterable[Outcome]) -> Outcome:
    """The worst of the outcomes; ``held`` when there are none."""
    return min(outcomes, key=severity, default=Outcome.HELD)
