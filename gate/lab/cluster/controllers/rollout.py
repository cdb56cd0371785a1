"""One look at a Deployment: what the controller does about it, from its ReplicaSets and Pods."""

from collections.abc import Sequence

from gate.lab.cluster.controllers.deployment_status import counters, is_complete, judge_progress
from gate.lab.cluster.controllers.own_sets import OwnSets
from gate.lab.cluster.controllers.pods import ENDED
from gate.lab.cluster.controllers.replica_sets import DESIRED, active, active_or_latest, annotations, counted, replicas
from gate.lab.cluster.controllers.surge import in_proportion, max_unavailable, replicas_of_new, wanted
from gate.lab.cluster.store import Object


class Rollout:
    """The strategies."""

    def __init__(self, sets: OwnSets) -> None:
        self._sets = sets
        self._deployment = sets.deployment

    def go(self) -> None:
        """Do the next step, and write the status."""
        spec = self._deployment["spec"]
        self._sets.note_pausing()
        if spec.get("paused") or self._is_scaled():
            self._sets.find_new(create=False)
            self._scale_all()
            if spec.get("paused"):
                self._sets.forget_old()
            self._sets.write(counters(self._deployment, self._sets.all, self._sets.new, self._sets.context.stamp()))
            return
        if spec["strategy"]["type"] == "Recreate":
            self._recreate()
        else:
            self._roll()
        at = self._sets.context.stamp()
        status = counters(self._deployment, self._sets.all, self._sets.new, at)
        if judge_progress(self._deployment, status, self._sets.new, self._sets.progress.idle, at):
            self._sets.progress.touch()
        self._sets.write(status)

    # --- strategies -------------------------------------------------------------------------

    def _recreate(self) -> None:
        self._sets.find_new(create=False)
        if old := active(self._sets.old):
            for one in old:
                self._sets.scale(one, 0)
            return
        if self._old_pods_run():
            return
        new = self._sets.find_new(create=True)
        self._sets.scale(new, wanted(self._deployment))
        if is_complete(self._deployment, self._deployment.get("status", {})):
            self._sets.forget_old()

    def _roll(self) -> None:
        new = self._sets.find_new(create=True)
        more = replicas_of_new(self._deployment, self._sets.all, new)
        if self._sets.scale(new, min(more, wanted(self._deployment))):
            return
        if self._scale_down_old(new):
            return
        if is_complete(self._deployment, self._deployment.get("status", {})):
            self._sets.forget_old()

    def _scale_down_old(self, new: Object) -> bool:
        """Give up old Pods as far as enough stay available, those that are not available first."""
        old = active(self._sets.old)
        least = wanted(self._deployment) - max_unavailable(self._deployment)
        missing = int(new["spec"]["replicas"]) - counted([new], "availableReplicas")
        most = replicas(self._sets.all) - least - missing
        if not old or most <= 0:
            return False
        sizes = {one["metadata"]["name"]: int(one["spec"]["replicas"]) for one in old}
        unhealthy = {one["metadata"]["name"]: int(one["spec"]["replicas"]) - _available(one) for one in old}
        _take(sizes, unhealthy, most)
        spare = counted(self._sets.all, "availableReplicas") - least
        _take(sizes, dict(sizes), spare)
        scaled = [self._sets.scale(one, sizes[one["metadata"]["name"]]) for one in old]
        return any(scaled)

    def _old_pods_run(self) -> bool:
        if counted(self._sets.old, "replicas") > 0:
            return True
        found = (pod for one in self._sets.old for pod in self._sets.context.store.owned("Pod", one))
        return any(pod.get("status", {}).get("phase") not in ENDED for pod in found)

    # --- scaling ----------------------------------------------------------------------------

    def _is_scaled(self) -> bool:
        """Whether it wants another number of replicas than when its ReplicaSets were last scaled."""
        noted = [annotations(one)[DESIRED] for one in active(self._sets.all) if DESIRED in annotations(one)]
        return any(int(number) != wanted(self._deployment) for number in noted)

    def _scale_all(self) -> None:
        if (one := active_or_latest(self._sets.new, self._sets.old)) is not None:
            if one["spec"]["replicas"] != wanted(self._deployment):
                self._sets.scale(one, wanted(self._deployment))
        elif self._sets.new is not None and _is_saturated(self._sets.new, wanted(self._deployment)):
            for one in active(self._sets.old):
                self._sets.scale(one, 0)
        elif self._sets.all and self._deployment["spec"]["strategy"]["type"] == "RollingUpdate":
            for one, size in in_proportion(self._deployment, self._sets.all):
                self._sets.scale(one, size)


def _available(one: Object) -> int:
    return counted([one], "availableReplicas")


def _is_saturated(new: Object, size: int) -> bool:
    found: Sequence[int] = (new["spec"]["replicas"], _available(new), int(annotations(new).get(DESIRED, -1)))
    return all(number == size for number in found)


def _take(sizes: dict[str, int], at_most: dict[str, int], total: int) -> None:
    """Lower the sizes, in order, each by what it may give, together by ``total``."""
    for name, most in at_most.items():
        taken = max(0, min(most, total))
        sizes[name] -= taken
        total -= taken
