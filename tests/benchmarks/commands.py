"""Commands that need little must not pay for what they do not use."""

import statistics
from pathlib import Path

from tests.benchmarks.machine import NAMED
from tests.benchmarks.processes import GATE, PYTHON, Running, imported, importing, seconds_of
from tests.benchmarks.results import Part, spread

RECORDED = Path(__file__).parents[1] / "states" / "recorded"
HEAVY = frozenset(
    (
        "aiohttp",
        "cronsim",
        "cryptography",
        "github",
        "httpx",
        "jsonpath",
        "kubernetes",
        "pydantic",
        "requests",
        "rich",
        "ruamel",
        "tenacity",
        "yaml",
    )
)
"""Packages whose import can be felt."""


def small_recording() -> Path:
    """The smallest state recorded from the real cluster."""
    return min(RECORDED.glob("*.json"), key=lambda path: path.stat().st_size)


def measure(repeats: int = 7) -> Part:
    """The part."""
    part = Part(
        "commands",
        "Commands",
        "Whole runs of the process, one after another in turn, beside an empty Python program and the import of the "
        "five named packages. Which packages a command imports is asked of the interpreter.",
    )
    recording = str(small_recording())
    commands = {
        "`gate --help`": (["--help"], set()),
        "`gate explain NotPinned`": (["explain", "NotPinned"], set()),
        "`gate replay` of a small recording": (["replay", recording], {"pydantic", "yaml", "jsonpath"}),
    }
    runs: dict[str, list[float]] = {name: [] for name in ("nothing", "five", *commands)}
    for number in range(repeats + 1):
        taken = {
            "nothing": seconds_of([*PYTHON, "-c", "pass"]),
            "five": importing(list(NAMED.values())),
            **{name: seconds_of([*GATE, *arguments]) for name, (arguments, _) in commands.items()},
        }
        if number > 0:  # the first round fills the caches
            for name, seconds in taken.items():
                runs[name].append(seconds)
    part.add("an empty Python program", "", spread(runs["nothing"]))
    part.add("importing the five named packages", "", spread(runs["five"]))
    five = statistics.median(runs["five"])
    for name, (arguments, used) in commands.items():
        share = statistics.median(runs[name]) / five
        part.add(f"{name}: time", "", f"{spread(runs[name])}, {share:.2f} of importing the five")
        found = sorted(imported(["-m", "gate", *arguments]) & HEAVY)
        bar = f"none but {', '.join(sorted(used))}" if used else "none"
        part.add(f"{name}: packages", bar, ", ".join(found) or "none", set(found) <= used)
    replay = Running.start([*GATE, "replay", recording])
    replay.end()
    part.add("`gate replay`: peak memory", "under 150 MiB", f"{replay.peak:.0f} MiB", 0 < replay.peak < 150)
    return part
