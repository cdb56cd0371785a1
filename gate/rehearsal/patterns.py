"""Texts in which a regular expression is found, one for each of its alternatives. Pure.

The expression is read by Python's own parser. What it makes is only a candidate: look-arounds and
their like are passed over, so that whoever asks checks that it is found.
"""

import importlib
from collections.abc import Iterable
from itertools import islice
from typing import Any

from gate.rehearsal.paths import CannotBuild

_MOST = 32
"""Candidates of one expression; more alternatives than these are not tried in every combination."""

_LONGEST = 100_000

_PREFERRED = "a0A _-./:"
_CATEGORIES = {
    "CATEGORY_DIGIT": "0",
    "CATEGORY_NOT_DIGIT": "a",
    "CATEGORY_SPACE": " ",
    "CATEGORY_NOT_SPACE": "a",
    "CATEGORY_WORD": "a",
    "CATEGORY_NOT_WORD": " ",
}


def _inside(items: list[tuple[Any, Any]]) -> str:
    """One character of a set; for a negated one the first usual character that is not in it."""
    name, value = str(items[0][0]), items[0][1]
    if name == "CATEGORY":
        return _CATEGORIES[str(value)]
    if name != "NEGATE":
        return chr(value if name == "LITERAL" else value[0])
    usual = (*_PREFERRED, *map(chr, range(33, 127)))
    return next((letter for letter in usual if not any(_holds(item, letter) for item in items[1:])), "a")


def _holds(item: tuple[Any, Any], letter: str) -> bool:
    """Whether one item of a set stands for this character."""
    name, value = str(item[0]), item[1]
    if name == "CATEGORY":
        return _is_of(letter, str(value))
    return letter == chr(value) if name == "LITERAL" else chr(value[0]) <= letter <= chr(value[1])


def _is_of(letter: str, category: str) -> bool:
    kind = category.removeprefix("CATEGORY_").removeprefix("NOT_")
    known = {"DIGIT": letter.isdigit(), "SPACE": letter.isspace(), "WORD": letter.isalnum() or letter == "_"}
    return known.get(kind, False) is not category.startswith("CATEGORY_NOT_")


def _characters(operation: str, value: Any) -> list[str]:
    """What one character may be; no character where the part takes no room."""
    match operation:
        case "LITERAL":
            return [chr(value)]
        case "NOT_LITERAL":
            return ["a" if value != ord("a") else "b"]
        case "ANY":
            return ["a", " "]
        case "IN":
            return [_inside(value)]
        case _:
            return [""]


class _Reader:
    """Walks a parsed expression; remembers what each group was given."""

    def __init__(self) -> None:
        self.groups: dict[int | None, str] = {}

    def all(self, parsed: Iterable[tuple[Any, Any]]) -> list[str]:
        """Candidates for a sequence: every alternative of one part, with the first of the others."""
        found = [""]
        for operation, value in parsed:
            pieces = self._one(str(operation), value)
            first = [text + pieces[0] for text in found]
            found = list(islice(dict.fromkeys([*first, *(found[0] + piece for piece in pieces[1:])]), _MOST))
        return found

    def _one(self, operation: str, value: Any) -> list[str]:
        """Candidates for one part; places and look-arounds take no room."""
        match operation:
            case "BRANCH":
                return [text for branch in value[1] for text in self.all(branch)][:_MOST]
            case "SUBPATTERN":
                found = self.all(value[3])
                self.groups[value[0]] = found[0]
                return found
            case "ATOMIC_GROUP":
                return self.all(value)
            case "GROUPREF_EXISTS":
                return [*self.all(value[1]), *self.all(value[2] or ())][:_MOST]
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                return self._repeated(*value)
            case "GROUPREF":
                return [self.groups.get(value, "")]
            case _:
                return _characters(operation, value)

    def _repeated(self, least: int, most: int, parsed: Iterable[tuple[Any, Any]]) -> list[str]:
        """As few as are needed, but once where that is allowed too: it is what a person would expect."""
        pieces = self.all(parsed)
        if max(map(len, pieces)) * least > _LONGEST:
            raise CannotBuild(f"a text of more than {_LONGEST} characters is not made")
        texts = [piece * max(least, 1) for piece in pieces] if most > 0 else [""]
        return texts if least > 0 else [*texts, ""]


def candidates(pattern: str) -> tuple[str, ...]:
    """Texts in which the pattern may be found, at most 32, the likeliest first.

    Raises CannotBuild for one that only long texts satisfy.
    """
    parsed = importlib.import_module("re._parser").parse(pattern)
    return tuple(_Reader().all(parsed))
