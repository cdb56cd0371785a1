"""The Job controller: Pods that are to end well, so often, and not too many failures."""

from collections.abc import Iterable, Sequence

from gate.lab.cluster.controllers.controller import Context, Controller
from gate.lab.cluster.controllers.events import Events
from gate.lab.cluster.controllers.pods import condition, is_active, is_ready, new_pod
from gate.lab.cluster.store import Change, Key, Object

_BACK_OFF, _BACK_OFF_LIMIT = 10, 600
_REACHED = ("CompletionsReached", "Reached expected number of succeeded pods")
_EXCEEDED = ("BackoffLimitExceeded", "Job has reached the specified backoff limit")


class JobController(Controller):
    """Non-indexed Jobs: completions, parallelism, backoffLimit, suspend."""

    lag = 0.2

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._events = Events(context, "job-controller")
        self._failed: dict[str, tuple[int, float]] = {}

    def concerned(self, change: Change) -> Iterable[Key]:
        """Its Job."""
        return self.mine(change, "Job")

    def reconcile(self, key: Key) -> None:
        """Make the Pods that are missing, and write what became of those that ended."""
        job = self.store.find(*key)
        if job is None or "deletionTimestamp" in job["metadata"] or _has_ended(job):
            return
        spec, pods = job["spec"], self.store.owned("Pod", job)
        phases = [pod.get("status", {}).get("phase") for pod in pods]
        succeeded, failed = phases.count("Succeeded"), phases.count("Failed")
        active = [pod for pod in pods if is_active(pod)]
        completions = int(spec.get("completions", 1))
        if failed > spec.get("backoffLimit", 6):
            for pod in active:
                self.context.delete(pod)
            self._end(job, pods, "FailureTarget", "Failed", _EXCEEDED)
            self._events.warn(job, *_EXCEEDED)
        elif succeeded >= completions:
            self._end(job, pods, "SuccessCriteriaMet", "Complete", _REACHED)
            self._events.normal(job, "Completed", "Job completed")
        elif spec.get("suspend"):
            for pod in active:
                self.context.delete(pod)
            self._write(job, [], [self._condition("Suspended", ("JobSuspended", "Job suspended"))])
        else:
            self._make(key, job, min(int(spec.get("parallelism", 1)), completions - succeeded) - len(active), failed)
            self._write(job, pods, [])

    def _make(self, key: Key, job: Object, missing: int, failed: int) -> None:
        """Make Pods, but after a failure only when the back-off is over."""
        now = self.context.timers.now()
        known, since = self._failed.setdefault(job["metadata"]["uid"], (0, now))
        if failed > known:
            self._failed[job["metadata"]["uid"]] = (failed, since := now)
        left = since + min(_BACK_OFF * 2 ** (failed - 1), _BACK_OFF_LIMIT) - now if failed > 0 else 0.0
        if missing > 0 and left > 0:
            self.again(key, left)
            return
        for _ in range(missing):
            made = self.context.create(new_pod(job, job["spec"]["template"]))
            self._events.normal(job, "SuccessfulCreate", f"Created pod: {made['metadata']['name']}")

    def _end(self, job: Object, pods: Sequence[Object], first: str, last: str, words: tuple[str, str]) -> None:
        self._write(job, pods, [self._condition(first, words), self._condition(last, words)])

    def _write(self, job: Object, pods: Sequence[Object], conditions: Sequence[Object]) -> None:
        """Zero is left out of active, succeeded and failed, but not of ready and terminating."""
        before = job.get("status", {})
        phases = [pod.get("status", {}).get("phase") for pod in pods]
        active = [pod for pod in pods if is_active(pod)] if not conditions else []
        optional = {
            "active": len(active),
            "succeeded": phases.count("Succeeded"),
            "failed": phases.count("Failed"),
        }
        job["status"] = {
            "startTime": before.get("startTime", self.context.stamp()),
            **{name: count for name, count in optional.items() if count > 0},
            "ready": sum(is_ready(pod) for pod in active),
            "terminating": 0,
            "uncountedTerminatedPods": {},
        }
        if conditions:
            job["status"]["conditions"] = list(conditions)
        if any(one["type"] == "Complete" for one in conditions):
            job["status"]["completionTime"] = self.context.stamp()
        self.context.write_status(job)

    def _condition(self, kind: str, words: tuple[str, str]) -> Object:
        at = self.context.stamp()
        return {
            "type": kind,
            "status": "True",
            "lastProbeTime": at,
            "lastTransitionTime": at,
            "reason": words[0],
            "message": words[1],
        }


def _has_ended(job: Object) -> bool:
    return any((found := condition(job, kind)) and found["status"] == "True" for kind in ("Complete", "Failed"))
