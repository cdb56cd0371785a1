"""Which tasks a sync has, from what was compared and what was asked for."""

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from gate.lab.argocd.annotations import HOOK_FINALIZER, is_hook, resource_key, sync_phases, version_of
from gate.lab.argocd.comparison import Comparison
from gate.lab.argocd.kubectl import Kubectl, is_served
from gate.lab.argocd.tasks import ResultKey, Task, ordered
from gate.lab.cluster.kinds import KINDS
from gate.lab.cluster.store import Object


@dataclass(frozen=True)
class Request:
    """What a sync is to do: ``operation`` is ``operation.sync``, ``namespace`` the destination's."""

    comparison: Comparison
    operation: Object
    namespace: str
    started: datetime

    def has_option(self, option: str) -> bool:
        """Whether the sync was asked for with this option."""
        return option in (self.operation.get("syncOptions") or ())


def planned(request: Request, kubectl: Kubectl, results: Mapping[ResultKey, Object]) -> list[Task]:
    """The tasks in their order, each with the live object and with what came of it so far."""
    tasks = [
        Task(phase, pair.target, pair.live)
        for pair in request.comparison.pairs
        if _is_meant(request, pair.body) and not is_hook(pair.body)
        for phase in sync_phases(pair.body)
    ]
    tasks += [*_hooks(request), *_namespace(request, kubectl)]
    for task in tasks:
        if task.target is not None and task.live is None:
            task.live = kubectl.find(task.target)
        known = results.get(task.key, {})
        task.status, task.state = known.get("status", ""), known.get("hookPhase", "")
        task.message = known.get("message", "")
    return ordered(tasks, prune_last=request.has_option("PruneLast=true"))


def has_api(task: Task) -> bool:
    """Whether the cluster serves what the task is to write."""
    return task.target is None or is_served(task.target)


def no_api(body: Object) -> str:
    """What is said of a kind or a version that the cluster does not have."""
    key = resource_key(body)
    asked = f"{key.group}/{key.kind} for requested resource {key.namespace}/{key.name}."
    kind = KINDS.get(key.kind)
    if kind is None or kind.group != key.group:
        need = f'Make sure the "{key.kind}" CRD is installed on the destination cluster.'
        return f"The Kubernetes API could not find {asked} {need}"
    served = f'Version "{kind.api_version.rpartition("/")[2]}" of {key.group}/{key.kind}'
    what = f'The Kubernetes API could not find version "{version_of(body)}" of {asked}'
    return f"{what} {served} is installed on the destination cluster."


def _hooks(request: Request) -> Iterable[Task]:
    strategy = request.operation.get("syncStrategy") or {}
    if "apply" in strategy or request.operation.get("resources"):
        return
    revision = str(request.comparison.sync.get("revision", ""))[:7]
    for hook in request.comparison.hooks:
        for phase in sync_phases(hook):
            target = copy.deepcopy(hook)
            metadata = target["metadata"]
            if not metadata.get("name"):
                end = f"{revision}-{phase}-{int(request.started.timestamp())}".lower()
                metadata["name"] = f"{metadata.pop('generateName', '')}{end}"
            metadata["finalizers"] = list(dict.fromkeys([*metadata.get("finalizers", ()), HOOK_FINALIZER]))
            yield Task(phase, target, None)


def _namespace(request: Request, kubectl: Kubectl) -> Iterable[Task]:
    """The destination's namespace, where it is to be made and neither there nor in Git."""
    made: Object = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": request.namespace}}
    given = any(resource_key(pair.body) == resource_key(made) for pair in request.comparison.pairs)
    if request.namespace and request.has_option("CreateNamespace=true") and not given and kubectl.find(made) is None:
        yield Task("PreSync", made, None)


def _is_meant(request: Request, body: Object) -> bool:
    key = resource_key(body)
    chosen = request.operation.get("resources") or ()
    return not chosen or any(
        (one.get("group", ""), one["kind"], one["name"]) == (key.group, key.kind, key.name)
        and one.get("namespace") in (None, "", key.namespace)
        for one in chosen
    )
