"""A manifest's text as a tree of nodes that know where they stand in it. Pure.

Built from the parser's events without recursion, so that hostile text costs no more than its size:
an alias is the node that it names, and is never unfolded.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

MAX_BYTES = 1024 * 1024
MAX_LINE = 128 * 1024  # characters; the parser needs the square of it for some texts
MAX_DEPTH = 64
MAX_NODES = 100_000

Label = str | int
_BREAKS = re.compile(r"[\x85\u2028\u2029]|\r(?!\n)|(?!\A)\ufeff")
"""What some parsers take for the end of a line, or pass over at its beginning, and others for text."""
_TYPED = re.compile(
    r"(?:[-+.]*[0-9].*|[-+]?\.(?:inf|nan)|~|null|true|false|yes|no|on|off|y|n|=|)", re.IGNORECASE | re.DOTALL
)
_MERGE_TAGS = (None, "tag:yaml.org,2002:merge")
_BINARY = "tag:yaml.org,2002:binary"

Signature = tuple[object, ...]
"""What an event says, without where and in which style. The last but one is the value, the last whether it may be
something else than a text, which quotes would make of it."""


class ManifestError(ValueError):
    """Why a manifest cannot be used, in words that follow the file's name and a blank."""

    def __init__(self, message: str, *, means: str = "", change: str = "") -> None:
        super().__init__(message)
        self.means = means
        self.change = change


@dataclass(eq=False)
class Node:
    """One value. ``text`` is a scalar's; ``items`` are those of a list, ``pairs`` those of a mapping.

    ``start`` and ``end`` count characters of the text, ``event`` the parser's events, ``line`` from 1.
    ``style`` is a scalar's quote or block mark, None where it is plain. ``above``: where it is used.
    """

    kind: Literal["scalar", "mapping", "list"]
    start: int
    end: int
    event: int
    line: int
    text: str = ""
    style: str | None = None
    tag: str | None = None
    anchor: str | None = None
    items: list["Node"] = field(default_factory=list)
    pairs: list[tuple["Node", "Node"]] = field(default_factory=list)
    above: list[tuple["Node", Label]] = field(default_factory=list)

    @property
    def is_null(self) -> bool:
        """Whether this is a plain scalar that means nothing."""
        plain = self.kind == "scalar" and self.style is None and self.tag in (None, "tag:yaml.org,2002:null")
        return plain and self.text in ("", "~", "null", "Null", "NULL")


@dataclass
class _Open:
    """A mapping or list that is not closed yet; ``key`` waits for its value."""

    node: Node
    key: Node | None = None


def _said(event: Any) -> Signature:
    tag, value = getattr(event, "tag", None), getattr(event, "value", None)
    typed = value is not None and not event.style and _TYPED.fullmatch(value) is not None
    return (type(event).__name__, getattr(event, "anchor", None), None if tag is None else str(tag), value, typed)


def _check(event: Any, *, first: bool) -> None:
    """Refuse what Kubernetes reads otherwise. ``first``: no document came before."""
    line = event.start_mark.line + 1
    if str(getattr(event, "tag", None)) == _BINARY:
        raise ManifestError(f"holds a text in base64 on line {line}", change="write it out.")
    if type(event).__name__ == "DocumentStartEvent" and not first and not event.explicit:
        raise ManifestError(f"holds a document that no --- begins on line {line}", change="begin it with ---.")


