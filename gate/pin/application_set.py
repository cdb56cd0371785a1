"""Where an ApplicationSet pins one of the Applications that it generates. Pure.

List generators, and matrix generators of them, are read as Argo CD does; what other generators give
is not in the manifest. A part of a name that comes from there may be anything.
"""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from gate.pin.nodes import ManifestError, Node
from gate.pin.places import UNWRITTEN, Place, chosen_sources
from gate.pin.spots import Spot

_MOST = 1000
_FAST = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")
_GO = re.compile(r"\{\{-?\s*\.([\w.]+)\s*-?\}\}")
_UNKNOWN = "[a-z0-9.-]+"
_ANY = re.compile(r"\{\{.*?\}\}")
_OWN = (("spec", "source"), ("spec", "sources"), ("metadata", "name"))
_EDITED = "the gate edits a literal targetRevision, or the element of a list generator that gives it."


@dataclass(frozen=True)
class _Parameters:
    """What one generated Application is made of; ``whole``: no other generator adds to it."""

    elements: tuple[Spot, ...] = ()
    whole: bool = True

    def find(self, key: str) -> list[Spot]:
        """Every element's value of this key, which may lead through several mappings."""
        found = (one.member(key) or one.at(*key.split(".")) for one in self.elements)
        return [one for one in found if one is not None and one.node.kind == "scalar"]


def _combinations(generator: Spot, depth: int = 0) -> list[_Parameters]:
    template = generator.at("list", "template") or generator.at("matrix", "template")
    if template is not None and any(template.at(*keys) is not None for keys in _OWN):
        line = template.node.line
        raise ManifestError(f"has a generator with a template of its own on line {line}", change="use spec.template.")
    elements, children = generator.at("list", "elements"), generator.at("matrix", "generators")
    if elements is not None and generator.at("list", "elementsYaml") is None:
        return [_Parameters((one,)) for one in elements.items() if one.node.kind == "mapping"]
    if children is None or depth > 1:  # Argo CD nests them once
        return [_Parameters(whole=False)]
    parts = [_combinations(child, depth + 1) for child in children.items()]
    made = [
        _Parameters(tuple(one for part in row for one in part.elements), all(part.whole for part in row))
        for row in itertools.islice(itertools.product(*parts), _MOST + 1)
    ]
    if len(made) > _MOST:
        raise ManifestError(f"has a matrix of more than {_MOST} Applications")
    return made


class ApplicationSet:
    """One ApplicationSet."""

    def __init__(self, one: Spot) -> None:
        spec = one.member("spec") or one
        self._spec = spec
        self._name = spec.text("template", "metadata", "name")
        self._parameter = _GO if spec.text("goTemplate") == "true" else _FAST
        generators = spec.member("generators")
        self._made = [made for one in (() if generators is None else generators.items()) for made in _combinations(one)]

    def _parts(self, made: _Parameters) -> list[str | None]:
        """What the generated Application's name is put together of; None for what is not known here."""
        parts: list[str | None] = []
        end = 0
        for found in _ANY.finditer(self._name):
            key = self._parameter.fullmatch(found[0])
            values = [] if key is None else made.find(key[1])
            parts += [self._name[end : found.start()], values[0].node.text if len(values) == 1 else None]
            end = found.end()
        return [*parts, self._name[end:]]

    def _exact(self, made: _Parameters) -> str | None:
        """The one name that it can be; None where more are possible."""
        parts = self._parts(made)
        return None if None in parts else "".join(part or "" for part in parts)

    def _may_be(self, made: _Parameters, name: str) -> bool:
        parts = (_UNKNOWN if part is None else re.escape(part) for part in self._parts(made))
        return re.fullmatch("".join(parts), name) is not None

    def _generating(self, name: str) -> list[_Parameters]:
        exact = [made for made in self._made if self._exact(made) == name]
        return exact or [made for made in self._made if self._may_be(made, name)]

    def generates(self, name: str) -> bool:
        """Whether an Application of this very name is known to be generated here."""
        return any(self._exact(made) == name for made in self._made)

    def places(self, name: str, source: int | str | None) -> list[Place]:
        """The pins of the Application of this name; none where it is not generated here.

        Raises ManifestError where it cannot be told, or stands where the gate does not write.
        """
        rows = self._generating(name) if self._name != "" else []
        if not rows:
            return []
        if "targetRevision" in self._spec.text("templatePatch"):
            raise ManifestError("sets targetRevision in spec.templatePatch", change="set it in spec.template.")
        found = [list(self._of(made, name, source)) for made in rows]
        if any([one.spot.node for one in places] != [one.spot.node for one in found[0]] for places in found):
            raise ManifestError(
                f"generates Application {name} from more than one element, as far as can be told",
                means="a part of its name comes from a generator that is not a list.",
                change="give each Application an element of its own in a list generator.",
            )
        return found[0]

    def _of(self, made: _Parameters, name: str, source: int | str | None) -> Iterator[Place]:
        for one, called in chosen_sources(self._spec.at("template", "spec"), source):
            pin = one.member("targetRevision")
            if pin is None:
                raise ManifestError(f"has no spec.template.{called}.targetRevision (line {one.node.line})", **UNWRITTEN)
            field = f"spec.template.{called}.targetRevision"
            found = self._pin(pin, made, field)
            url = one.member("repoURL")
            given = None if url is None else self._node(url, made)
            repository = "" if url is None else None if given is None else given.text
            others = frozenset(self._others(pin, found.node)) - {name}
            yield Place(found, field, chart=one.text("chart") != "", repository=repository, others=others)

    def _others(self, pin: Spot, node: Node) -> Iterator[str]:
        """The names that are known of the Applications which this scalar pins."""
        for made in self._made:
            called = self._exact(made)
            if called is not None and self._node(pin, made) is node:
                yield called

    def _node(self, one: Spot, made: _Parameters) -> Node | None:
        """The scalar that gives this text; None where it is not in the manifest."""
        try:
            return self._pin(one, made, "").node
        except ManifestError:
            return None

    def _pin(self, pin: Spot, made: _Parameters, called: str) -> Spot:
        """The scalar that says the revision: the template's own, or the element's that it refers to."""
        if pin.node.kind == "scalar" and "{{" not in pin.node.text:
            return pin
        parameter = self._parameter.fullmatch(pin.node.text) if pin.node.kind == "scalar" else None
        values = [] if parameter is None else made.find(parameter[1])
        if len(values) == 1:
            return values[0]
        raise ManifestError(
            f"fills {called} (line {pin.node.line}) with what is no single key of an element of a list generator",
            means="it comes from another generator, or is put together by a template.",
            change=f"give it as a key of each element, such as revision; {_EDITED}",
        )
