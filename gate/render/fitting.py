"""Cutting Markdown to what GitHub takes, without breaking what is left. Pure."""

import re
from collections.abc import Callable
from typing import NamedTuple

from gate.render.text import width

COMMENT_LIMIT = 60_000
"""UTF-16 units; GitHub refuses a comment of more than 65,536 characters, with the verdict in it."""

SUMMARY_LIMIT = 1024 * 1024
"""Bytes of UTF-8; the runner refuses a longer job summary as a whole."""

_FENCE = re.compile(r" {0,3}(?P<run>`{3,}|~{3,})(?P<rest>[^\n]*)")
_FOLD = re.compile(r"<(/?)details\b", re.IGNORECASE)


class _Open(NamedTuple):
    """What is open at the end of a line: a fence, by its first run, and a number of folds."""

    fence: str = ""
    folds: int = 0

    def after(self, line: str) -> "_Open":
        """The same at the end of the next line."""
        found = _FENCE.match(line)
        if self.fence:
            closes = found is not None and found["run"].startswith(self.fence) and not found["rest"].strip()
            return self._replace(fence="") if closes else self
        # A run of backticks with another behind it is a code span.
        if found is not None and not (found["run"].startswith("`") and "`" in found["rest"]):
            return self._replace(fence=found["run"])
        opened = sum(-1 if slash else 1 for slash in _FOLD.findall(line))
        return self._replace(folds=max(self.folds + opened, 0))

    @property
    def closing(self) -> str:
        """Lines that close it all."""
        fence = f"{self.fence}\n" if self.fence else ""
        return fence + "\n</details>\n" * self.folds


def utf8_length(text: str) -> int:
    """The length in bytes of UTF-8."""
    return len(text.encode(errors="replace"))


def cut_markdown(text: str, limit: int, note: str, measure: Callable[[str], int] = width) -> str:
    """Markdown of at most ``limit`` by ``measure``: whole lines from the top, then ``note``.

    Code fences and folds that the cut leaves open are closed. A text that fits is returned as it is.
    """
    if measure(text) <= limit:
        return text
    ending = f"\n{note}\n"
    kept: list[str] = []
    used, state = measure(ending), _Open()
    for line in text.split("\n"):
        after = state.after(line)
        if used + measure(f"{line}\n{after.closing}") > limit:
            break
        used += measure(f"{line}\n")
        kept.append(f"{line}\n")
        state = after
    return "".join(kept) + state.closing + ending
