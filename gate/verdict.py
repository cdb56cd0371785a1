"""What is answered: one result for each layer, and one verdict over all of them. Pure models."""

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_serializer,
    field_validator,
    model_validator,
)

from gate.errors import ExitCode
from gate.observed import Frozen, kebab
from gate.outcomes import LAYERS, Layer, Outcome, VerdictWord
from gate.reasons import Reason
from gate.secrecy import Secrets, sound


def _shown(text: str, info: ValidationInfo) -> str:
    known = info.context
    return known.hide(sound(text)) if isinstance(known, Secrets) else sound(text)


Text = Annotated[str, AfterValidator(_shown)]
"""Text that may come from Git, cluster or HTTP; a context of ``Secrets`` hides these in it as well."""


_EXITS = {
    VerdictWord.PASSED: ExitCode.PASSED,
    VerdictWord.FAILED: ExitCode.FAILED,
    VerdictWord.HELD: ExitCode.HELD,
    VerdictWord.SUPERSEDED: ExitCode.SUPERSEDED,
    VerdictWord.PENDING: ExitCode.PENDING,
    VerdictWord.COULD_NOT_RUN: ExitCode.COULD_NOT_RUN,
    VerdictWord.INTERNAL_ERROR: ExitCode.INTERNAL_ERROR,
    VerdictWord.CANCELLED: ExitCode.INTERRUPTED,
}


class Answered(Frozen):
    """Base of what is answered: written as JSON with kebab-case names."""

    model_config = ConfigDict(alias_generator=kebab, populate_by_name=True, serialize_by_alias=True)


class Evidence(Answered):
    """One thing that was declared (Git, spec) or observed (status, live objects, HTTP).

    ``subject`` names the object (``Application argocd/orders``), ``field`` the field in it,
    ``value`` what it said; ``expected`` what it had to say, where the layer compared it.
    """

    label: Literal["declared", "observed"]
    subject: Text
    field: Text
    value: Text
    expected: Text | None = None


class LayerResult(Answered):
    """The answer of one layer.

    ``message`` is one sentence that names object, field, observed and expected value.
    ``final`` says that waiting cannot change it. ``since`` is when this reason was first seen.
    ``bad`` says that evidence of a fault of this very commit was seen (it decides between
    failed and held when time runs out).
    """

    layer: Layer
    outcome: Outcome
    reason: Reason
    message: Text
    final: bool = False
    bad: bool = False
    since: datetime | None = None
    evidence: tuple[Evidence, ...] = ()


class CommitSummary(Answered):
    """A Git commit in words. ``parents`` are full ids; an empty tuple is a root commit."""

    id: str
    tree: str
    parents: tuple[str, ...]
    subject: Text
    author: Text = ""
    committed_at: datetime | None = None


class Changes(Answered):
    """What changed between the revision deployed before (``since``) and the intended one.

    ``relation`` is that of the intended commit to ``since``; ``files`` are changed paths.
    ``truncated`` says that commits or files were left off.
    """

    since: str
    relation: Literal["ahead", "behind", "identical", "diverged", "unknown"]
    commits: tuple[CommitSummary, ...] = ()
    files: tuple[Text, ...] = ()
    truncated: bool = False


class Transition(Answered):
    """One change of a layer's answer: for the timeline."""

    at: datetime
    layer: Layer
    outcome: Outcome
    reason: Reason


class Verdict(Answered):
    """The one answer of a run.

    ``layers`` is empty only when nothing was judged (``could-not-run``, ``internal-error``, and ``passed``
    for the reason that there is nothing to gate).
    ``failed_layer`` is the first layer whose outcome is the verdict's, None when passed.
    ``notes`` are things a reader must know beside the layers: opt-ins used, tags not pinned.
    """

    word: VerdictWord = Field(alias="verdict")
    reason: Reason
    message: Text
    final: bool
    environment: str
    intended: str
    at: datetime
    failed_layer: Layer | None = None
    timed_out: bool = False
    layers: tuple[LayerResult, ...] = ()
    applications: tuple[Text, ...] = ()
    newer: str | None = None
    notes: tuple[Text, ...] = ()
    commit: CommitSummary | None = None
    changes: Changes | None = None
    timeline: tuple[Transition, ...] = ()

    @field_validator("failed_layer", mode="before")
    @classmethod
    def _none_when_empty(cls, value: object) -> object:
        return None if value == "" else value

    @model_validator(mode="after")
    def _passed_by_four(self) -> Self:
        passed = [layer.outcome is Outcome.PASSED for layer in self.layers]
        needed = [] if self.nothing_to_gate else [True] * len(LAYERS)
        if self.word is VerdictWord.PASSED and (passed != needed or not self.final):
            raise ValueError("a verdict passes only with four passed layers, and for good")
        return self

    @property
    def nothing_to_gate(self) -> bool:
        """Whether there was no promotion to judge: the one pass that claims nothing about any layer."""
        return self.reason is Reason.NOTHING_TO_GATE

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of this verdict; a cancelled run ends with that of its signal instead."""
        return _EXITS[self.word]

    def without(self, secrets: Secrets) -> Self:
        """The verdict with these hidden in its texts: those that come from outside may repeat one."""
        text = self.model_dump_json()
        return self if secrets.hide(text) == text else self.model_validate_json(text, context=secrets)

    @field_serializer("failed_layer")
    def _empty_when_passed(self, layer: Layer | None) -> str:
        return "" if layer is None else layer.value
