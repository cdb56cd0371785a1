"""Events: said once, and counted when the same is said again."""

from typing import Literal, NamedTuple

from gate.lab.cluster.controllers.controller import Context
from gate.lab.cluster.store import Object


class Said(NamedTuple):
    """What makes two events the same one."""

    uid: str
    type: str
    reason: str
    message: str
    field: str


class Events:
    """Writes the events of one component. ``node`` is where it runs; empty for a controller."""

    def __init__(self, context: Context, component: str, node: str = "") -> None:
        self._context = context
        self._component = component
        self._node = node
        self._names: dict[Said, str] = {}
        self._last = 0

    def normal(self, about: Object, reason: str, message: str, field: str = "") -> None:
        """Say what is as it should be."""
        self._say(about, "Normal", reason, message, field)

    def warn(self, about: Object, reason: str, message: str, field: str = "") -> None:
        """Say what is not as it should be; ``field`` is the path of the part of the object that it is about."""
        self._say(about, "Warning", reason, message, field)

    def _say(self, about: Object, kind: Literal["Normal", "Warning"], reason: str, message: str, field: str) -> None:
        said = Said(str(about["metadata"]["uid"]), kind, reason, message, field)
        namespace = str(about["metadata"]["namespace"])

        def once_more(event: Object) -> None:
            event["count"] += 1
            event["lastTimestamp"] = self._context.stamp()

        name = self._names.get(said)
        if name is None or self._context.store.change("Event", namespace, name, once_more) is None:
            self._names[said] = self._first(about, said)

    def _first(self, about: Object, said: Said) -> str:
        name, at = self._name(about), self._context.stamp()
        source = {"component": self._component} | ({"host": self._node} if self._node else {})
        self._context.store.create(
            {
                "apiVersion": "v1",
                "kind": "Event",
                "metadata": {"name": name, "namespace": about["metadata"]["namespace"]},
                "involvedObject": _reference(about, said.field),
                "reason": said.reason,
                "message": said.message,
                "source": source,
                "firstTimestamp": at,
                "lastTimestamp": at,
                "count": 1,
                "type": said.type,
                "eventTime": None,
                "reportingComponent": self._component,
                "reportingInstance": self._node,
            }
        )
        return name

    def _name(self, about: Object) -> str:
        """The name of the object and the time in nanoseconds, which is never the same twice."""
        self._last = max(self._last + 1, int(self._context.clock().timestamp() * 1e9))
        return f"{about['metadata']['name']}.{self._last:x}"


def _reference(about: Object, field: str) -> Object:
    metadata = about["metadata"]
    found = {
        "kind": about["kind"],
        "namespace": metadata["namespace"],
        "name": metadata["name"],
        "uid": metadata["uid"],
        "apiVersion": about["apiVersion"],
        "resourceVersion": metadata["resourceVersion"],
    }
    return found | ({"fieldPath": field} if field else {})
