"""The Deployment controller: which Deployment is looked at, and when again."""

from collections.abc import Iterable

from gate.lab.cluster.controllers.controller import Context, Controller
from gate.lab.cluster.controllers.deployment_status import TIMED_OUT, has_deadline, is_complete
from gate.lab.cluster.controllers.events import Events
from gate.lab.cluster.controllers.own_sets import OwnSets, Progress
from gate.lab.cluster.controllers.pods import condition
from gate.lab.cluster.controllers.rollout import Rollout
from gate.lab.cluster.store import Change, Key

_SKEW = 1.0
"""The real controller looks a second after the deadline, so that it is past it whatever was rounded."""


class DeploymentController(Controller):
    """Moves ReplicaSets as Deployments say."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._events = Events(context, "deployment-controller")
        self._progress: dict[str, Progress] = {}

    def concerned(self, change: Change) -> Iterable[Key]:
        """Its Deployment; of a Pod that is gone, the one above its ReplicaSet: a Recreate waits for that."""
        yield from self.mine(change, "Deployment")
        if change.kind == "Pod" and change.type == "DELETED":
            for _kind, namespace, name in self.mine(change, "ReplicaSet"):
                one = self.store.find("ReplicaSet", namespace, name)
                for owner in one["metadata"].get("ownerReferences", ()) if one is not None else ():
                    if owner["kind"] == "Deployment":
                        yield "Deployment", namespace, str(owner["name"])

    def reconcile(self, key: Key) -> None:
        """Do the next step of its rollout."""
        deployment = self.store.find(*key)
        if deployment is None or "deletionTimestamp" in deployment["metadata"]:
            return
        uid = deployment["metadata"]["uid"]
        progress = self._progress.setdefault(uid, Progress(self.context.timers))
        Rollout(OwnSets(self.context, self._events, deployment, progress)).go()
        found = condition(deployment, "Progressing")
        if not has_deadline(deployment) or found is None or found["reason"] == TIMED_OUT:
            return
        if not is_complete(deployment, deployment["status"]) and not deployment["spec"].get("paused"):
            left = float(deployment["spec"]["progressDeadlineSeconds"]) - progress.idle
            self.again(key, max(left, 0.0) + _SKEW)
