"""The commit status: one state and at most 140 characters."""

from typing import Literal, NamedTuple

from gate.outcomes import VerdictWord
from gate.render.text import clean, shorten
from gate.render.words import findings, short, short_ids, timed_out, word_of
from gate.verdict import Verdict

State = Literal["success", "pending", "failure", "error"]

LONGEST = 140
"""GitHub refuses a longer description, and with it the verdict. Counted in UTF-16 units."""


class CommitStatus(NamedTuple):
    """What GitHub's commit status API takes beside the context and the target URL."""

    state: State
    description: str


def render_status(verdict: Verdict) -> CommitStatus:
    """``success`` only for four passed layers; a held verdict that may still change is ``pending``.

    The description is ``layer: reason - message``; layer and reason are never cut.
    """
    return CommitStatus(_state(verdict), _description(verdict))


def _state(verdict: Verdict) -> State:
    match word_of(verdict):
        case VerdictWord.PASSED:
            return "success"
        case VerdictWord.PENDING:
            return "pending"
        case VerdictWord.FAILED:
            return "failure"
        case VerdictWord.HELD if not verdict.final and not verdict.timed_out:
            return "pending"
        case _:
            return "error"


def _description(verdict: Verdict) -> str:
    word = word_of(verdict)
    where = word.value if verdict.failed_layer is None else verdict.failed_layer.value
    reason = verdict.reason.value if word is verdict.word else "InternalError"
    message = short_ids("; ".join(findings(verdict.message))) if word is verdict.word else short(verdict)
    if verdict.newer is not None and word is VerdictWord.SUPERSEDED:
        message = f"superseded by {clean(verdict.newer, 64)}"
    if verdict.timed_out and "timed out" not in message:
        message = f"{timed_out(verdict)}: {message}"
    return shorten(f"{where}: {reason} - {message or short(verdict)}", LONGEST)
