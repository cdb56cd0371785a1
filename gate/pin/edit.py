"""Writing a new ``targetRevision`` into a manifest: the value, and not one character else. Pure.

The new value is put where the old one stands in the text. Then the text is read again, and it is
proven that the parser says the same as before, but for the values that were meant. Without that
proof there is no new text.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gate.errors import ConfigurationError, UsageError
from gate.facts.upstream import is_full_id
from gate.pin.manifest import find_places, parse_manifest, read_pin, refused
from gate.pin.nodes import ManifestError, Node, Parsed, parse_nodes
from gate.pin.places import KUSTOMIZE, Place
from gate.pin.spots import Way, ways_to

_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")
# What YAML reads as a number where it is not quoted.
_NUMERIC = re.compile(r"[0-9]+(?:e[0-9]+)?|0b[01]+")
_TEXT_TAGS = (None, "!", "tag:yaml.org,2002:str")


class Wanted(NamedTuple):
    """An Application to pin, and which of its sources; None: every one from Git."""

    name: str
    source: int | str | None = None


def edit_pins(text: str, wanted: Sequence[Wanted], revision: str, where: str) -> str:
    """The text with these Applications pinned to ``revision``, and all else as it was, to the byte.

    ``where`` names file and commit in errors. A text that pins them already comes back as it is.
    Raises UsageError for a revision that is no full commit id, ConfigurationError for a manifest
    that does not hold a pin, or not one that can be written alone.
    """
    if not is_full_id(revision):
        raise UsageError(f"{revision!r} is not a full commit id of 40 or 64 lower-case hex digits.")
    parsed = parse_manifest(text, where)
    try:
        nodes = _editable(parsed, wanted)
        edited = _spliced(text, [node for node in nodes if not _says(node, revision)], revision)
        _prove(parsed, edited, nodes, revision)
    except ManifestError as error:
        raise refused(error, where) from error
    for one in wanted:
        if read_pin(edited, one.name, one.source, where) != revision:
            raise ConfigurationError(f"{where}: Application {one.name} has a pin that cannot be written.")
    return edited


def check_editable(text: str, wanted: Sequence[Wanted], where: str) -> None:
    """Raise ConfigurationError where ``edit_pins`` would, whatever the revision."""
    parsed = parse_manifest(text, where)
    try:
        _editable(parsed, wanted)
    except ManifestError as error:
        raise refused(error, where) from error


def _editable(parsed: Parsed, wanted: Sequence[Wanted]) -> list[Node]:
    """The scalars to write, each once. Raises ManifestError where one says more than was asked to change."""
    places = [place for one in wanted for place in _places(parsed, one)]
    meant: dict[int, set[Way]] = {}
    for place in places:
        meant.setdefault(id(place.spot.node), set()).add(place.spot.way)
    names = {one.name for one in wanted}
    for place in places:
        _check(place, names)
        _check_alone(place, meant[id(place.spot.node)])
    return list({id(place.spot.node): place.spot.node for place in places}.values())


def _places(parsed: Parsed, one: Wanted) -> list[Place]:
    found = find_places(parsed, one.name, one.source)
    if len(found) > 1:
        raise ManifestError(
            f"holds Application {one.name} more than once",
            means="it stands there for several namespaces or clusters.",
            change="give each a file of its own.",
        )
    if not found[0]:
        raise ManifestError(
            f"gives Application {one.name} no {'Git source' if one.source is None else f'source {one.source!r}'}",
            means="its sources changed, or all of them are charts.",
            change="correct `source:` in the configuration.",
        )
    if one.source is not None and len(found[0]) > 1:
        raise ManifestError(f"has several sources called {one.source!r}", change="choose one by its index.")
    if len({_address(place) for place in found[0]}) > 1:
        raise ManifestError(
            f"gives Application {one.name} Git sources of several repositories, and none is chosen",
            means="one commit cannot be the pin of all of them.",
            change="choose the source that is promoted with `source:` in the configuration.",
        )
    return found[0]


def _address(place: Place) -> str | None:
    """The repository that a source comes from, spelled one way."""
    return None if place.repository is None else place.repository.rstrip("/").removesuffix(".git").lower()


def _check(place: Place, names: Iterable[str]) -> None:
    at = f"{place.field} (line {place.spot.node.line})"
    if place.chart:
        raise ManifestError(
            f"has a chart's version at {at}",
            means="a Helm chart has versions, no commits.",
            change="choose a Git source with `source:` in the configuration.",
        )
    if place.repository == "":
        raise ManifestError(f"has {at} in a source without repoURL", **KUSTOMIZE)
    others = sorted(place.others - set(names))
    if others:
        shown = ", ".join(others[:5]) + (", ..." if len(others) > 5 else "")
        raise ManifestError(
            f"pins {shown} as well with {at}",
            means="the ApplicationSet generates Applications of another environment from the same value.",
            change="give each element a key of its own for the revision, or name all of them in the environment.",
        )


def _check_alone(place: Place, meant: set[Way]) -> None:
    node = place.spot.node
    if node.kind != "scalar" or node.tag not in _TEXT_TAGS:
        raise ManifestError(f"has no plain text at {place.field} (line {node.line})", change="write a commit id there.")
    if not ways_to(node) <= meant:
        raise ManifestError(
            f"shares {place.field} (line {node.line}) by an anchor with what is not to be pinned",
            means="another value would change with it.",
            change="write the pin out where it is used, without the anchor.",
        )


def _says(node: Node, revision: str) -> bool:
    return node.text == revision and not (node.style is None and _NUMERIC.fullmatch(revision) is not None)


def _spliced(text: str, nodes: list[Node], revision: str) -> str:
    for node in sorted(nodes, key=lambda one: one.start, reverse=True):
        text = text[: node.start] + _written(text[node.start : node.end], node, revision) + text[node.end :]
    return text


def _written(raw: str, node: Node, revision: str) -> str:
    """What stands in place of a scalar, its anchor, tag and quotes kept."""
    found = _PROPERTIES.match(raw)
    end = 0 if found is None else found.end()
    if node.style in ("'", '"'):
        return f"{raw[:end]}{node.style}{revision}{node.style}"
    if node.style is None:
        return raw[:end] + (f'"{revision}"' if _NUMERIC.fullmatch(revision) is not None else revision)
    header, newline, block = raw.partition("\n")  # a comment may stand behind the block's mark, and after the block
    return header + newline + block.replace(node.text.strip(), revision, 1)


def _prove(parsed: Parsed, edited: str, nodes: list[Node], revision: str) -> None:
    """Raise ManifestError unless the new text says what the old one said, but for these values."""
    expected, said = list(parsed.signatures), list(parse_nodes(edited).signatures)
    for node in nodes:
        expected[node.event] = (*expected[node.event][:-2], revision, *said[node.event : node.event + 1][0][-1:])
    if said != expected:
        raise ManifestError(
            "has a pin that cannot be written so that all else stays as it is",
            change="write the pin on one line, plain or in quotes.",
        )
