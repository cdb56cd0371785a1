"""The wording that all renderings share: the first line, the symbols, times and ids. Plain text, no markup."""

import re
from datetime import UTC, datetime, timedelta

from gate.catalogue import load_catalogue
from gate.config.duration import show_duration
from gate.outcomes import LAYERS, Layer, Outcome, VerdictWord
from gate.reasons import Reason
from gate.render.text import clean, shorten
from gate.verdict import LayerResult, Verdict

SYMBOLS: dict[VerdictWord, str] = {
    VerdictWord.PASSED: "✅",
    VerdictWord.PENDING: "⏳",
    VerdictWord.SUPERSEDED: "⏩",
    VerdictWord.HELD: "✋",
    VerdictWord.FAILED: "❌",
    VerdictWord.COULD_NOT_RUN: "⛔",
    VerdictWord.CANCELLED: "⛔",
    VerdictWord.INTERNAL_ERROR: "⛔",
}

_PHRASES: dict[VerdictWord, str] = {
    VerdictWord.PASSED: "passed",
    VerdictWord.PENDING: "is pending",
    VerdictWord.SUPERSEDED: "is superseded",
    VerdictWord.HELD: "is held",
    VerdictWord.FAILED: "failed",
    VerdictWord.COULD_NOT_RUN: "could not be judged",
    VerdictWord.CANCELLED: "was not judged",
    VerdictWord.INTERNAL_ERROR: "was not judged",
}

_ADVICE: dict[VerdictWord, str] = {
    VerdictWord.PASSED: "May be promoted.",
    VerdictWord.PENDING: "Do not promote.",
    VerdictWord.SUPERSEDED: "Do not promote this commit.",
    VerdictWord.HELD: "Do not promote.",
    VerdictWord.FAILED: "Do not promote.",
    VerdictWord.COULD_NOT_RUN: "Do not promote.",
    VerdictWord.CANCELLED: "Do not promote.",
    VerdictWord.INTERNAL_ERROR: "Do not promote.",
}

NOT_PROVEN: dict[Layer, str] = {
    Layer.INTENT: "that the commit was applied: it only shows what Argo CD was told to deploy",
    Layer.SYNC: "that Pods are ready or that requests work: applied is not ready",
    Layer.READINESS: "that the answer is right: a Pod can be ready and serve the wrong thing",
    Layer.REQUEST: "all paths, all users, all load, or any other route than the one that was used",
}

_AWAITING = (Reason.AWAITING_INTENT, Reason.AWAITING_SYNC, Reason.AWAITING_READINESS)
_FULL_ID = re.compile(r"\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b")


def symbol(outcome: Outcome) -> str:
    """The one symbol of an outcome, the same as that of the verdict of this name."""
    return SYMBOLS[VerdictWord(outcome.value)]


def proven(verdict: Verdict) -> bool:
    """Whether a passed verdict stands on four passed layers, the last guard before anything green.

    Or on none, where nothing was to be gated and nothing is claimed.
    """
    if verdict.nothing_to_gate:
        return verdict.word is VerdictWord.PASSED and verdict.layers == ()
    return (
        verdict.word is VerdictWord.PASSED
        and {layer.layer for layer in verdict.layers} == set(LAYERS)
        and all(layer.outcome is Outcome.PASSED for layer in verdict.layers)
    )


def word_of(verdict: Verdict) -> VerdictWord:
    """The verdict's word; a pass without four passed layers is a fault of ours, not a pass."""
    if verdict.word is VerdictWord.PASSED and not proven(verdict):
        return VerdictWord.INTERNAL_ERROR
    return verdict.word


def advice(verdict: Verdict) -> str:
    """What the verdict means for the promotion, in a few words."""
    word = word_of(verdict)
    if word is VerdictWord.PASSED and verdict.nothing_to_gate:
        return "Nothing is promoted here, and nothing was judged."
    if word in (VerdictWord.PENDING, VerdictWord.HELD) and not verdict.final and not verdict.timed_out:
        return "Do not promote yet; the gate is still looking."
    return _ADVICE[word]


def headline(verdict: Verdict) -> str:
    """The verdict and why, in plain words on one line: ``staging failed at readiness: ...``."""
    word = word_of(verdict)
    where = clean(verdict.environment, 80) or "The release"
    phrase = "gates nothing here" if verdict.nothing_to_gate and word is VerdictWord.PASSED else _PHRASES[word]
    if verdict.failed_layer is not None and word is not VerdictWord.SUPERSEDED:
        phrase = f"{phrase} at {verdict.failed_layer}"
    if verdict.timed_out:
        phrase = f"{timed_out(verdict)} and {phrase}"
    return f"{where} {phrase}: {short(verdict)}"


def timed_out(verdict: Verdict) -> str:
    """``timed out after 15m``, counted from the first answer; without the time where it is not known."""
    if len(verdict.timeline) == 0:
        return "timed out"
    lasted = max(utc(verdict.at) - utc(verdict.timeline[0].at), timedelta())
    return f"timed out after {show_duration(timedelta(seconds=round(lasted.total_seconds())))}"


def short(verdict: Verdict) -> str:
    """The reason in a few plain words."""
    if word_of(verdict) is not verdict.word:
        return "a pass was reported without four passed layers, which is a fault of the gate"
    return load_catalogue()[verdict.reason].short


def failing(verdict: Verdict) -> LayerResult | None:
    """The layer that gives the verdict its reason; None when passed or nothing was judged."""
    return next((layer for layer in verdict.layers if layer.layer is verdict.failed_layer), None)


def waiting(layer: LayerResult) -> bool:
    """Whether a layer only waits for the one before it."""
    return layer.reason in _AWAITING


def findings(message: str) -> tuple[str, ...]:
    """A layer's message as the single things it says: the first is the reason's own."""
    return tuple(part for part in (clean(part) for part in message[:20_000].split("; also: ")) if part != "")


def short_ids(text: str) -> str:
    """Text with full commit ids cut to seven digits, for reading only; not where two would then look the same."""
    ids = set(_FULL_ID.findall(text))
    if len({one[:7] for one in ids}) < len(ids):
        return text
    return _FULL_ID.sub(lambda match: match[0][:7], text)


def short_id(commit: str) -> str:
    """Seven digits of a full id; anything else as it is, cut."""
    return commit[:7] if _FULL_ID.fullmatch(commit) else shorten(clean(commit), 20)


def utc(at: datetime) -> datetime:
    """The moment in UTC; a time without a zone is taken as UTC."""
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def time_of_day(at: datetime, near: datetime) -> str:
    """``05:39:12``, with the date in front when it is not the day of ``near``. UTC."""
    moment = utc(at)
    form = "%H:%M:%S" if moment.date() == utc(near).date() else "%Y-%m-%d %H:%M:%S"
    return moment.strftime(form)


def full_time(at: datetime) -> str:
    """``2026-12-01 05:39:12 UTC``."""
    return utc(at).strftime("%Y-%m-%d %H:%M:%S UTC")
