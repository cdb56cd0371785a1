"""The ReplicaSet controller: as many Pods as its spec says."""

from collections.abc import Iterable, Sequence

from gate.lab.cluster.controllers.controller import Context, Controller, key_of_object
from gate.lab.cluster.controllers.events import Events
from gate.lab.cluster.controllers.pods import first_to_go, is_active, is_ready, new_pod
from gate.lab.cluster.store import Change, Key, Object


class ReplicaSetController(Controller):
    """Makes and deletes Pods. A Pod that is being deleted does not count."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._events = Events(context, "replicaset-controller")
        self._ready_at: dict[str, float] = {}

    def concerned(self, change: Change) -> Iterable[Key]:
        """Its ReplicaSet."""
        return self.mine(change, "ReplicaSet")

    def reconcile(self, key: Key) -> None:
        """Make or delete what is missing or too many, and write the counters of what was found."""
        found = self.store.find(*key)
        if found is None or "deletionTimestamp" in found["metadata"]:
            return
        pods = [pod for pod in self.store.owned("Pod", found) if is_active(pod)]
        for pod in pods:
            if not is_ready(pod):
                self._ready_at.pop(pod["metadata"]["uid"], None)
        self._manage(found, pods)
        self._write_status(found, pods)

    def _manage(self, found: Object, pods: Sequence[Object]) -> None:
        missing = int(found["spec"]["replicas"]) - len(pods)
        for _ in range(missing):
            made = self.context.create(new_pod(found, found["spec"]["template"]))
            self._events.normal(found, "SuccessfulCreate", f"Created pod: {made['metadata']['name']}")
        for pod in sorted(pods, key=first_to_go)[: max(0, -missing)]:
            self.context.delete(pod)
            self._events.normal(found, "SuccessfulDelete", f"Deleted pod: {pod['metadata']['name']}")

    def _write_status(self, found: Object, pods: Sequence[Object]) -> None:
        labels = (found["spec"]["template"].get("metadata") or {}).get("labels") or {}
        labelled = [pod for pod in pods if labels.items() <= pod["metadata"].get("labels", {}).items()]
        ready = [pod for pod in pods if is_ready(pod)]
        optional = {
            "fullyLabeledReplicas": len(labelled),
            "readyReplicas": len(ready),
            "availableReplicas": len(self._available(found, ready)),
        }
        found["status"] = {
            "replicas": len(pods),
            **{name: count for name, count in optional.items() if count > 0},
            "observedGeneration": found["metadata"]["generation"],
        }
        self.context.write_status(found)

    def _available(self, found: Object, ready: Sequence[Object]) -> list[Object]:
        """Those that have been ready for long enough; the ReplicaSet is looked at again when the others will be."""
        wait = float(found["spec"].get("minReadySeconds", 0))
        now = self.context.timers.now()
        left = {id(pod): wait - now + self._ready_at.setdefault(pod["metadata"]["uid"], now) for pod in ready}
        late = [seconds for seconds in left.values() if seconds > 0]
        if late:
            self.again(key_of_object(found), min(late))
        return [pod for pod in ready if left[id(pod)] <= 0]
