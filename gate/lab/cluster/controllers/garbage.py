"""What goes when its controller, or its namespace, has gone."""

from collections.abc import Iterable

from gate.lab.cluster.controllers.controller import Context, Controller
from gate.lab.cluster.kinds import KINDS
from gate.lab.cluster.store import Change, Key, controller_of


class GarbageCollector(Controller):
    """Background deletion: Pods go through their grace, everything else at once."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._gone: dict[Key, str] = {}

    def concerned(self, change: Change) -> Iterable[Key]:
        """What has gone; of a namespace that has gone, also what is still written into it."""
        if change.type == "DELETED":
            self._gone[change.key] = str(change.body["metadata"]["uid"])
            yield change.key
        elif ("Namespace", "", change.key[1]) in self._gone:
            yield "Namespace", "", change.key[1]

    def reconcile(self, key: Key) -> None:
        """Delete what it controlled, or what was in it."""
        if key[0] == "Namespace":
            if self.store.find(*key) is None:
                self._empty(key[2])
            else:
                del self._gone[key]
            return
        uid = self._gone.pop(key, None)
        for kind in KINDS:
            for one in self.store.objects(kind, key[1], lambda body: controller_of(body) == uid):
                self.context.delete(one)

    def _empty(self, namespace: str) -> None:
        for kind, known in KINDS.items():
            for one in self.store.objects(kind, namespace) if known.namespaced else ():
                if "deletionTimestamp" not in one["metadata"]:
                    self.context.delete(one)
