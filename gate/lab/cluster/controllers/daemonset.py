"""The DaemonSet controller: one Pod on the one node."""

from collections.abc import Iterable, Sequence

from gate.lab.cluster.controllers.controller import Context, Controller
from gate.lab.cluster.controllers.events import Events
from gate.lab.cluster.controllers.names import template_hash
from gate.lab.cluster.controllers.pods import ENDED, is_ready, new_pod
from gate.lab.cluster.controllers.statefulset import REVISION_LABEL
from gate.lab.cluster.store import Change, Key, Object

_GENERATION = "deprecated.daemonset.template.generation"


class DaemonSetController(Controller):
    """OnDelete, and RollingUpdate that deletes the old Pod first."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._events = Events(context, "daemonset-controller")

    def concerned(self, change: Change) -> Iterable[Key]:
        """Its DaemonSet."""
        return self.mine(change, "DaemonSet")

    def reconcile(self, key: Key) -> None:
        """Make the Pod, or delete an old one, and write the status of what was found."""
        found = self.store.find(*key)
        if found is None or "deletionTimestamp" in found["metadata"]:
            return
        revision = template_hash(found["spec"]["template"])
        pods = self.store.owned("Pod", found)
        rolls = found["spec"]["updateStrategy"]["type"] == "RollingUpdate"
        for pod in pods:
            old = rolls and pod["metadata"]["labels"][REVISION_LABEL] != revision
            if (old or pod.get("status", {}).get("phase") in ENDED) and "deletionTimestamp" not in pod["metadata"]:
                self.context.delete(pod)
                self._events.normal(found, "SuccessfulDelete", f"Deleted pod: {pod['metadata']['name']}")
        if not pods:
            self._make(found, revision)
        found["status"] = _status(found, pods, revision)
        self.context.write_status(found)

    def _make(self, found: Object, revision: str) -> None:
        pod = new_pod(found, found["spec"]["template"])
        generation = found["metadata"].get("annotations", {}).get(_GENERATION, "1")
        labels = pod["metadata"].setdefault("labels", {})
        labels.update({REVISION_LABEL: revision, "pod-template-generation": generation})
        made = self.context.create(pod)
        self._events.normal(found, "SuccessfulCreate", f"Created pod: {made['metadata']['name']}")


def _status(found: Object, pods: Sequence[Object], revision: str) -> Object:
    """Zero is left out of the last three counters."""
    ready = sum(is_ready(pod) for pod in pods[:1])
    optional = {
        "updatedNumberScheduled": sum(pod["metadata"]["labels"][REVISION_LABEL] == revision for pod in pods[:1]),
        "numberAvailable": ready,
        "numberUnavailable": 1 - ready,
    }
    return {
        "currentNumberScheduled": len(pods[:1]),
        "numberMisscheduled": 0,
        "desiredNumberScheduled": 1,
        "numberReady": ready,
        "observedGeneration": found["metadata"]["generation"],
        **{name: count for name, count in optional.items() if count > 0},
    }
