"""The tasks of a sync: one for each object and phase, in the order in which they run. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from gate.lab.argocd.annotations import (
    PHASES,
    ResourceKey,
    delete_policies,
    is_hook,
    resource_key,
    sync_options,
    sync_wave,
    version_of,
)
from gate.lab.cluster.store import Object

_KINDS = (
    "Namespace",
    "ServiceAccount",
    "Secret",
    "ConfigMap",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicaSet",
    "Deployment",
    "StatefulSet",
    "Job",
)
"""The kinds that go first, in their order, as far as this cluster serves them; the others come by name."""

ResultKey = tuple[ResourceKey, str]


@dataclass(eq=False)
class Task:
    """One object in one phase. ``state`` is its operation phase (empty: not begun), ``status`` its sync status."""

    phase: str
    target: Object | None
    live: Object | None
    status: str = ""
    state: str = ""
    message: str = ""
    moved_to: int | None = None

    @property
    def body(self) -> Object:
        """The wanted object, else the live one."""
        return (self.live or {}) if self.target is None else self.target

    @property
    def key(self) -> ResultKey:
        """What its entry in the result is found by."""
        return resource_key(self.body), self.phase

    @property
    def wave(self) -> int:
        """Its sync wave."""
        return sync_wave(self.body) if self.moved_to is None else self.moved_to

    @property
    def hook(self) -> bool:
        """Whether it is a hook's."""
        return is_hook(self.body)

    @property
    def prunes(self) -> bool:
        """Whether it removes what Git no longer has."""
        return self.target is None

    @property
    def completed(self) -> bool:
        """Whether it has ended."""
        return self.state in ("Succeeded", "Failed", "Error")

    def deletes(self, policy: str) -> bool:
        """Whether it is a hook that is there, with this delete policy."""
        return self.hook and self.live is not None and policy in delete_policies(self.body)

    @property
    def name(self) -> str:
        """As messages name it: group, kind and name."""
        key = resource_key(self.body)
        return f"{key.group}/{key.kind}/{key.name}"

    def entry(self) -> Object:
        """Its entry in ``syncResult.resources``."""
        key = resource_key(self.body)
        optional: Object = {
            "status": self.status,
            "message": self.message,
            "hookType": self.phase if self.hook else "",
            "hookPhase": self.state,
            "syncPhase": self.phase,
            "images": images(self.body),
        }
        place = {"group": key.group, "version": version_of(self.body), "kind": key.kind}
        named = {"namespace": key.namespace, "name": key.name}
        return {**place, **named, **{name: value for name, value in optional.items() if value}}


def ordered(tasks: Iterable[Task], *, prune_last: bool = False) -> list[Task]:
    """The tasks by phase, wave, kind and name; what is pruned goes in the opposite order of waves."""
    found = list(tasks)
    pruning = [task for task in found if task.prunes]
    waves = sorted({task.wave for task in pruning})
    turned = dict(zip(waves, reversed(waves), strict=True))
    for task in pruning:
        task.moved_to = turned[task.wave]
    last = max((task.wave for task in found if task.phase == "Sync"), default=0)
    for task in pruning:
        if prune_last or "PruneLast=true" in sync_options(task.body):
            task.moved_to = max(last, 0) + 1
    return sorted(found, key=_place)


def _place(task: Task) -> tuple[int, int, int, str]:
    key = resource_key(task.body)
    kind = _KINDS.index(key.kind) if key.kind in _KINDS else len(_KINDS)
    return PHASES.index(task.phase), task.wave, kind, key.name


def is_multi_step(tasks: list[Task]) -> bool:
    """Whether the tasks need more than one phase or wave."""
    return bool(tasks) and (tasks[0].wave, tasks[0].phase) != (tasks[-1].wave, tasks[-1].phase)


def images(body: Object) -> list[str]:
    """The images of a workload's containers, each once."""
    spec = body.get("spec") or {}
    pod = spec if body["kind"] == "Pod" else (spec.get("template") or {}).get("spec") or {}
    found = [*(pod.get("containers") or ()), *(pod.get("initContainers") or ())]
    return list(dict.fromkeys(one["image"] for one in found if "image" in one))
