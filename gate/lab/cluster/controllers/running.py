"""Runs all controllers on the event loop."""

from collections.abc import Callable, Collection
from datetime import datetime

from gate.lab.cluster.controllers.controller import Context, Controller
from gate.lab.cluster.controllers.daemonset import DaemonSetController
from gate.lab.cluster.controllers.deployment import DeploymentController
from gate.lab.cluster.controllers.endpointslice import EndpointSliceController
from gate.lab.cluster.controllers.garbage import GarbageCollector
from gate.lab.cluster.controllers.images import KNOWN
from gate.lab.cluster.controllers.job import JobController
from gate.lab.cluster.controllers.kubelet import Kubelet
from gate.lab.cluster.controllers.replicaset import ReplicaSetController
from gate.lab.cluster.controllers.statefulset import StatefulSetController
from gate.lab.cluster.controllers.timers import LoopTimers
from gate.lab.cluster.kinds import KINDS
from gate.lab.cluster.store import Change, Store, key_of
from gate.lab.pace import Pace, now

_CONTROLLERS: tuple[type[Controller], ...] = (
    DeploymentController,
    ReplicaSetController,
    StatefulSetController,
    DaemonSetController,
    EndpointSliceController,
    JobController,
    GarbageCollector,
)


async def run_controllers(
    store: Store, pace: Pace, *, images: Collection[str] = KNOWN, clock: Callable[[], datetime] = now
) -> None:
    """Move what is in the store, until cancelled; the first error of a controller is raised.

    ``images``: those that the kubelet can pull. They wait for changes and for timers, and do nothing in between.
    """
    timers = LoopTimers(pace)
    end = start_controllers(Context(store, timers, clock), images)
    try:
        await timers.failed
    finally:
        timers.close()
        end()


def start_controllers(context: Context, images: Collection[str] = KNOWN) -> Callable[[], None]:
    """Tell the controllers of what is there, and of every change from now on; what ends that."""
    told = [controller(context).told for controller in _CONTROLLERS] + [Kubelet(context, images).told]

    def tell(change: Change) -> None:
        for one in told:
            one(change)

    for kind in KINDS:
        for body in context.store.objects(kind):
            tell(Change("ADDED", int(body["metadata"]["resourceVersion"]), key_of(body), body))
    return context.store.listen(tell)
