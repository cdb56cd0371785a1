"""What goes when its owner has gone, or its namespace ends."""

from collections.abc import Iterable

from gate.lab.cluster.controllers.controller import Context, Controller
from gate.lab.cluster.kinds import KINDS
from gate.lab.cluster.store import Change, Key, Object

_OWNERS = ("Service", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "ApplicationSet", "Application")
"""Kinds that others may belong to; that of an Event, say, is not looked for when it goes."""


class GarbageCollector(Controller):
    """Background deletion: Pods go through their grace, everything else at once. A namespace ends when it is empty."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._gone: dict[Key, str] = {}
        self._ending: set[Key] = set()

    def concerned(self, change: Change) -> Iterable[Key]:
        """What has gone, and the namespace that ends."""
        if change.type == "DELETED" and change.kind in _OWNERS:
            self._gone[change.key] = str(change.body["metadata"]["uid"])
            yield change.key
        if change.kind == "Namespace":
            self._ending.discard(change.key)
            if change.type != "DELETED" and "deletionTimestamp" in change.body["metadata"]:
                self._ending.add(change.key)
        namespace = change.key if change.kind == "Namespace" else ("Namespace", "", change.key[1])
        if namespace in self._ending:
            yield namespace

    def reconcile(self, key: Key) -> None:
        """Delete what belonged to it, or what is in it."""
        if key in self._ending:
            self._empty(key)
        elif (uid := self._gone.pop(key, None)) is not None:
            for kind in KINDS:
                for one in self.store.objects(kind, key[1], lambda body: _belongs(body, uid)):
                    self.context.delete(one)

    def _empty(self, key: Key) -> None:
        self.store.change(*key, lambda found: found.update(status={"phase": "Terminating"}))
        left = [one for kind, known in KINDS.items() if known.namespaced for one in self.store.objects(kind, key[2])]
        for one in left:
            if "deletionTimestamp" not in one["metadata"]:
                self.context.delete(one)
        if not left:
            self.store.remove(*key)


def _belongs(body: Object, uid: str) -> bool:
    """Whether this was its only owner."""
    owners = body["metadata"].get("ownerReferences", ())
    return bool(owners) and all(owner["uid"] == uid for owner in owners)
