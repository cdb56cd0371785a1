"""What a manifest declares of one Application: its pin, and what else decides on what is deployed. Pure.

Two texts declare the same where the parser says the same of the parts that count: comments, layout and
what Argo CD does with the Application otherwise (its ``syncPolicy``, its labels) are left out.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gate.pin.manifest import find_objects, parse_manifest, refused
from gate.pin.nodes import ManifestError, Node, Parsed, Signature
from gate.pin.places import Place, is_kind
from gate.pin.spots import Spot

_OPENS = ("MappingStartEvent", "SequenceStartEvent")
_CLOSES = ("MappingEndEvent", "SequenceEndEvent")
_OF_APPLICATION = (
    ("metadata", "namespace"),
    ("spec", "project"),
    ("spec", "destination"),
    ("spec", "source"),
    ("spec", "sources"),
    ("spec", "sourceHydrator"),
)
_OF_SET = (("metadata", "namespace"), ("spec",))

Pinned = tuple[str, int | str | None]
"""Name and source of an Application, as the configuration has them."""


@dataclass(frozen=True)
class Declared:
    """``pins`` are the different ``targetRevision`` that the Application has, ``rest`` all else that counts."""

    pins: frozenset[str]
    rest: tuple[tuple[Signature, ...], ...]


def read_declared(text: str, one: Pinned, pinned: Iterable[Pinned], where: str) -> Declared:
    """What this text declares of an Application; ``pinned`` are all whose pins stand in the file.

    ``where`` names file and commit in errors. Raises ConfigurationError where the Application or its pin
    is not there.
    """
    parsed = parse_manifest(text, where)
    try:
        found = find_objects(parsed, *one)
        pins = _pins(one[0], [place for _, places in found for place in places])
        masked = {place.spot.node.event for each in pinned for place in _places(parsed, each)}
        rest = tuple(part for object_, _ in found for part in _parts(parsed, object_, masked))
    except ManifestError as error:
        raise refused(error, where) from error
    return Declared(pins, rest)


def _pins(name: str, places: list[Place]) -> frozenset[str]:
    pins = frozenset(place.spot.node.text for place in places)
    if not pins or "" in pins:
        raise ManifestError(f"gives Application {name} no targetRevision")
    return pins


def _places(parsed: Parsed, one: Pinned) -> list[Place]:
    """The places that pin another Application of the configuration; none where it is not in the file."""
    try:
        return [place for _, places in find_objects(parsed, *one) for place in places]
    except ManifestError:
        return []


def _parts(parsed: Parsed, object_: Spot, masked: set[int]) -> Iterator[tuple[Signature, ...]]:
    """What the parser said of each part that counts, pins left out.

    An alias means what stands elsewhere: then the whole file counts.
    """
    ways = _OF_APPLICATION if is_kind(object_, "Application") else _OF_SET
    for way in ways:
        part = object_.at(*way)
        said = () if part is None else tuple(_said(parsed, part.node, masked))
        if any(one[0] == "AliasEvent" for one in said):
            yield tuple(_without(parsed, range(len(parsed.signatures)), masked))
        else:
            yield said


def _said(parsed: Parsed, node: Node, masked: set[int]) -> Iterator[Signature]:
    return _without(parsed, range(node.event, _end(parsed, node.event)), masked)


def _without(parsed: Parsed, events: range, masked: set[int]) -> Iterator[Signature]:
    for number in events:
        yield ("pin",) if number in masked else parsed.signatures[number]


def _end(parsed: Parsed, begin: int) -> int:
    """The number of the event behind a value's last one."""
    depth = 0
    for number in range(begin, len(parsed.signatures)):
        kind = parsed.signatures[number][0]
        depth += (kind in _OPENS) - (kind in _CLOSES)
        if depth == 0:
            return number + 1
    return len(parsed.signatures)
