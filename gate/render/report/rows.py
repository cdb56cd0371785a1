"""The rows in which good, bad and recovered stand side by side, and the words around them. Plain text, no markup."""

from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple

from gate.config.duration import show_duration
from gate.outcomes import Layer, Outcome
from gate.render.report.subject import KIND_WORDS, Duration, Known, Report, Told
from gate.render.words import SYMBOLS, full_time, short_id

NOT_TOLD = "not known"


class Row(NamedTuple):
    """One row: what it is about, and each commit's lines. ``exact``: they are ids and values, shown as code."""

    head: str
    cells: tuple[tuple[str, ...], ...]
    exact: bool = False


_ROLES = {"good": "Good", "bad": "Bad", "recovered": "Recovered"}


def heads(report: Report) -> tuple[str, ...]:
    """The head of each column."""
    return ("", *(f"{_ROLES[one.role]} {short_id(one.commit)}" for one in report.three))


def headline(report: Report) -> str:
    """The first line: what was shown, and how."""
    bad, recovered = short_id(report.bad.commit), short_id(report.recovered.commit)
    return f"{report.environment} recovered from {bad} with {recovered}: {KIND_WORDS[report.kind]}"


def length(one: Duration) -> str:
    """``2m 5s``, as durations are written everywhere."""
    return show_duration(timedelta(seconds=one.seconds))


def _verdict(one: Told) -> tuple[str, ...]:
    return (f"{SYMBOLS[one.verdict]} {one.verdict.value}", one.reason.value)


def _behind(layer: Layer, values: Callable[[Told], tuple[str, ...]], nothing: str) -> Callable[[Told], tuple[str, ...]]:
    """What was seen, under the answer of the layer that judges it: where that only waits, it is not credited."""

    def cell(one: Told) -> tuple[str, ...]:
        said = next((answer for answer in one.layers if answer.layer is layer), None)
        seen = values(one)
        if said is None or said.outcome is Outcome.PENDING:
            seen = tuple(f"seen, not judged: {value}" for value in seen)
        return ("not judged" if said is None else f"{said.outcome.value}: {said.reason.value}", *(seen or (nothing,)))

    return cell


def _relation(report: Report, one: Told) -> tuple[str, ...]:
    relations = report.relations
    if one.role == "good":
        return ("what the others are compared with",)
    if one.role == "bad":
        return (f"{stands(relations.good_to_bad)} good",)
    tree = {"yes": "same tree as good, new SHA", "no": "another tree than good", "unknown": "tree compared: not known"}
    return (
        f"{stands(relations.bad_to_recovered)} bad",
        f"{stands(relations.good_to_recovered)} good",
        tree[relations.same_tree],
        f"takes back exactly what bad changed: {told(relations.undone)}",
        f"its message says that it reverts bad: {told(relations.says_revert)}",
    )


_STANDS = {
    "ahead": "descends from",
    "behind": "is an ancestor of",
    "identical": "is the same as",
    "diverged": "is on another line of history than",
}


def stands(relation: str) -> str:
    """How a commit stands to another, in words."""
    return _STANDS.get(relation, "stands in no known relation to")


def told(value: Known) -> str:
    """Yes, no, or that it is not known."""
    return NOT_TOLD if value == "unknown" else value


def _times(one: Told) -> tuple[str, ...]:
    began = "no operation seen at it" if one.began_at is None else f"operation began {full_time(one.began_at)}"
    committed = "" if one.committed_at is None else f"committed {full_time(one.committed_at)}"
    lines = (committed, began, f"verdict {full_time(one.verdict_at)}")
    return tuple(line for line in lines if line != "")


def rows(report: Report) -> tuple[Row, ...]:
    """Every row, in order."""

    def row(head: str, cell: Callable[[Told], tuple[str, ...]], *, exact: bool = False) -> Row:
        return Row(head, tuple(cell(one) for one in report.three), exact)

    return (
        row("Verdict", _verdict),
        row("Commit", lambda one: (one.commit,), exact=True),
        row("Subject", lambda one: (one.subject or NOT_TOLD,)),
        row("Tree", lambda one: (one.tree or NOT_TOLD,), exact=True),
        row("Relation", lambda one: _relation(report, one)),
        row("Sync revision", _behind(Layer.SYNC, lambda one: one.revisions, "no Application was read")),
        row("Health", lambda one: one.health or ("no Application was read",)),
        row("Probe failures", lambda one: one.probes or ("none seen",)),
        row("Endpoints", _behind(Layer.READINESS, lambda one: one.endpoints, "no EndpointSlice was read")),
        row("HTTP result", _behind(Layer.REQUEST, lambda one: one.answers, "no answer is recorded")),
        row("Times", _times),
    )


def intent(report: Report) -> str:
    """Whether what Git says was repaired."""
    return {
        "yes": "It repairs what Git says: the next sync brings the same.",
        "no": "It does not repair what Git says.",
        "unknown": "Whether it repairs what Git says is not known.",
    }[report.repairs_intent]


def how(report: Report) -> str:
    """How the service came to be well again."""
    return f"{KIND_WORDS[report.kind]}: {report.kind_message}. {intent(report)}"
