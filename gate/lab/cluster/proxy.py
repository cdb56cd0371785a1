"""The Service proxy: a request through the API server to one of the Pods behind a Service."""

import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

from gate.lab.cluster.asked import Asked, proxied_path
from gate.lab.cluster.kinds import SERVICE_NAME
from gate.lab.cluster.refusals import unavailable
from gate.lab.cluster.store import Object, Store
from gate.lab.cluster.web import Answer
from gate.lab.http import Reply, Request

AnswerOf = Callable[[Object, str, str], Answer | None]
"""What a Pod answers to a method and a path with its query; None where nobody listens."""


class _Endpoint(NamedTuple):
    address: str
    port: int
    pod: str


def proxy(store: Store, answer: AnswerOf, asked: Asked, request: Request) -> Reply:
    """The answer of one ready endpoint, chosen by chance; raises Refused (503) and NotFound as the API server."""
    path = proxied_path(request.path)
    if path == "" and request.method in ("GET", "HEAD"):
        return Reply(301, headers={"Location": f"{request.path}/"})
    _scheme, name, port = _parse_name(asked.name)
    service = store.get("Service", asked.namespace, name)
    port_name = _port_name(service, port)
    endpoints = list(_endpoints(store, asked.namespace, name))
    if not endpoints:
        raise unavailable(f'no endpoints available for service "{name}"')
    ready = [endpoint for endpoint, named in endpoints if named == port_name and endpoint is not None]
    if not ready:
        raise unavailable(f'no endpoints available for service "{asked.name}"')
    chosen = random.choice(ready)  # noqa: S311 - as good as the API server's
    query = request.target.partition("?")[2]
    return _sent(store, answer, asked.namespace, chosen, request.method, f"{path}?{query}" if query else path)


def _parse_name(text: str) -> tuple[str, str, str]:
    """Scheme, name and port of ``[scheme:]name[:port]``."""
    parts = text.split(":")
    if len(parts) == 3:
        return parts[0], parts[1], parts[2]
    return "", parts[0], parts[1] if len(parts) == 2 else ""


def _port_name(service: Object, port: str) -> str:
    """The name of a Service's port that was asked for by name or number; raises Refused for a number it has not."""
    if not port.isdecimal():
        return port
    for one in service["spec"].get("ports") or ():
        if one["port"] == int(port):
            return str(one.get("name", ""))
    name = service["metadata"]["name"]
    raise unavailable(f'no service port {port} found for service "{name}"')


def _endpoints(store: Store, namespace: str, service: str) -> Iterator[tuple[_Endpoint | None, str]]:
    """Every endpoint with the name of a port, None in the place of one that is not ready."""
    for body in store.objects("EndpointSlice", namespace):
        if body["metadata"].get("labels", {}).get(SERVICE_NAME) != service:
            continue
        for one in body.get("endpoints") or ():
            ready = one.get("conditions", {}).get("ready") is not False
            pod = one.get("targetRef", {}).get("name", "")
            for port in body.get("ports") or ():
                found = _Endpoint(one["addresses"][0], port["port"], pod) if ready else None
                yield found, port.get("name") or ""


def _sent(store: Store, answer: AnswerOf, namespace: str, to: _Endpoint, method: str, path: str) -> Reply:
    pod = store.find("Pod", namespace, to.pod)
    if pod is None:
        raise unavailable(f"error trying to reach service: dial tcp {to.address}:{to.port}: connect: no route to host")
    found = answer(pod, method, path) if to.port in _listened(pod, to.port) else None
    if found is None:
        text = f"error trying to reach service: dial tcp {to.address}:{to.port}: connect: connection refused"
        raise unavailable(text)
    return Reply(found.status, found.body, dict(found.headers))


def _listened(pod: Object, port: int) -> set[int]:
    """The ports on which the Pod listens: those that it declares, any if it declares none."""
    declared = {one["containerPort"] for container in pod["spec"]["containers"] for one in container.get("ports", ())}
    return declared or {port}
