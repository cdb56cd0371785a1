"""What a rehearsal came to. Pure models; JSON has kebab-case names."""

from typing import Literal

from pydantic import ConfigDict

from gate.outcomes import Layer, VerdictWord
from gate.reasons import Reason
from gate.verdict import Answered, Text, Verdict

Start = Literal["generated", "recorded", "live"]
"""Where the evidence that should pass came from."""


class Judged(Answered):
    """The verdict of a run of moments in short; ``failed-layer`` is empty where no single layer refused."""

    model_config = ConfigDict(title="A verdict in short")

    verdict: VerdictWord
    reason: Reason
    failed_layer: Layer | Literal[""] = ""
    message: Text = ""


class Tried(Judged):
    """One alteration of one subject. ``refused``: it did not pass. ``group`` is one line of a table."""

    name: str
    subject: Text
    about: str
    group: str
    refused: bool


class NotApplicable(Answered):
    """An alteration of what this configuration or evidence does not have; it shows nothing, and counts for nothing."""

    name: str
    subject: Text
    about: str
    group: str
    why: Text


class NotTried(Answered):
    """An alteration that should have been tried and could not be. ``change``: what to do so that it can."""

    name: str
    subject: Text
    about: str
    group: str
    why: Text
    change: Text


class Rehearsal(Answered):
    """All of a rehearsal. Nobody knows what would become of what was ``not_tried``, so that it is a failure.

    ``advice`` is what has to change for it to end well, ``warnings`` what was allowed and no longer is refused, or
    may be weaker than it looks, ``notes`` what was made up smaller than it is configured.
    """

    environment: str
    start: Start
    passed_unaltered: bool
    unaltered: Judged
    alterations: tuple[Tried, ...] = ()
    not_tried: tuple[NotTried, ...] = ()
    not_applicable: tuple[NotApplicable, ...] = ()
    advice: tuple[Text, ...] = ()
    warnings: tuple[Text, ...] = ()
    notes: tuple[Text, ...] = ()

    @property
    def passing(self) -> tuple[Tried, ...]:
        """The alterations that should have been refused and were not."""
        return tuple(one for one in self.alterations if not one.refused)

    @property
    def refuses(self) -> bool:
        """Whether the configuration refuses all that it must: all of it was tried, and nothing altered passed."""
        failed = (*self.passing, *self.not_tried, *self.advice)
        return self.passed_unaltered and len(self.alterations) > 0 and not failed


def in_short(verdict: Verdict) -> Judged:
    """What counts of a verdict here."""
    return Judged(
        verdict=verdict.word,
        reason=verdict.reason,
        failed_layer=verdict.failed_layer or "",
        message=verdict.message,
    )
