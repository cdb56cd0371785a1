"""What a recovery report says: three verdicts side by side, how their commits are related, how long it took.

Plain data, as JSON with kebab-case names. Times are in UTC, lengths of time in seconds.
"""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import Field

from gate.outcomes import Layer, Outcome, VerdictWord
from gate.reasons import Reason
from gate.verdict import Answered, Text

Role = Literal["good", "bad", "recovered"]

Known = Literal["yes", "no", "unknown"]
"""What Git told; ``unknown`` where it did not, which is never taken for either."""


class Kind(StrEnum):
    """How a service came to be well again. Only the first two repair what Git says."""

    REVERT = "git-revert"
    ROLL_FORWARD = "roll-forward"
    ROLLBACK = "rollback-inside-argo-cd"
    HAND_EDIT = "hand-edit"
    PIN_MOVED_BACK = "pin-moved-back"
    UNKNOWN = "unknown"


KIND_WORDS: dict[Kind, str] = {
    Kind.REVERT: "Git revert",
    Kind.ROLL_FORWARD: "roll forward",
    Kind.ROLLBACK: "rollback inside Argo CD",
    Kind.HAND_EDIT: "edit of the live objects by hand",
    Kind.PIN_MOVED_BACK: "pin moved back to an older commit",
    Kind.UNKNOWN: "not known",
}

REPAIRS: dict[Kind, Known] = {
    Kind.REVERT: "yes",
    Kind.ROLL_FORWARD: "yes",
    Kind.ROLLBACK: "no",
    Kind.HAND_EDIT: "no",
    Kind.PIN_MOVED_BACK: "no",
    Kind.UNKNOWN: "unknown",
}


class LayerSaid(Answered):
    """One layer's answer in short."""

    layer: Layer
    outcome: Outcome
    reason: Reason


class Told(Answered):
    """One of the three, as its evidence file tells it at its last look.

    ``revisions``, ``health``, ``endpoints`` and ``answers`` are one text for each Application, Service or
    request; empty where nothing was read. ``probes`` are the probe failures that readiness was judged by.
    ``began_at`` is when the first operation seen at this commit began, None where none was seen.
    """

    role: Role
    commit: str
    subject: Text | None
    tree: str | None
    parents: tuple[str, ...] | None
    committed_at: datetime | None
    verdict: VerdictWord
    reason: Reason
    message: Text
    layers: tuple[LayerSaid, ...]
    revisions: tuple[Text, ...]
    health: tuple[Text, ...]
    probes: tuple[Text, ...]
    endpoints: tuple[Text, ...]
    answers: tuple[Text, ...]
    began_at: datetime | None
    first_look_at: datetime | None
    verdict_at: datetime
    run: Text
    run_url: Text | None
    evidence_digest: str
    settings_digest: str


class Relations(Answered):
    """How the three commits stand to each other, by Git. A relation is that of the second to the first.

    ``same_tree``: recovered has the tree of good. ``undone``: recovered takes back exactly what bad changed, by
    its tree or by its patch (``undone_by``). ``says_revert``: its message says that it reverts bad.
    """

    good_to_bad: str
    bad_to_recovered: str
    good_to_recovered: str
    same_tree: Known
    undone: Known
    undone_by: Literal["tree", "patch", ""]
    says_revert: Known


class Duration(Answered):
    """A length of time, and in words from when to when."""

    seconds: int
    measured: str


class Report(Answered):
    """A recovery that was shown by evidence: each of the three stands on its own verdict."""

    schema_name: Literal["promotion-gate/report/v1"] = Field(default="promotion-gate/report/v1", alias="schema")
    outcome: Literal["recovered"] = "recovered"
    environment: str
    applications: tuple[Text, ...]
    kind: Kind
    kind_message: Text
    repairs_intent: Known
    relations: Relations
    good: Told
    bad: Told
    recovered: Told
    time_to_detect: Duration
    time_to_recover: Duration
    notes: tuple[Text, ...]
    not_covered: tuple[str, ...]
    gate: str

    @property
    def three(self) -> tuple[Told, Told, Told]:
        """Good, bad, recovered."""
        return self.good, self.bad, self.recovered


class RefusedReport(Answered):
    """No recovery is shown by these files, and why."""

    schema_name: Literal["promotion-gate/report/v1"] = Field(default="promotion-gate/report/v1", alias="schema")
    outcome: Literal["refused"] = "refused"
    reasons: tuple[Text, ...]


NOT_COVERED = (
    "Data: this is about the configuration of a stateless web release. Whether data was harmed is not looked at.",
    "Users: nothing here counts who was affected, or since when before the first operation at the bad commit.",
    "Now: this says what was seen when it was recorded. Before you promote, check the live service again.",
    "Forgery: a file that verifies is whole and its verdict follows from it; only a signature says who wrote it.",
)
