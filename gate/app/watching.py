"""Watches while the gate waits: a hint that something changed, and nothing more."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass

from gate.adapters.failures import ReadFailed
from gate.adapters.kubernetes.watch import WatchTarget
from gate.app.clusters import Clusters
from gate.config.model import Environment
from gate.facts.moment import Moment
from gate.observe import NAMESPACED


@dataclass(frozen=True)
class Hints:
    """``changed`` is set by watches, ``stop`` ends them, ``near`` says that layer 3 looks at workloads by now."""

    changed: asyncio.Event
    stop: asyncio.Event
    near: asyncio.Event


async def watch_environment(clusters: Clusters, settings: Environment, moment: Moment, hints: Hints) -> None:
    """Watches as a hint: Applications, and once it is near the kinds that layer 3 reads where their workloads are."""
    applications = [
        WatchTarget("Application", target.namespace or settings.argocd.namespace, name=target.name or "")
        for target in settings.applications
    ]
    places = {request.service.namespace for request in settings.requests if request.service is not None}
    for raw in moment.applications:
        spec = raw.get("spec")
        destination = spec.get("destination") if isinstance(spec, dict) else None
        namespace = destination.get("namespace") if isinstance(destination, dict) else None
        if isinstance(namespace, str) and namespace:
            places.add(namespace)
    workloads = [WatchTarget(kind, place) for place in sorted(places) for kind in NAMESPACED if kind != "Service"]

    async def watch_workloads() -> None:
        await hints.near.wait()
        await clusters.workloads.watch(workloads, hints.changed, hints.stop)

    with suppress(ReadFailed):
        await asyncio.gather(clusters.argocd.watch(applications, hints.changed, hints.stop), watch_workloads())


async def end_task(task: "asyncio.Task[None]", stop: asyncio.Event) -> None:
    """Stop a task that runs beside the poll, and wait for its end."""
    stop.set()
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
