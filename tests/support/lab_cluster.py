"""The laboratory's API server for a test: on the test's own loop, with a release that stands still."""

import asyncio
import http.client
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from pydantic import SecretStr

from gate.adapters.kubernetes.access import ServerAccess
from gate.adapters.kubernetes.api import KubernetesApi
from gate.adapters.kubernetes.connection import Setting
from gate.adapters.kubernetes.transport import Limits
from gate.lab.cluster.apply import apply, create
from gate.lab.cluster.server import ClusterServer
from gate.lab.cluster.store import Object, Store
from gate.lab.cluster.web import Answer
from gate.lab.manifests import PORT, web_release
from tests.support.kubernetes import patience

NAMESPACE = "orders"
Received = tuple[int, dict[str, str], bytes]


def answer_of(pod: Object, method: str, path: str) -> Answer:
    """What the Pods of these tests answer: what they were asked."""
    text = json.dumps({"pod": pod["metadata"]["name"], "method": method, "path": path})
    return Answer(200, {"Content-Type": "application/json"}, text.encode())


@asynccontextmanager
async def lab_server(answer: Any = answer_of, **options: Any) -> AsyncIterator[ClusterServer]:
    """A server with an empty store and the namespace `NAMESPACE`, for the time of the block."""
    server = ClusterServer(Store(), answer, **options)
    create(server.store, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


@asynccontextmanager
async def gate_reads(server: ClusterServer, *, attempts: int = 1, **options: Any) -> AsyncIterator[KubernetesApi]:
    """The gate's own client for this server, with the reader's token."""
    access = ServerAccess(server=server.url, token=SecretStr(server.accounts.reader.token))
    limits = options.pop("limits", Limits())
    opened = KubernetesApi(access, Setting(), limits=limits, patience=patience(attempts), **options)
    async with opened as api:
        yield api


async def send(
    server: ClusterServer,
    method: str,
    path: str,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    token: str | None = None,
) -> Received:
    """One request, by default of the administrator; status, headers (names in lower case) and body."""
    return await asyncio.to_thread(_send, server, method, path, body, headers or {}, token)


def _send(
    server: ClusterServer, method: str, path: str, body: bytes | None, headers: Mapping[str, str], token: str | None
) -> Received:
    given = server.accounts.admin.token if token is None else token
    connection = http.client.HTTPConnection("127.0.0.1", int(server.url.rpartition(":")[2]), timeout=30)
    try:
        connection.request(method, path, body, {"Authorization": f"Bearer {given}", **headers})
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def stand(
    store: Store, service: str = "web", namespace: str = NAMESPACE, pods: int = 1, **options: Any
) -> list[Object]:
    """A release whose Pods stand ready behind its Service, as its controllers would have left it; the Pods."""
    for body in web_release(service, "1.0.0", namespace=namespace, **options):
        apply(store, body)
    template = store.get("Deployment", namespace, service)["spec"]["template"]
    made = []
    for number in range(pods):
        metadata = {**template["metadata"], "name": f"{service}-{number}", "namespace": namespace}
        made.append(create(store, {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}))
    create(store, endpoint_slice(service, namespace, made))
    return made


def endpoint_slice(service: str, namespace: str, pods: list[Object], port: int = PORT, ready: bool = True) -> Object:
    """The EndpointSlice of a Service with these Pods behind it."""
    endpoints = [
        {
            "addresses": [f"10.244.0.{10 + number}"],
            "conditions": {"ready": ready, "serving": ready, "terminating": False},
            "targetRef": {"kind": "Pod", "namespace": namespace, "name": pod["metadata"]["name"]},
        }
        for number, pod in enumerate(pods)
    ]
    labels = {"kubernetes.io/service-name": service}
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": f"{service}-slice", "namespace": namespace, "labels": labels},
        "addressType": "IPv4",
        "endpoints": endpoints,
        "ports": [{"name": "http", "protocol": "TCP", "port": port}],
    }


async def watched(server: ClusterServer, count: int = 1) -> None:
    """Wait until so many watches are open."""
    while server.watches.count != count:
        server.watches.moved.clear()
        await server.watches.moved.wait()
