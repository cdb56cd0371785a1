"""Stored verdicts, newest first: as plain data, and in lines for a log. Pure."""

from datetime import datetime

from gate.outcomes import VerdictWord
from gate.render.text import clean
from gate.render.words import SYMBOLS, short_id, utc
from gate.verdict import Answered, Text


class Stored(Answered):
    """One stored verdict. ``refused`` says why its file is not verified, and is empty where it is.

    What a file that is not verified says is not shown as its verdict: ``verdict`` is None then.
    """

    recorded_at: datetime | None
    commit: str
    run: Text
    path: Text
    verdict: VerdictWord | None
    reason: str
    failed_layer: str
    refused: Text


class StoredVerdicts(Answered):
    """What a store holds of an environment. ``more``: there are older ones that were not asked for."""

    environment: Text
    store: Text
    verdicts: tuple[Stored, ...]
    more: bool


_HEADS = ("Recorded (UTC)", "Verdict", "Commit", "Run", "Reason")


def _cells(one: Stored) -> tuple[str, ...]:
    at = "not known" if one.recorded_at is None else f"{utc(one.recorded_at):%Y-%m-%d %H:%M:%S}"
    if one.verdict is None:
        return at, "⛔ not verified", short_id(one.commit), clean(one.run, 24), clean(one.refused, 200)
    reason = one.reason if one.failed_layer == "" else f"{one.reason} ({one.failed_layer})"
    return at, f"{SYMBOLS[one.verdict]} {one.verdict.value}", short_id(one.commit), clean(one.run, 24), reason


def render_history(history: StoredVerdicts) -> str:
    """A table in columns, and below it what is not shown."""
    where = f"{clean(history.environment, 80)} on {clean(history.store, 200)}"
    if not history.verdicts:
        return (
            f"No verdict of {where}.\n"
            "This usually means: the name is another one, or its verdicts are kept elsewhere (--folder, --repository,"
            " --repo, --branch).\n"
        )
    rows = [_HEADS, *(_cells(one) for one in history.verdicts)]
    # A symbol takes two columns and is one character, but for its own head.
    widths = [max(len(row[column]) + (column == 1 and row is not _HEADS) for row in rows) for column in range(4)]
    lines = [_line(row, widths, symbol=row is not _HEADS) for row in rows]
    refused = sum(1 for one in history.verdicts if one.verdict is None)
    said = (
        [f"{refused} of {len(history.verdicts)} files are not verified; see gate evidence verify."] if refused else []
    )
    more = ["There are older ones: give a higher --limit."] if history.more else []
    return "\n".join(
        [f"Verdicts of {where}, newest first", "", *lines, *([""] if said or more else []), *said, *more, ""]
    )


def _line(row: tuple[str, ...], widths: list[int], *, symbol: bool) -> str:
    padded = [
        f"{cell:<{width - (symbol and column == 1)}}"
        for column, (cell, width) in enumerate(zip(row[:4], widths, strict=True))
    ]
    return "  ".join([*padded, row[4]]).rstrip()
