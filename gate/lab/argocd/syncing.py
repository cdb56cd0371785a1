"""One pass of a sync: it runs what can run now, and says whether to wait (gitops-engine's sync context)."""

from dataclasses import dataclass, field
from typing import Literal

from gate.lab.argocd.annotations import resource_key, sync_options
from gate.lab.argocd.health import resource_health
from gate.lab.argocd.kubectl import Kubectl
from gate.lab.argocd.planning import Request, has_api, no_api, planned
from gate.lab.argocd.tasks import ResultKey, Task, is_multi_step
from gate.lab.cluster.store import Object
from gate.lab.pace import Pace

Ran = Literal["successful", "pending", "failed"]

_BETWEEN_WAVES = 2.0


@dataclass
class Syncing:
    """A sync as far as it has come; ``results`` are those of the passes before."""

    request: Request
    kubectl: Kubectl
    pace: Pace
    phase: str = "Running"
    message: str = ""
    results: dict[ResultKey, Object] = field(default_factory=dict)

    async def sync(self) -> None:
        """One pass; ``phase``, ``message`` and ``results`` say what it came to."""
        tasks = self._tasks()
        refused = [task for task in tasks if not has_api(task)]
        for task in refused:
            self._result(task, "SyncFailed", "Failed", no_api(task.body))
        if refused:
            self._set("Failed", "one or more synchronization tasks are not valid")
            return
        if not self.results and not await self._create_namespace(tasks):
            return
        self._look_at_running(tasks)
        several = is_multi_step(tasks)
        running = [task for task in tasks if task.state == "Running" and (several or task.hook)]
        if running:
            self._wait_for(running)
            return
        leaving = [task for task in tasks if task.status == "Pruned" and _ends(task)]
        if leaving:
            self._wait_for(leaving, deletion=True)
            return
        for task in tasks:
            if task.hook and task.completed and task.live is not None:
                self.kubectl.release(task.live)
        await self._continue(tasks)

    async def _continue(self, tasks: list[Task]) -> None:
        """Fail, finish, or run the next wave."""
        on_failure = [task for task in tasks if task.phase == "SyncFail"]
        ordinary = [task for task in tasks if task.phase != "SyncFail"]
        if any(task.completed and task.state != "Succeeded" for task in ordinary):
            self._delete_hooks(tasks, "HookFailed")
            failed = [task for task in ordinary if task.status == "SyncFailed"]
            await self._fail(on_failure, failed, "one or more synchronization tasks completed unsuccessfully")
            return
        pending = [task for task in ordinary if task.state == ""]
        if not pending:
            self._delete_hooks(tasks, "HookSucceeded")
            self._set("Succeeded", "successfully synced (no more tasks)")
            return
        step = (pending[0].phase, pending[0].wave)
        final = step == (pending[-1].phase, pending[-1].wave)
        now = [task for task in pending if (task.phase, task.wave) == step]
        left = [task for task in pending if (task.phase, task.wave) != step or task.hook]
        self._set("Running", "one or more tasks are running")
        ran = await self._run(now)
        if ran != "failed" and not final:
            await self.pace.sleep(_BETWEEN_WAVES)
        if ran == "failed":
            self._delete_hooks(tasks, "HookFailed")
            failed = [task for task in now if task.status == "SyncFailed"]
            await self._fail(on_failure, failed, "one or more objects failed to apply")
        elif ran == "pending":
            self._wait_for([task for task in now if _is_deleted_after(task)], deletion=True)
        elif left:
            self._wait_for(left)
        else:
            self._delete_hooks(tasks, "HookSucceeded")
            self._set("Succeeded", "successfully synced (all tasks run)")

    def terminate(self) -> None:
        """End it: hooks that run are deleted."""
        for task in self._tasks():
            live = task.live
            if not task.hook or live is None:
                continue
            self.kubectl.release(live)
            phase, message = _hook_phase(live)
            if phase == "Running":
                self.kubectl.delete(live)
                self._result(task, "", "Succeeded", "Deleted")
            else:
                self._result(task, "", phase, message)
        self._set("Failed", "Operation terminated")

    def _tasks(self) -> list[Task]:
        return planned(self.request, self.kubectl, self.results)

    # --- running them -----------------------------------------------------------------------

    async def _create_namespace(self, tasks: list[Task]) -> bool:
        """Before anything else; False where that failed."""
        for task in tasks:
            key = resource_key(task.body)
            if task.live is None and (key.kind, key.name) == ("Namespace", self.request.namespace):
                if await self._run([task]) == "failed":
                    self._set("Failed", f"the namespace failed to apply, reason: {task.message}")
                    return False
                break
        return True

    def _look_at_running(self, tasks: list[Task]) -> None:
        for task in tasks:
            if task.state != "Running" or task.live is None:
                continue
            if task.hook:
                self._result(task, "", *_hook_phase(task.live))
                continue
            health = resource_health(task.live)
            if health is None:
                self._result(task, task.status, "Succeeded", task.message)
            elif health.status in ("Healthy", "Degraded"):
                state = "Succeeded" if health.status == "Healthy" else "Failed"
                self._result(task, task.status, state, health.message)

    async def _run(self, tasks: list[Task]) -> Ran:
        for task in tasks:
            if task.hook and task.live is not None:
                self.kubectl.release(task.live)
            if task.prunes:
                self._prune(task)
        before = [task for task in tasks if task.state == "" and task.deletes("BeforeHookCreation")]
        deleted = [self.kubectl.delete(task.live) for task in before if task.live is not None]
        if any(deleted):
            return "pending"
        ran: Ran = "successful"
        for task in tasks:
            if task.target is None:
                continue
            outcome = await self.kubectl.apply(task.target)
            if outcome.applied:
                self._result(task, "Synced", "Running", outcome.message)
            else:
                ran = "failed"
                self._result(task, "SyncFailed", "Failed", outcome.message)
        return ran

    def _prune(self, task: Task) -> None:
        if not self.request.operation.get("prune"):
            self._result(task, "PruneSkipped", "Succeeded", "ignored (requires pruning)")
        elif "Prune=false" in sync_options(task.body):
            self._result(task, "PruneSkipped", "Succeeded", "ignored (no prune)")
        else:
            self.kubectl.delete(task.body)
            self._result(task, "Pruned", "Succeeded", "pruned")

    async def _fail(self, on_failure: list[Task], failed: list[Task], message: str) -> None:
        reasons = list(dict.fromkeys(task.message for task in failed))
        text = f"{message}, reason: {','.join(reasons)}" if reasons else message
        if not on_failure or all(task.completed for task in on_failure):
            self._set("Failed", text)
        elif await self._run(on_failure) == "failed":
            bad = ",".join(task.message for task in on_failure if task.status == "SyncFailed")
            self._set("Failed", f"{text}\none or more SyncFail hooks failed, reason: {bad}")

    def _delete_hooks(self, tasks: list[Task], policy: str) -> None:
        for task in tasks:
            if task.state != "Running" and task.live is not None and task.deletes(policy):
                self.kubectl.delete(task.live)

    # --- saying it --------------------------------------------------------------------------

    def _result(self, task: Task, status: str, state: str, message: str) -> None:
        task.status, task.state = status, state
        task.message = message or task.message
        self.results[task.key] = task.entry()

    def _wait_for(self, tasks: list[Task], *, deletion: bool = False) -> None:
        if not tasks:
            return
        first, more = tasks[0], len(tasks) - 1
        what = "completion of hook" if first.hook else "healthy state of"
        text = f"waiting for {'deletion of' if deletion else what} {first.name}"
        also = f" and {more} more {'hooks' if first.hook else 'resources'}" if more else ""
        self._set("Running", text + also)

    def _set(self, phase: str, message: str) -> None:
        self.phase, self.message = phase, message


def _ends(task: Task) -> bool:
    return task.live is not None and "deletionTimestamp" in task.live["metadata"]


def _is_deleted_after(task: Task) -> bool:
    return task.deletes("HookSucceeded") or task.deletes("HookFailed")


def _hook_phase(live: Object) -> tuple[str, str]:
    health = resource_health(live)
    if health is None:
        return "Succeeded", f"{live['metadata']['name']} created"
    words = {"Unknown": "Failed", "Degraded": "Failed", "Progressing": "Running", "Suspended": "Running"}
    return words.get(health.status, "Succeeded"), health.message
