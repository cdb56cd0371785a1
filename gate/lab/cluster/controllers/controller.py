"""What a controller is: told of changes, it marks keys, and each marked key is reconciled once."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from gate.lab.cluster.admission import admit
from gate.lab.cluster.controllers.timers import Cancel, Timers
from gate.lab.cluster.store import Change, Key, Object, Store
from gate.lab.pace import whole_seconds


@dataclass(frozen=True)
class Context:
    """What all controllers share. ``clock`` says the times that are written down."""

    store: Store
    timers: Timers
    clock: Callable[[], datetime]

    def stamp(self) -> str:
        """The time as the API server writes it."""
        return whole_seconds(self.clock())

    def create(self, body: Object) -> Object:
        """Create an object as through the API server; raises AlreadyExists."""
        return self.store.create(admit(body))

    def delete(self, body: Object) -> None:
        """Delete an object, if it is still there and still the same one."""
        kind, namespace, name = key = key_of_object(body)
        found = self.store.find(*key)
        if found is not None and found["metadata"]["uid"] == body["metadata"]["uid"]:
            self.store.delete(kind, namespace, name)

    def write_status(self, body: Object) -> None:
        """Write this status (and, as the subresource allows, these annotations); nothing if the object has gone."""

        def change(found: Object) -> None:
            found["status"] = body["status"]
            if "annotations" in body["metadata"]:
                found["metadata"]["annotations"] = body["metadata"]["annotations"]

        self.store.change(*key_of_object(body), change)


class Controller(ABC):
    """Keeps the objects of one kind as their specs say.

    ``lag`` is how many seconds of the model go by between a change and the look at it: as on a real
    cluster others see the state in between.
    """

    lag = 0.02

    def __init__(self, context: Context) -> None:
        self.context = context
        self.store = context.store
        self._waiting: dict[Key, tuple[float, Cancel]] = {}

    @abstractmethod
    def concerned(self, change: Change) -> Iterable[Key]:
        """The keys to look at because of this change."""

    @abstractmethod
    def reconcile(self, key: Key) -> None:
        """Bring the object of this key one step nearer to its spec, or do nothing."""

    def told(self, change: Change) -> None:
        """Mark what a change concerns."""
        for key in self.concerned(change):
            self.again(key, self.lag)

    def again(self, key: Key, seconds: float) -> None:
        """Look at this key after so many seconds of the model, unless that will be done sooner."""
        due = self.context.timers.now() + seconds
        if key in self._waiting:
            if self._waiting[key][0] <= due:
                return
            self._waiting[key][1]()
        self._waiting[key] = (due, self.context.timers.call_later(seconds, lambda: self._look(key)))

    def _look(self, key: Key) -> None:
        del self._waiting[key]
        self.reconcile(key)

    def mine(self, change: Change, kind: str) -> Iterable[Key]:
        """The key of the changed object where it is of this kind, or of the one of this kind that controls it."""
        if change.kind == kind:
            yield change.key
        for owner in change.body["metadata"].get("ownerReferences", ()):
            if owner.get("controller") is True and owner["kind"] == kind:
                yield kind, change.key[1], str(owner["name"])


def key_of_object(body: Object) -> Key:
    """The key of an object that was read from the store."""
    metadata = body["metadata"]
    return str(body["kind"]), str(metadata.get("namespace", "")), str(metadata["name"])
