"""The StatefulSet controller: Pods with an ordinal, made and replaced one after the other."""

from collections.abc import Iterable, Mapping

from gate.lab.cluster.controllers.controller import Context, Controller
from gate.lab.cluster.controllers.events import Events
from gate.lab.cluster.controllers.names import template_hash
from gate.lab.cluster.controllers.pods import ENDED, is_ready, new_pod
from gate.lab.cluster.store import Change, Key, Object

REVISION_LABEL = "controller-revision-hash"


class StatefulSetController(Controller):
    """OrderedReady and Parallel, OnDelete and RollingUpdate with a partition; it has no volumes."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._events = Events(context, "statefulset-controller")
        self._templates: dict[str, Object] = {}

    def concerned(self, change: Change) -> Iterable[Key]:
        """Its StatefulSet."""
        return self.mine(change, "StatefulSet")

    def reconcile(self, key: Key) -> None:
        """Do the next step, and write the status of what was found."""
        found = self.store.find(*key)
        if found is None or "deletionTimestamp" in found["metadata"]:
            return
        newest = f"{key[2]}-{template_hash(found['spec']['template'])}"
        self._templates[newest] = found["spec"]["template"]
        current = str(found.get("status", {}).get("currentRevision") or newest)
        pods = {_ordinal(pod): pod for pod in self.store.owned("Pod", found)}
        if self._scale(found, pods, current, newest):
            self._replace(found, pods, newest)
        found["status"] = _status(found, pods, current, newest)
        self.context.write_status(found)

    def _scale(self, found: Object, pods: Mapping[int, Object], current: str, newest: str) -> bool:
        """Make what is missing and delete what is too many; whether all that should be there is ready."""
        size = int(found["spec"]["replicas"])
        in_order = found["spec"].get("podManagementPolicy", "OrderedReady") == "OrderedReady"
        settled = True
        for ordinal in range(size):
            if ordinal not in pods:
                self._make(found, ordinal, current if ordinal < _partition(found) else newest)
            elif pods[ordinal].get("status", {}).get("phase") in ENDED:
                self._delete(found, pods[ordinal])
            elif is_ready(pods[ordinal]) and "deletionTimestamp" not in pods[ordinal]["metadata"]:
                continue
            settled = False
            if in_order:
                return False
        too_many = sorted((ordinal for ordinal in pods if ordinal >= size), reverse=True)
        for ordinal in too_many[:1] if in_order else too_many:
            self._delete(found, pods[ordinal])
        return settled and not too_many

    def _replace(self, found: Object, pods: Mapping[int, Object], newest: str) -> None:
        """Delete the old Pod with the highest ordinal, where the strategy lets the controller do that."""
        if found["spec"]["updateStrategy"]["type"] != "RollingUpdate":
            return
        for ordinal in sorted(pods, reverse=True):
            if ordinal >= _partition(found) and _revision(pods[ordinal]) != newest:
                self._delete(found, pods[ordinal])
                return

    def _make(self, found: Object, ordinal: int, revision: str) -> None:
        name = f"{found['metadata']['name']}-{ordinal}"
        pod = new_pod(found, self._templates.get(revision, found["spec"]["template"]), name)
        pod["metadata"].setdefault("labels", {}).update(
            {
                "apps.kubernetes.io/pod-index": str(ordinal),
                REVISION_LABEL: revision,
                "statefulset.kubernetes.io/pod-name": name,
            }
        )
        pod["spec"] |= {"hostname": name, "subdomain": found["spec"].get("serviceName", "")}
        self.context.create(pod)
        text = f"create Pod {name} in StatefulSet {found['metadata']['name']} successful"
        self._events.normal(found, "SuccessfulCreate", text)

    def _delete(self, found: Object, pod: Object) -> None:
        if "deletionTimestamp" in pod["metadata"]:
            return
        self.context.delete(pod)
        text = f"delete Pod {pod['metadata']['name']} in StatefulSet {found['metadata']['name']} successful"
        self._events.normal(found, "SuccessfulDelete", text)


def _ordinal(pod: Object) -> int:
    return int(str(pod["metadata"]["name"]).rpartition("-")[2])


def _revision(pod: Object) -> str:
    return str(pod["metadata"]["labels"][REVISION_LABEL])


def _partition(found: Object) -> int:
    strategy = found["spec"]["updateStrategy"]
    return int((strategy.get("rollingUpdate") or {}).get("partition", 0)) if strategy["type"] == "RollingUpdate" else 0


def _status(found: Object, pods: Mapping[int, Object], current: str, newest: str) -> Object:
    """Zero is left out, but for replicas and availableReplicas. Only a RollingUpdate makes the newest the current."""
    living = [pod for pod in pods.values() if "deletionTimestamp" not in pod["metadata"]]
    ready = sum(is_ready(pod) for pod in pods.values())
    updated = sum(_revision(pod) == newest for pod in living)
    size = int(found["spec"]["replicas"])
    if found["spec"]["updateStrategy"]["type"] == "RollingUpdate" and updated == len(pods) == ready == size:
        current = newest
    optional = {
        "readyReplicas": ready,
        "currentReplicas": sum(_revision(pod) == current for pod in living),
        "updatedReplicas": updated,
    }
    return {
        "observedGeneration": found["metadata"]["generation"],
        "replicas": len(pods),
        **{name: count for name, count in optional.items() if count > 0},
        "currentRevision": current,
        "updateRevision": newest,
        "collisionCount": 0,
        "availableReplicas": ready,
    }
