"""The node: gives each Pod a worker, and each worker an address."""

from collections.abc import Collection

from gate.lab.cluster.controllers.controller import Context
from gate.lab.cluster.controllers.events import Events
from gate.lab.cluster.controllers.images import KNOWN
from gate.lab.cluster.controllers.pod_status import NODE
from gate.lab.cluster.controllers.pod_worker import PodWorker
from gate.lab.cluster.store import Change

_POD_ADDRESSES = 254


class Kubelet:
    """Scheduler and kubelet of the only node. ``images`` are those that can be pulled."""

    def __init__(self, context: Context, images: Collection[str] = KNOWN) -> None:
        self._context = context
        self._images = images
        self._events = Events(context, "kubelet", NODE)
        self._workers: dict[str, PodWorker] = {}
        self._addresses = 1

    def told(self, change: Change) -> None:
        """Begin, end or forget a Pod."""
        if change.kind != "Pod":
            return
        uid = str(change.body["metadata"]["uid"])
        worker = self._workers.get(uid)
        if change.type == "DELETED":
            if worker is not None:
                self._workers.pop(uid).stop()
        elif worker is None:
            self._workers[uid] = PodWorker(self._context, self._events, change.key, self._address(), self._images)
            self._workers[uid].begin()
        elif "deletionTimestamp" in change.body["metadata"] and not worker.ending:
            worker.end()

    def _address(self) -> str:
        self._addresses += 1
        high, low = divmod(self._addresses, _POD_ADDRESSES)
        return f"10.244.{high}.{low + 1}"
