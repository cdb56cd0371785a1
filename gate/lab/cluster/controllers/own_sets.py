"""A Deployment and its ReplicaSets during one look: what is written of them."""

from gate.lab.cluster.controllers.controller import Context
from gate.lab.cluster.controllers.deployment_status import (
    PAUSED,
    TIMED_OUT,
    has_deadline,
    made_condition,
    set_condition,
)
from gate.lab.cluster.controllers.events import Events
from gate.lab.cluster.controllers.new_replica_set import new_replica_set
from gate.lab.cluster.controllers.pods import condition
from gate.lab.cluster.controllers.replica_sets import (
    REVISION,
    annotations,
    is_of,
    note_replicas,
    note_revision,
    oldest_first,
    revision,
)
from gate.lab.cluster.controllers.surge import max_surge, wanted
from gate.lab.cluster.controllers.timers import Timers
from gate.lab.cluster.store import Object


class Progress:
    """When a rollout last came a step further, to the moment: conditions only have whole seconds."""

    def __init__(self, timers: Timers) -> None:
        self._timers = timers
        self._at = timers.now()

    @property
    def idle(self) -> float:
        """For how many seconds of the model nothing has moved."""
        return self._timers.now() - self._at

    def touch(self) -> None:
        """Something has moved."""
        self._at = self._timers.now()


class OwnSets:
    """``progress`` knows when the rollout last came a step further.

    As in the real controller the ReplicaSets are those of the beginning: what is scaled now is seen
    in the next look.
    """

    def __init__(self, context: Context, events: Events, deployment: Object, progress: Progress) -> None:
        self.context = context
        self.progress = progress
        self._events = events
        self.deployment = deployment
        self.all = oldest_first(context.store.owned("ReplicaSet", deployment))
        self.new = next((one for one in self.all if is_of(one, deployment)), None)

    @property
    def old(self) -> list[Object]:
        """Every ReplicaSet but the new one."""
        return [one for one in self.all if one is not self.new]

    # --- ReplicaSets ------------------------------------------------------------------------

    def scale(self, one: Object, size: int) -> bool:
        """Whether the ReplicaSet had another size; then it is written, with the sizes that the Deployment wants."""
        before = int(one["spec"]["replicas"])
        most = wanted(self.deployment) + max_surge(self.deployment)

        def change(found: Object) -> None:
            note_replicas(found, wanted(self.deployment), most)
            found["spec"]["replicas"] = size

        if size == before and not self._is_noted_otherwise(one, most):
            return False
        self.context.store.change("ReplicaSet", one["metadata"]["namespace"], one["metadata"]["name"], change)
        if size != before:
            way = "up" if size > before else "down"
            text = f"Scaled {way} replica set {one['metadata']['name']} from {before} to {size}"
            self._events.normal(self.deployment, "ScalingReplicaSet", text)
        return size != before

    def _is_noted_otherwise(self, one: Object, most: int) -> bool:
        return note_replicas({"metadata": {"annotations": dict(annotations(one))}}, wanted(self.deployment), most)

    def find_new(self, *, create: bool) -> Object:
        """The new ReplicaSet with its revision, made if need be; the Deployment then has the same revision.

        Where it is neither there nor to be made, what comes back is not to be used.
        """
        number = max((revision(one) for one in self.old), default=0) + 1
        if self.new is not None:
            self._renew(self.new, number)
        elif create:
            self._create(number)
        return self.new or {}

    def _renew(self, new: Object, number: int) -> None:
        if note_revision(new, self.deployment, number):
            self.context.store.change(
                "ReplicaSet",
                new["metadata"]["namespace"],
                new["metadata"]["name"],
                lambda found: annotations(found).update(annotations(new)),
            )
        text = f'Found new replica set "{new["metadata"]["name"]}"'
        unknown = condition(self.deployment, "Progressing") is None
        self._note_revision(annotations(new)[REVISION], ("FoundNewReplicaSet", text) if unknown else None)

    def _create(self, number: int) -> None:
        made = new_replica_set(self.deployment, self.all, number)
        self.new = self.context.create(made)
        self.all = [*self.all, self.new]
        name, size = made["metadata"]["name"], made["spec"]["replicas"]
        if size > 0:
            text = f"Scaled up replica set {name} from 0 to {size}"
            self._events.normal(self.deployment, "ScalingReplicaSet", text)
        self._note_revision(str(number), ("NewReplicaSetCreated", f'Created new replica set "{name}"'))

    def forget_old(self) -> None:
        """Delete ReplicaSets without Pods of the lowest revisions, down to the limit of the history."""
        old = sorted(self.old, key=revision)
        for one in old[: max(0, len(old) - int(self.deployment["spec"].get("revisionHistoryLimit", 10)))]:
            status = one.get("status", {})
            seen = status.get("observedGeneration", 0) >= one["metadata"]["generation"]
            if seen and one["spec"]["replicas"] == 0 and status.get("replicas", 0) == 0:
                self.context.delete(one)

    # --- the Deployment's own words ---------------------------------------------------------

    def note_pausing(self) -> None:
        """Say in the condition Progressing that it is paused now, or no longer."""
        before = condition(self.deployment, "Progressing")
        reason = before["reason"] if before is not None else None
        paused = bool(self.deployment["spec"].get("paused"))
        if not has_deadline(self.deployment) or reason == TIMED_OUT or paused == (reason == PAUSED):
            return
        words = (PAUSED, "Deployment is paused") if paused else ("DeploymentResumed", "Deployment is resumed")
        self._set(made_condition("Progressing", "Unknown", *words, self.context.stamp()))

    def _note_revision(self, number: str, words: tuple[str, str] | None) -> None:
        changed = annotations(self.deployment).get(REVISION) != number
        annotations(self.deployment)[REVISION] = number
        if words is not None and has_deadline(self.deployment):
            self._set(made_condition("Progressing", "True", *words, self.context.stamp()))
        elif changed:
            self.context.write_status(self.deployment)

    def _set(self, new: Object) -> None:
        status = self.deployment.setdefault("status", {})
        if set_condition(status, new):
            self.progress.touch()
        self.context.write_status(self.deployment)

    def write(self, status: Object) -> None:
        """Write the status that this look comes to."""
        self.deployment["status"] = status
        self.context.write_status(self.deployment)
