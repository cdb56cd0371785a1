"""Every object of the laboratory's cluster: one resourceVersion for all writes, and who is told of them.

Used from one thread, that of the laboratory's event loop. What is given out is a copy.
"""

from __future__ import annotations

import copy
import uuid
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from gate.lab.cluster.deletion import mark_deleted, stays
from gate.lab.cluster.generation import has_generation, moves_generation
from gate.lab.cluster.kinds import KINDS
from gate.lab.pace import now, whole_seconds

Object = dict[str, Any]
"""An object as its JSON says."""

Key = tuple[str, str, str]
"""Kind, namespace (empty for kinds without) and name."""

_DELETION = ("deletionTimestamp", "deletionGracePeriodSeconds")
_REMEMBERED = 2000
"""Changes that a watch can begin before; an older resourceVersion is answered with 410 Gone."""


class StoreError(Exception):
    """The store refuses; its classes say what the API server would."""


class NotFound(StoreError):
    """There is no such object, or no such kind."""


class AlreadyExists(StoreError):
    """There is one of that name."""


class Conflict(StoreError):
    """The resourceVersion that was given is not the newest."""


class Expired(StoreError):
    """The resourceVersion to watch from is too old (410 Gone)."""


@dataclass(frozen=True)
class Change:
    """One write. ``body`` is the object after it (its last state, for DELETED), ``before`` that before it, if any."""

    type: Literal["ADDED", "MODIFIED", "DELETED"]
    version: int
    key: Key
    body: Object
    before: Object | None = None

    @property
    def kind(self) -> str:
        """The kind of the object."""
        return self.key[0]


Listener = Callable[[Change], None]


def key_of(body: Object) -> Key:
    """The key of a body; raises NotFound for a kind that is not served."""
    kind = KINDS.get(str(body.get("kind")))
    if kind is None or body.get("apiVersion") != kind.api_version:
        raise NotFound(f"no matches for kind {body.get('kind')!r} in version {body.get('apiVersion')!r}")
    metadata = body["metadata"]
    return kind.name, str(metadata.get("namespace") or "default") if kind.namespaced else "", str(metadata["name"])


