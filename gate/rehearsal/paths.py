"""A JSON document in which a JSONPath selects one value and nothing else: the way to it is built step by step. Pure."""

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gate.config.expressions import compile_json_path

if TYPE_CHECKING:
    from jsonpath.selectors import JSONPathSelector

_LONGEST = 1000
# A filter as the compiler writes it: @['name'] == 'web', several joined by &&; or @['name'] alone.
_CLAUSE = re.compile(r"@((?:\['[^'\\]*'\])+)(?: == ('[^'\\]*'|-?[0-9]+|true|false))?")
_KEY = re.compile(r"\['([^'\\]*)'\]")


class CannotBuild(ValueError):
    """No document can be made for this path, or none that also holds what stands in it already."""


@dataclass(frozen=True)
class _Chosen:
    """An entry of a list that is chosen by what it holds: values by the way to each."""

    held: tuple[tuple[tuple[str, ...], Any], ...]


Step = str | int | _Chosen


def _chosen(filtered: str) -> _Chosen:
    """The entry that a filter chooses; raises CannotBuild for one that compares in other ways."""
    held = []
    for clause in filtered.split(" && "):
        found = _CLAUSE.fullmatch(clause)
        if found is None:
            raise CannotBuild("a document cannot be made for this kind of filter")
        keys, literal = tuple(_KEY.findall(found[1])), found[2] or "true"
        held.append((keys, literal[1:-1] if literal.startswith("'") else json.loads(literal)))
    return _Chosen(tuple(held))


def _step(selector: "JSONPathSelector") -> Step:
    """What this selector selects: one key, one index, or the entry of a filter; raises CannotBuild otherwise."""
    match type(selector).__name__:
        case "NameSelector":
            return str(getattr(selector, "name", ""))
        case "IndexSelector":
            return int(getattr(selector, "index", 0))
        case "WildcardSelector":
            return 0
        case "SliceSelector" if (getattr(selector, "slice", slice(None)).step or 1) > 0:
            return int(getattr(selector, "slice", slice(None)).start or 0)
        case "Filter":
            return _chosen(str(getattr(selector, "expression", "")))
        case _:
            raise CannotBuild("a document cannot be made for this kind of path")


def _steps(path: str) -> list[Step]:
    steps: list[Step] = []
    for segment in compile_json_path(path).segments:
        selectors = tuple(segment.selectors)
        if len(selectors) == 0:
            raise CannotBuild("a document cannot be made for this kind of path")
        steps.append(_step(selectors[0]))
    return steps


def _grown(node: Any, step: str | int) -> Any:
    """The container that this step needs; raises CannotBuild where something else stands there."""
    grown = ({} if isinstance(step, str) else []) if node is None else node
    if isinstance(step, str):
        if not isinstance(grown, dict):
            raise CannotBuild("another path needs another document")
        return grown
    if not isinstance(grown, list):
        raise CannotBuild("another path needs another document")
    wanted = step + 1 if step >= 0 else -step
    if wanted > _LONGEST:
        raise CannotBuild(f"a list of more than {_LONGEST} entries is not made")
    grown.extend([None] * (wanted - len(grown)))
    return grown


def _entry(entries: list[Any], chosen: _Chosen) -> int:
    """The index of the entry that holds what is chosen, made where there is none."""
    for index, entry in enumerate(entries):
        if isinstance(entry, dict) and all(
            entry.get(keys[0]) == value for keys, value in chosen.held if len(keys) == 1
        ):
            return index
    made: Any = {}
    for keys, value in chosen.held:
        made = _put(made, list(keys), value)
    entries.append(made)
    return len(entries) - 1


def _put(node: Any, steps: list[Step], value: Any) -> Any:
    """The node with the value at the end of the steps."""
    if not steps:
        if node is not None and node != value:
            raise CannotBuild("two paths want different values in one place")
        return value
    step = steps[0]
    if isinstance(step, _Chosen):
        node = _grown(node, 0) if node is None else node
        if not isinstance(node, list):
            raise CannotBuild("another path needs another document")
        node = [one for one in node if one is not None]
        step = _entry(node, step)
    node = _grown(node, step)
    before = node.get(step) if isinstance(node, dict) else node[step]
    node[step] = _put(before, steps[1:], value)
    return node


def build_document(values: dict[str, str]) -> Any:
    """A document in which each path selects its text; whoever asks checks that it does.

    Raises CannotBuild where that is not possible.
    """
    document: Any = None
    for path, text in values.items():
        document = _put(document, _steps(path), text)
    return document
