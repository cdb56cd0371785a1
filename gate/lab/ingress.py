"""A small ingress on loopback: one rule at most, and a default backend that answers 200 to everything."""

from collections.abc import Callable

from gate.lab.cluster.kinds import SERVICE_NAME
from gate.lab.cluster.store import Object, Store
from gate.lab.cluster.web import Answer
from gate.lab.http import HttpServer, Reply, Request

DEFAULT_BACKEND = Reply(200, b"ok\n", {"Content-Type": "text/plain"})
_NOBODY = Reply(503, b"no endpoint\n", {"Content-Type": "text/plain"})


class Ingress:
    """Answers for users. ``backend`` is the namespace and name of a Service; None: the default backend.

    ``answer`` is what a Pod answers to a method and path, None where nobody listens. Raises
    UsageError for a port that is taken.
    """

    def __init__(self, store: Store, answer: Callable[[Object, str, str], Answer | None], port: int = 0) -> None:
        self._store, self._answer = store, answer
        self.backend: tuple[str, str] | None = None
        self.server = HttpServer(self._reply, port)

    async def _reply(self, request: Request) -> Reply:
        if self.backend is None:
            return DEFAULT_BACKEND
        for pod in self._ready_pods(*self.backend):
            answer = self._answer(pod, request.method, request.path)
            if answer is not None:
                return Reply(answer.status, answer.body, dict(answer.headers))
        return _NOBODY

    def _ready_pods(self, namespace: str, service: str) -> list[Object]:
        slices = self._store.objects("EndpointSlice", namespace)
        names = [
            endpoint["targetRef"]["name"]
            for one in slices
            if one["metadata"].get("labels", {}).get(SERVICE_NAME) == service
            for endpoint in one.get("endpoints") or []
            if endpoint.get("conditions", {}).get("ready") is True
        ]
        found = [self._store.find("Pod", namespace, name) for name in names]
        return [pod for pod in found if pod is not None]
