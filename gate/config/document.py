"""A configuration text to plain data, with the line of every key. Pure; judges nothing.

YAML 1.2 (and so JSON) through ruamel.yaml's parser. What its constructors would do is done here,
so that nothing is guessed and nothing grows: plain words that look like numbers or dates keep
their meaning in YAML 1.2's core schema, keys are texts and stand once, tags are refused, aliases
count as often as they are used.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

MAX_BYTES = 1024 * 1024
MAX_LINE = 128 * 1024  # characters; the parser needs the square of it for some texts
MAX_DEPTH = 32
MAX_NODES = 20_000

KeyPath = tuple[str | int, ...]

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?[0-9]{1,30}")
_BASED = re.compile(r"0o[0-7]{1,30}|0x[0-9a-fA-F]{1,30}")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SPECIAL_FLOAT = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_STRING_TAGS = frozenset({"!", "tag:yaml.org,2002:str"})


class DocumentError(ValueError):
    """The text is no document that a configuration can be. ``line`` counts from 1, None if unknown."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class Document:
    """``data`` is built of dict, list, str, int, float, bool and None; ``lines`` has the line of each path."""

    data: object
    lines: dict[KeyPath, int]


@dataclass
class _Node:
    """A value with what it costs: ``size`` nodes, ``height`` levels below it."""

    value: Any
    size: int = 1
    height: int = 0


@dataclass
class _Open:
    """A mapping or list that is not closed yet."""

    node: _Node
    path: KeyPath
    anchor: str | None
    key: str | None = None
    key_lines: dict[str, int] = field(default_factory=dict)


class _Builder:
    """Builds the data from the parser's events, without recursion."""

    def __init__(self) -> None:
        self.lines: dict[KeyPath, int] = {}
        self.root: _Node | None = None
        self._open: list[_Open] = []
        self._anchors: dict[str, _Node] = {}
        self._nodes = 0

    def take(self, event: Any) -> None:
        """One event. Raises DocumentError for what is refused."""
        line = event.start_mark.line + 1
        match type(event).__name__:
            case "DocumentStartEvent":
                if self.root is not None:
                    raise DocumentError("a second document starts here; expected one", line)
            case "AliasEvent":
                self._alias(event, line)
            case "ScalarEvent":
                self._scalar(event, line)
            case "MappingStartEvent" | "SequenceStartEvent" as name:
                self._start(event, {} if name == "MappingStartEvent" else [], line)
            case "MappingEndEvent" | "SequenceEndEvent":
                closed = self._open.pop()
                self._remember(closed.anchor, closed.node)
            case _:
                pass  # the ends of documents and of the stream, comments

    def _remember(self, anchor: str | None, node: _Node) -> None:
        if anchor is not None:
            self._anchors[anchor] = node

    def _scalar(self, event: Any, line: int) -> None:
        value = _scalar(event, line)
        if self._wants_key():
            self._key(value, line)
            self._remember(event.anchor, _Node(value))
            return
        node = _Node(value)
        self._put(node, line)
        self._remember(event.anchor, node)

    def _alias(self, event: Any, line: int) -> None:
        node = self._anchors.get(event.anchor)
        if node is None:
            raise DocumentError("an alias (*NAME) stands before the end of what it names", line)
        if self._wants_key():
            self._key(node.value, line)
        else:
            self._put(node, line)

    def _start(self, event: Any, value: Any, line: int) -> None:
        if self._wants_key():
            raise DocumentError("a mapping or list stands where a key is expected", line)
        if event.tag is not None:
            raise DocumentError("tags (!NAME) are not understood here", line)
        node = _Node(value)
        path = self._put(node, line)
        self._open.append(_Open(node, path, event.anchor))

    def _wants_key(self) -> bool:
        return self._open != [] and isinstance(self._open[-1].node.value, dict) and self._open[-1].key is None

    def _key(self, key: object, line: int) -> None:
        here = self._open[-1]
        if not isinstance(key, str):
            raise DocumentError(
                "a key is a text; write one that looks like a number, a truth value or null in quotes", line
            )
        if key == "<<":
            raise DocumentError("merge keys (<<) are not part of YAML 1.2; use an alias for a whole value", line)
        if key in here.key_lines:
            raise DocumentError(f"a key stands twice in one mapping; it is also on line {here.key_lines[key]}", line)
        here.key_lines[key] = line
        here.key = key
        self.lines[(*here.path, key)] = line

    def _put(self, node: _Node, line: int) -> KeyPath:
        """Place a value where the document stands; its path."""
        self._nodes += node.size
        if self._nodes > MAX_NODES:
            raise DocumentError(f"more than {MAX_NODES} values, aliases counted as often as they are used", line)
        if len(self._open) + node.height >= MAX_DEPTH:
            raise DocumentError(f"more than {MAX_DEPTH} levels deep", line)
        for above, opened in enumerate(reversed(self._open), start=1):
            opened.node.size += node.size
            opened.node.height = max(opened.node.height, node.height + above)
        if self._open == []:
            self.root = node
            return ()
        here = self._open[-1]
        if isinstance(here.node.value, list):
            path: KeyPath = (*here.path, len(here.node.value))
            here.node.value.append(node.value)
            self.lines[path] = line
        else:
            path = (*here.path, str(here.key))
            here.node.value[here.key] = node.value
            here.key = None
        return path


def _scalar(event: Any, line: int) -> object:
    """The value of a scalar by the core schema of YAML 1.2; quoted ones are texts."""
    text: str = event.value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if event.tag is not None and event.tag not in _STRING_TAGS:
        raise DocumentError("tags (!NAME) are not understood here; a text can be written in quotes", line)
    if event.tag is not None or not event.implicit[0]:
        return text
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if _INT.fullmatch(text) is not None:
        return int(text)
    if _BASED.fullmatch(text) is not None:
        return int(text, 0)
    if _SPECIAL_FLOAT.fullmatch(text) is not None:
        return math.nan if text.lower() == ".nan" else float(text.replace(".", ""))
    return float(text) if _FLOAT.fullmatch(text) is not None else text


def _events(text: str) -> Iterator[Any]:
    from ruamel.yaml import YAML

    return iter(YAML(typ="safe", pure=True).parse(text))


def parse_document(text: str) -> Document:
    """The one document of a text. Raises DocumentError; empty text is a document of None.

    Costs are bounded by MAX_BYTES of UTF-8, MAX_LINE, MAX_DEPTH and MAX_NODES.
    """
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "replace")) > MAX_BYTES:
        raise DocumentError(f"larger than {MAX_BYTES // 1024} KiB")
    if any(len(line) > MAX_LINE for line in text.splitlines()):
        raise DocumentError(f"a line is longer than {MAX_LINE // 1024} Ki characters")
    builder = _Builder()
    try:
        for event in _events(text.removeprefix("\ufeff")):
            builder.take(event)
    except DocumentError:
        raise
    except Exception as error:  # noqa: BLE001 - hostile text makes the parser raise more than its own errors
        raise _not_yaml(error) from None
    return Document(None if builder.root is None else builder.root.value, builder.lines)


def _not_yaml(error: Exception) -> DocumentError:
    """What the parser could not read, without repeating the text."""
    marks = [getattr(error, name, None) for name in ("problem_mark", "context_mark")]
    line = next((mark.line + 1 for mark in marks if mark is not None), None)
    problem = getattr(error, "problem", None)
    said = problem if isinstance(problem, str) else "characters or escapes that YAML does not allow"
    if "\\t" in said or "'\t'" in said:
        return DocumentError("not YAML: a tab where only spaces may indent", line)
    return DocumentError(f"not YAML: {said}", line)
