"""What every reason means and what to do about it: ``reasons.toml``, read once into frozen values.

The file is package data, so reading it is no IO that could fail for a user; a file that does not
fit raises ValueError and is caught by a test. Plain dataclasses, because ``gate explain`` must
not pay for pydantic.
"""

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType

from gate.errors import UsageError
from gate.reasons import Reason

PLACES: tuple[str, ...] = ("verdict", "any", "intent", "sync", "readiness", "request")
"""Where a reason can stand: at the verdict, at any layer, or at one layer; in the order of the page."""

_TEXTS = ("layer", "short", "meaning", "next", "final")


@dataclass(frozen=True, slots=True)
class Explanation:
    """One reason in words. ``layer`` is one of PLACES; ``short`` follows "staging failed: ".

    ``commands`` only read; names in angle brackets stand for real ones (see the file's head).
    ``final`` is ``always``, ``never`` or ``sometimes: when``.
    """

    reason: Reason
    layer: str
    short: str
    meaning: str
    next: str
    final: str
    commands: tuple[str, ...] = ()

    @property
    def anchor(self) -> str:
        """The fragment of this reason on the page ``docs/reasons.md``."""
        return self.reason.value.lower()


def parse_catalogue(text: str) -> Mapping[Reason, Explanation]:
    """TOML to one explanation a reason, in the order of Reason; raises ValueError for any misfit."""
    tables = tomllib.loads(text)
    names = {reason.value for reason in Reason}
    if tables.keys() != names:
        raise ValueError(f"entries and reasons differ: {sorted(tables.keys() ^ names)}")
    return MappingProxyType({reason: _parse_entry(reason, tables[reason.value]) for reason in Reason})


def _parse_entry(reason: Reason, table: Mapping[str, object]) -> Explanation:
    unknown = table.keys() - {*_TEXTS, "commands"}
    if unknown:
        raise ValueError(f"{reason}: unknown keys {sorted(unknown)}")
    texts: dict[str, str] = {}
    for key in _TEXTS:
        value = table.get(key)
        if not isinstance(value, str) or value.strip() == "":
            raise ValueError(f"{reason}: {key} must be a text that is not empty")
        texts[key] = value
    if texts["layer"] not in PLACES:
        raise ValueError(f"{reason}: layer {texts['layer']!r} is none of {PLACES}")
    if texts["final"] not in ("always", "never") and not texts["final"].startswith("sometimes: "):
        raise ValueError(f"{reason}: final must be always, never or 'sometimes: when'")
    commands = table.get("commands", [])
    if not isinstance(commands, list) or not all(isinstance(command, str) for command in commands):
        raise ValueError(f"{reason}: commands must be a list of texts")
    return Explanation(reason=reason, commands=tuple(commands), **texts)


@cache
def load_catalogue() -> Mapping[Reason, Explanation]:
    """Every reason with its explanation, in the order of Reason."""
    return parse_catalogue(resources.files("gate").joinpath("reasons.toml").read_text(encoding="utf-8"))


def explain(name: str) -> Explanation:
    """The explanation of a reason by its name, whatever the case of its letters.

    Raises UsageError (exit 64) for an unknown name, with the nearest ones.
    """
    by_name = {reason.value.casefold(): reason for reason in Reason}
    wanted = name.strip().casefold()
    if wanted in by_name:
        return load_catalogue()[by_name[wanted]]
    near = [by_name[match].value for match in difflib.get_close_matches(wanted, by_name, n=3, cutoff=0.6)]
    change = f"Did you mean {' or '.join(near)}? " if near else ""
    raise UsageError(
        f"There is no reason called {name!r}.",
        change=change + "`gate explain --all` lists every reason.",
    )
