"""Looking things up in a manifest as Kubernetes would, and remembering the way. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from gate.pin.nodes import Label, ManifestError, Node

_MERGE = "<<"
_MOST_WAYS = 1000

Way = tuple[Label, ...]
"""Keys and indexes from the root of a document, merge keys among them."""


def _explicit(node: Node, key: str) -> Node | None:
    found = [(name, value) for name, value in node.pairs if name.kind == "scalar" and name.text == key]
    if len(found) > 1:
        lines = " and ".join(str(name.line) for name, _ in found)
        raise ManifestError(f"has the key {key} twice in one mapping, on lines {lines}", change="leave one of them.")
    return found[0][1] if found else None


@dataclass(frozen=True)
class Spot:
    """A node, and the way by which it was reached."""

    node: Node
    way: Way = ()

    def member(self, key: str) -> "Spot | None":
        """The value of a key of this mapping, else of what it merges; None where it is nothing, or no mapping.

        Raises ManifestError for a key that stands twice.
        """
        waiting, seen = [self], set[int]()
        while waiting:
            here = waiting.pop(0)
            if here.node.kind != "mapping" or id(here.node) in seen:
                continue
            seen.add(id(here.node))
            value = _explicit(here.node, key)
            if value is not None:
                return None if value.is_null else Spot(value, (*here.way, key))
            merged = _explicit(here.node, _MERGE)
            if merged is not None:
                base = Spot(merged, (*here.way, _MERGE))
                waiting[:0] = list(base.items()) if merged.kind == "list" else [base]
        return None

    def items(self) -> Iterator["Spot"]:
        """The items of this list; none where it is no list."""
        for index, item in enumerate(self.node.items):
            yield Spot(item, (*self.way, index))

    def at(self, *keys: str) -> "Spot | None":
        """The value at the end of these keys, one below the other."""
        here: Spot | None = self
        for key in keys:
            here = None if here is None else here.member(key)
        return here

    def text(self, *keys: str) -> str:
        """The text at the end of these keys; empty where there is none."""
        found = self.at(*keys)
        return found.node.text if found is not None and found.node.kind == "scalar" else ""


def ways_to(node: Node) -> set[Way]:
    """Every way from the root of the document to this node, by anchors too. Raises ManifestError for too many."""
    found: set[Way] = set()
    waiting: list[tuple[Node, Way]] = [(node, ())]
    for _ in range(_MOST_WAYS):
        if not waiting:
            return found
        here, way = waiting.pop()
        if not here.above:
            found.add(way)
        waiting += [(above, (label, *way)) for above, label in here.above]
    raise ManifestError(f"uses the anchor of line {node.line} in too many places", change="write the pin out.")