class Store:
    """The objects. ``listen`` adds a callback for every write, called before the write returns."""

    def __init__(self, clock: Callable[[], datetime] = now) -> None:
        self._clock = clock
        self._objects: dict[Key, Object] = {}
        self._changes: deque[Change] = deque(maxlen=_REMEMBERED)
        self._listeners: list[Listener] = []
        self.version = 1000
        self.applied: dict[str, dict[str, Object]] = {}
        """By uid and field manager: the body that was applied last (see `apply`)."""

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Tell this callback of every change from now on; what ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def changes_since(self, version: int) -> list[Change]:
        """Changes after this resourceVersion; raises Expired where they are forgotten."""
        oldest = self._changes[0].version if self._changes else self.version + 1
        if version + 1 < oldest and version < self.version:
            raise Expired(f"too old resource version: {version} ({oldest})")
        return [change for change in self._changes if change.version > version]

    def forget_changes(self) -> None:
        """Forget every change, so that a watch from before is Expired (as after a compaction)."""
        self._changes.clear()

    def find(self, kind: str, namespace: str, name: str) -> Object | None:
        """A copy of the object, or None."""
        found = self._objects.get((kind, namespace, name))
        return copy.deepcopy(found)

    def get(self, kind: str, namespace: str, name: str) -> Object:
        """A copy of the object; raises NotFound."""
        found = self.find(kind, namespace, name)
        if found is None:
            raise NotFound(f'{KINDS[kind].resource} "{name}" not found')
        return found

    def objects(
        self, kind: str, namespace: str | None = None, chosen: Callable[[Object], bool] = lambda _: True
    ) -> list[Object]:
        """Copies of the objects of a kind, in a namespace or in all, by namespace and name."""
        found = sorted(key for key in self._objects if key[0] == kind and namespace in (None, key[1]))
        return [copy.deepcopy(self._objects[key]) for key in found if chosen(self._objects[key])]

    def owned(self, kind: str, owner: Object) -> list[Object]:
        """Copies of the objects of a kind that this object controls (by uid)."""
        metadata = owner["metadata"]
        return self.objects(kind, metadata.get("namespace", ""), lambda body: controller_of(body) == metadata["uid"])

    def create(self, body: Object) -> Object:
        """Add an object; a copy of it as stored. Raises AlreadyExists."""
        key = key_of(body)
        if key in self._objects:
            raise AlreadyExists(f'{KINDS[key[0]].resource} "{key[2]}" already exists')
        made = copy.deepcopy(body)
        kind = KINDS[key[0]]
        metadata = made["metadata"]
        if kind.namespaced:
            metadata["namespace"] = key[1]
        metadata.update(uid=metadata.get("uid") or str(uuid.uuid4()), creationTimestamp=whole_seconds(self._clock()))
        if has_generation(made):
            metadata["generation"] = 1
        return self._write("ADDED", key, made)

    def update(self, body: Object) -> Object:
        """Replace an object; a copy of it as stored.

        Nothing is written where nothing would change. The generation moves with the spec; of a kind
        without a status subresource with every write. Raises NotFound, and Conflict where ``body``
        carries a resourceVersion that is not the newest.
        """
        key = key_of(body)
        before = self._objects.get(key)
        if before is None:
            raise NotFound(f'{KINDS[key[0]].resource} "{key[2]}" not found')
        given = body["metadata"].get("resourceVersion")
        if given is not None and given != before["metadata"]["resourceVersion"]:
            raise conflict(key)
        made = copy.deepcopy(body)
        for name in ("uid", "creationTimestamp", "resourceVersion", "generation", "namespace", *_DELETION):
            if name in before["metadata"]:
                made["metadata"][name] = before["metadata"][name]
        if made == before:
            return copy.deepcopy(before)
        if has_generation(made) and moves_generation(before, made):
            made["metadata"]["generation"] = before["metadata"].get("generation", 0) + 1
        self._write("MODIFIED", key, made)
        return self._gone_if_released(key)

    def change(self, kind: str, namespace: str, name: str, change: Callable[[Object], None]) -> Object | None:
        """Let a function change a copy, and write it; None where the object is not there."""
        found = self.find(kind, namespace, name)
        if found is None:
            return None
        change(found)
        return self.update(found)

    def delete(self, kind: str, namespace: str, name: str, grace: int | None = None) -> Object:
        """Remove an object, or mark it deleted where finalizers (or, of a Pod, its grace) keep it.

        A Pod that is bound to a node stays, with ``deletionTimestamp``, until ``remove``: the kubelet
        ends it; so does a Namespace, until it is empty. ``grace`` is in seconds; None: as the Pod says.
        Raises NotFound.
        """
        key = (kind, namespace, name)
        if key not in self._objects:
            raise NotFound(f'{KINDS[kind].resource} "{name}" not found')
        body = copy.deepcopy(self._objects[key])
        if not stays(body):
            return self.remove(kind, namespace, name)
        if "deletionTimestamp" in body["metadata"]:
            return body
        mark_deleted(body, self._clock(), grace)
        return self._write("MODIFIED", key, body)

    def remove(self, kind: str, namespace: str, name: str) -> Object:
        """Remove an object at once; its last state. Raises NotFound."""
        key = (kind, namespace, name)
        found = self._objects.get(key)
        if found is None:
            raise NotFound(f'{KINDS[kind].resource} "{name}" not found')
        return self._write("DELETED", key, copy.deepcopy(found))

    def _gone_if_released(self, key: Key) -> Object:
        body = self._objects[key]
        metadata = body["metadata"]
        if "deletionTimestamp" in metadata and not metadata.get("finalizers") and key[0] not in ("Pod", "Namespace"):
            return self.remove(*key)
        return copy.deepcopy(body)

    def _write(self, type_: Literal["ADDED", "MODIFIED", "DELETED"], key: Key, body: Object) -> Object:
        self.version += 1
        before = self._objects.get(key)
        body["metadata"]["resourceVersion"] = str(self.version)
        if type_ == "DELETED":
            del self._objects[key]
            self.applied.pop(body["metadata"].get("uid", ""), None)
        else:
            self._objects[key] = body
        change = Change(type_, self.version, key, copy.deepcopy(body), before)
        self._changes.append(change)
        for listener in tuple(self._listeners):
            listener(change)
        return copy.deepcopy(body)


def conflict(key: Key) -> Conflict:
    """The refusal of a write that was made from an older version."""
    return Conflict(
        f'Operation cannot be fulfilled on {KINDS[key[0]].resource} "{key[2]}": the object has been modified; '
        "please apply your changes to the latest version and try again"
    )


def controller_of(body: Object) -> str | None:
    """The uid of the object that controls this one; None where nothing does."""
    owners: Iterable[Object] = body["metadata"].get("ownerReferences", ())
    return next((str(owner["uid"]) for owner in owners if owner.get("controller") is True), None)
