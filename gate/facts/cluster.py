"""The live objects of one moment, looked up by kind, namespace and name.

Looking something up gives ``Observed``: a kind that could not be listed, or holds one object
that could not be understood, is ``Unreadable`` as a whole, so that a hidden object is never
taken for one that is not there.
"""

from collections.abc import Iterable
from typing import TypeVar

from pydantic import BaseModel

from gate.facts.endpoints import EndpointSlice, Service
from gate.facts.moment import Raw, UnreadableRead
from gate.facts.project import AppProject
from gate.facts.upstream import parse
from gate.facts.workload import Deployment, Event, Pod, ReplicaSet
from gate.observed import Absent, Observed, Present, Unreadable

Model = TypeVar("Model", bound=BaseModel)

MODELS: dict[tuple[str, str], type[BaseModel]] = {
    ("apps/v1", "Deployment"): Deployment,
    ("apps/v1", "ReplicaSet"): ReplicaSet,
    ("v1", "Pod"): Pod,
    ("v1", "Service"): Service,
    ("discovery.k8s.io/v1", "EndpointSlice"): EndpointSlice,
    ("v1", "Event"): Event,
    ("argoproj.io/v1alpha1", "AppProject"): AppProject,
}
"""The kinds the gate understands, by apiVersion and kind; every other object of a moment is passed over."""

_KINDS = frozenset(kind for _, kind in MODELS)


class Entry:
    """One object: where it says it is, and what could be read of it."""

    def __init__(self, kind: str, namespace: str | None, name: str | None, fact: Observed[BaseModel]) -> None:
        self.kind = kind
        self.namespace = namespace
        self.name = name
        self.fact = fact


def _entry(raw: Raw) -> Entry | None:
    kind, version = raw.get("kind"), raw.get("apiVersion")
    if not isinstance(kind, str) or kind == "":
        return Entry("", None, None, Unreadable(what="object", field="kind", error="is not a text, or empty"))
    if kind not in _KINDS:
        return None
    metadata = raw.get("metadata")
    place = metadata if isinstance(metadata, dict) else {}
    namespace, name = place.get("namespace"), place.get("name")
    what = f"{kind} {namespace}/{name}"
    if not isinstance(version, str) or version == "":
        unknown = Unreadable(what=what, field="apiVersion", error="is not a text, or empty")
        return Entry(kind, None, None, unknown)
    model = MODELS.get((version, kind))
    if model is None:
        return None  # a kind of the same name in another group
    if not (isinstance(namespace, str) and namespace and isinstance(name, str) and name):
        fact: Observed[BaseModel] = Unreadable(what=what, field="metadata", error="has no namespace and name")
        return Entry(kind, None, None, fact)
    return Entry(kind, namespace, name, parse(model, raw, what))


class Cluster:
    """Everything one moment saw in the cluster. Immutable once made.

    ``entries`` are its objects of known kinds, in the order they were read.
    """

    def __init__(self, objects: Iterable[Raw], unreadable: Iterable[UnreadableRead] = ()) -> None:
        self.entries = tuple(entry for raw in objects if (entry := _entry(raw)) is not None)
        self._unreadable = tuple(unreadable)

    def refused(self, kind: str, namespace: str, name: str | None = None) -> Unreadable | None:
        """The failed read that covers this one object, if there was one; without a name: any object of the kind."""
        for read in self._unreadable:
            wanted, _, place = read.what.partition(" ")
            within = (
                place.startswith(f"{namespace}/") if name is None else place in (f"{namespace}/", f"{namespace}/{name}")
            )
            if wanted == kind and (place in ("", namespace) or within):
                return Unreadable(what=read.what, error=read.error, status=read.status)
        return None

    def all_of(self, model: type[Model], namespace: str) -> Observed[tuple[Model, ...]]:
        """Every object of this kind in the namespace, in the order they were read."""
        kind = model.__name__
        blocked = self.refused(kind, namespace)
        if blocked is not None:
            return blocked
        found: list[Model] = []
        for entry in self.entries:
            if entry.kind not in (kind, "") or entry.namespace not in (namespace, None):
                continue
            if isinstance(entry.fact, Present) and isinstance(entry.fact.value, model):
                found.append(entry.fact.value)
            elif isinstance(entry.fact, Unreadable):
                return entry.fact
        return Present(value=tuple(found))

    def one(self, model: type[Model], namespace: str, name: str) -> Observed[Model]:
        """The one object of this name; two that differ in uid are ``Unreadable``."""
        kind = model.__name__
        what = f"{kind} {namespace}/{name}"
        blocked = self.refused(kind, namespace, name)
        if blocked is not None:
            return blocked
        facts = [
            entry.fact
            for entry in self.entries
            if (entry.kind, entry.namespace, entry.name) == (kind, namespace, name) or entry.namespace is None
            if entry.kind in (kind, "")
        ]
        for fact in facts:
            if isinstance(fact, Unreadable):
                return fact
        values = [fact.value for fact in facts if isinstance(fact, Present) and isinstance(fact.value, model)]
        if not values:
            return Absent(what=what)
        if len(values) > 1:
            return Unreadable(what=what, error="was read more than once in one moment")
        return Present(value=values[0])