@dataclass
class _Tree:
    """Builds the documents from the events."""

    documents: list[Node] = field(default_factory=list)
    signatures: list[Signature] = field(default_factory=list)
    _open: list[_Open] = field(default_factory=list)
    _anchors: dict[str, Node] = field(default_factory=dict)

    def take(self, event: Any) -> None:
        """One event; raises ManifestError for what is refused."""
        kind = type(event).__name__
        anchor = getattr(event, "anchor", None)
        self.signatures.append(_said(event))
        if len(self.signatures) > MAX_NODES:
            raise ManifestError(f"holds more than {MAX_NODES} values")
        _check(event, first=self.documents == [])
        match kind:
            case "DocumentStartEvent":
                self._anchors = {}
            case "AliasEvent":
                if anchor not in self._anchors:
                    raise ManifestError(f"uses the alias *{anchor} on line {event.start_mark.line + 1} before its end")
                self._put(self._anchors[anchor])
            case "ScalarEvent":
                self._put(self._node(event, "scalar"))
            case "MappingStartEvent":
                self._begin(self._node(event, "mapping"))
            case "SequenceStartEvent":
                self._begin(self._node(event, "list"))
            case "MappingEndEvent" | "SequenceEndEvent":
                closed = self._open.pop().node
                if closed.anchor is not None:  # not before: nothing can hold itself
                    self._anchors[closed.anchor] = closed
            case _:
                pass  # the ends of documents and of the stream

    def _node(self, event: Any, kind: Literal["scalar", "mapping", "list"]) -> Node:
        made = Node(
            kind,
            event.start_mark.index,
            event.end_mark.index,
            len(self.signatures) - 1,
            event.start_mark.line + 1,
            anchor=event.anchor,
            tag=None if event.tag is None else str(event.tag),
        )
        if kind == "scalar":
            made.text, made.style = event.value, event.style or None
            if event.anchor is not None:
                self._anchors[event.anchor] = made
        return made

    def _begin(self, node: Node) -> None:
        if len(self._open) >= MAX_DEPTH:
            raise ManifestError(f"is more than {MAX_DEPTH} levels deep on line {node.line}")
        self._put(node)
        self._open.append(_Open(node))

    def _put(self, node: Node) -> None:
        if self._open == []:
            self.documents.append(node)
            return
        here = self._open[-1]
        if here.node.kind == "list":
            node.above.append((here.node, len(here.node.items)))
            here.node.items.append(node)
        elif here.key is None:
            if node.text == "<<" and (node.style is not None or node.tag not in _MERGE_TAGS):
                raise ManifestError(f"has a key << that merges nothing on line {node.line}", change="write it plain.")
            node.above.append((here.node, "?"))  # a key may be an alias as well
            here.key = node
        else:
            node.above.append((here.node, here.key.text if here.key.kind == "scalar" else "?"))
            here.node.pairs.append((here.key, node))
            here.key = None


@dataclass(frozen=True)
class Parsed:
    """The documents of a text in order, and what the parser said one after another."""

    text: str
    documents: tuple[Node, ...]
    signatures: tuple[Signature, ...]


def _is_json(text: str) -> bool:
    with suppress(ValueError, RecursionError):
        return isinstance(json.loads(text.removeprefix("\ufeff")), dict | list)
    return False


def _readings(text: str) -> Iterator[str]:
    """The text as the parser may read it, every character in its place: it knows tabs only within values."""
    if _is_json(text):
        yield text.replace("\t", " ")
        return
    yield text
    if "\t" in text:
        yield re.sub(r"(?<=[^\s])([ \t]+)", lambda found: " " * len(found[0]), text)


def _parse(text: str) -> _Tree:
    from ruamel.yaml import YAML

    tree = _Tree()
    for event in YAML(typ="safe", pure=True).parse(text):
        tree.take(event)
    return tree


def parse_nodes(text: str) -> Parsed:
    """The documents of a YAML or JSON text. Raises ManifestError, and nothing else, whatever the text."""
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "replace")) > MAX_BYTES:
        raise ManifestError(f"is larger than {MAX_BYTES // 1024} KiB")
    if any(len(line) > MAX_LINE for line in text.splitlines()):
        raise ManifestError(f"has a line that is longer than {MAX_LINE // 1024} Ki characters")
    odd = _BREAKS.search(text)
    if odd is not None:
        line = text.count("\n", 0, odd.start()) + 1
        raise ManifestError(f"holds a character that ends a line for some readers only, on line {line}: {odd[0]!a}")
    failure: Exception | None = None
    for reading in _readings(text):
        try:
            tree = _parse(reading)
        except ManifestError:
            raise
        except Exception as error:  # noqa: BLE001  # hostile text makes the parser raise more than its own errors
            failure = error if failure is None else failure
        else:
            return Parsed(text, tuple(tree.documents), tuple(tree.signatures))
    mark = getattr(failure, "problem_mark", None)
    raise ManifestError("is not YAML" + ("" if mark is None else f" (line {mark.line + 1})")) from failure
