"""What a part of the measurements says, and how it is kept until the page is written."""

import json
import math
import os
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

KEPT = Path(__file__).parents[2] / "build" / "benchmarks"


@dataclass(frozen=True)
class Row:
    """One line of the table. ``met`` of None: there is no bar, the number is only told."""

    what: str
    bar: str
    measured: str
    met: bool | None = None


@dataclass
class Part:
    """The rows of one part; ``load`` is the machine's load average (1 minute) before and after it."""

    name: str
    title: str
    how: str
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    date: str = ""
    load: str = ""
    _before: float = 0.0

    def __post_init__(self) -> None:
        """The time of the measurement, unless it is read from a file."""
        if self.date == "":
            self.date = f"{datetime.now(UTC):%Y-%m-%d}"
            self._before = os.getloadavg()[0]

    def add(self, what: str, bar: str, measured: str, met: bool | None = None) -> None:
        """One more row, shown at once."""
        self.rows.append(Row(what, bar, measured, met))
        said = {True: "met", False: "MISSED", None: ""}[met]
        print(f"  {what}: {measured}{f' (bar: {bar}) {said}' if bar else ''}", flush=True)

    def keep(self) -> None:
        """Keep the part for the page."""
        self.load = f"{self._before:.1f} to {os.getloadavg()[0]:.1f}"
        values = {key: value for key, value in asdict(self).items() if not key.startswith("_")}
        KEPT.mkdir(parents=True, exist_ok=True)
        (KEPT / f"{self.name}.json").write_text(json.dumps(values, indent=1) + "\n")


def kept(name: str) -> Part | None:
    """A part that was measured earlier; None when it never was."""
    path = KEPT / f"{name}.json"
    if not path.exists():
        return None
    values = json.loads(path.read_text())
    values["rows"] = [Row(**row) for row in values["rows"]]
    return Part(**values)


def p95(values: Sequence[float]) -> float:
    """The value that 95 of 100 do not exceed (nearest rank)."""
    return sorted(values)[math.ceil(0.95 * len(values)) - 1]


def spread(values: Sequence[float], unit: str = "s", digits: int = 2) -> str:
    """Median with the least and the largest value."""
    middle = statistics.median(values)
    return f"{middle:.{digits}f} {unit} ({min(values):.{digits}f} to {max(values):.{digits}f}, {len(values)} times)"
