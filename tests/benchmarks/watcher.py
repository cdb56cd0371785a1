"""An own look at the API while the gate waits: when did the last piece of evidence become final?

It shares nothing with the gate. Each kind is watched by a thread of its own, and every event is
noted with the time at which it arrived.
"""

import http.client
import json
import ssl
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlencode

from tests.cluster.harness import ARGOCD_NAMESPACE, Object
from tests.cluster.harness.api import path_of
from tests.cluster.harness.kubernetes import PKI
from tests.cluster.harness.settings import API_PORT, NODE_ADDRESS

KINDS = ("Deployment", "ReplicaSet", "Pod", "EndpointSlice")
_VERSION = "app.kubernetes.io/version"


@dataclass(frozen=True)
class Seen:
    """An object as it was from this time on (``time.time()``); ``body`` of None: it is gone."""

    at: float
    kind: str
    name: str
    body: Object | None


@dataclass
class Watcher:
    """Watches one Application and the workloads of one namespace; a context manager."""

    application: str
    namespace: str
    seen: list[Seen] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _open: list[http.client.HTTPSConnection] = field(default_factory=list)
    _ended: bool = False

    def __enter__(self) -> Self:
        self._tls = ssl.create_default_context(cafile=str(PKI / "ca.crt"))
        self._tls.load_cert_chain(str(PKI / "admin.crt"), str(PKI / "admin.key"))
        only = {"fieldSelector": f"metadata.name={self.application}"}
        follow = [("Application", ARGOCD_NAMESPACE, only), *[(kind, self.namespace, {}) for kind in KINDS]]
        started = [threading.Event() for _ in follow]
        self._threads = [
            threading.Thread(target=self._follow, args=(*target, event), daemon=True)
            for target, event in zip(follow, started, strict=True)
        ]
        for thread in self._threads:
            thread.start()
        for event in started:
            assert event.wait(10), "a watch did not begin"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended = True
        for connection in self._open:
            if connection.sock is not None:
                with suppress(OSError):  # the cluster may have gone before
                    connection.sock.shutdown(2)
        for thread in self._threads:
            thread.join(5)

    def _ask(self, kind: str, namespace: str, query: dict[str, str]) -> http.client.HTTPResponse:
        connection = http.client.HTTPSConnection(NODE_ADDRESS, API_PORT, timeout=300, context=self._tls)
        self._open.append(connection)
        connection.request("GET", f"{path_of(kind, namespace)}?{urlencode(query)}")
        return connection.getresponse()

    def _follow(self, kind: str, namespace: str, query: dict[str, str], started: threading.Event) -> None:
        first = json.loads(self._ask(kind, namespace, query).read())
        for body in first["items"]:
            self._note(kind, body["metadata"]["name"], body)
        more = {"watch": "1", "resourceVersion": first["metadata"]["resourceVersion"], "timeoutSeconds": "300"}
        answer = self._ask(kind, namespace, query | more)
        started.set()
        try:
            while line := answer.readline():
                at, event = time.time(), json.loads(line)
                body = event["object"]
                self._note(kind, body["metadata"]["name"], None if event["type"] == "DELETED" else body, at)
        except (OSError, ValueError, http.client.HTTPException, AttributeError):
            if not self._ended:
                raise

    def _note(self, kind: str, name: str, body: Object | None, at: float | None = None) -> None:
        with self._lock:
            self.seen.append(Seen(time.time() if at is None else at, kind, name, body))

    def final(self, commit: str, version: str, until: float) -> tuple[float, str]:
        """When the evidence for this release had become final, at most at ``until``; and what was the last of it.

        Raises AssertionError when it never had.
        """
        with self._lock:
            events = sorted((one for one in self.seen if one.at <= until), key=lambda one: one.at)
        return last_change(events, commit, version)


def last_change(events: Iterable[Seen], commit: str, version: str) -> tuple[float, str]:
    """The time and the kind of the last event before which the evidence was not final, or said something else."""
    state: dict[tuple[str, str], Object] = {}
    final, identity, at, what = False, None, 0.0, ""
    finished = 0.0
    for event in events:
        key = (event.kind, event.name)
        if event.body is None:
            state.pop(key, None)
        else:
            state[key] = event.body
        now, mark, ended = _is_final(state, commit, version), _identity(state), _finished(state)
        if now and (not final or mark != identity):
            at, what = event.at, event.kind
        final, identity, finished = now, mark, ended
    assert final, f"the evidence for {commit} was never final"
    # Objects read within a second of the operation's end prove nothing; its end is told in whole seconds.
    return max((at, what), (finished + 1, "a second after the operation's end"))


def _of(state: dict[tuple[str, str], Object], kind: str) -> list[Object]:
    return [body for (its, _), body in state.items() if its == kind]


def _finished(state: dict[tuple[str, str], Object]) -> float:
    found = [_operation(app).get("finishedAt") for app in _of(state, "Application")]
    return max((datetime.fromisoformat(text).timestamp() for text in found if text), default=0.0)


def _operation(app: Object) -> Object:
    found: Object = app.get("status", {}).get("operationState") or {}
    return found


def _identity(state: dict[tuple[str, str], Object]) -> Any:
    """What two bundles must share: another operation, another generation, another ReplicaSet begin anew."""
    apps = [
        [app["metadata"]["uid"], app["spec"], app.get("operation"), _operation(app).get("startedAt"),
         _operation(app).get("finishedAt"), _operation(app).get("phase")]
        for app in _of(state, "Application")
    ]  # fmt: skip
    return [apps, [[one["metadata"]["uid"], one["metadata"]["generation"]] for one in _of(state, "Deployment")]]


def _is_final(state: dict[tuple[str, str], Object], commit: str, version: str) -> bool:
    apps, deployments = _of(state, "Application"), _of(state, "Deployment")
    if len(apps) != 1 or len(deployments) != 1:
        return False
    return _synced(apps[0], commit) and _served(state, deployments[0], version)


def _synced(app: Object, commit: str) -> bool:
    status = app.get("status", {})
    operation, sync = _operation(app), status.get("sync", {})
    return (
        "operation" not in app
        and (sync.get("status"), sync.get("revision")) == ("Synced", commit)
        and status.get("health", {}).get("status") == "Healthy"
        and operation.get("phase") == "Succeeded"
        and operation.get("syncResult", {}).get("revision") == commit
        and status.get("reconciledAt", "") >= operation.get("finishedAt", "-")
    )


def _served(state: dict[tuple[str, str], Object], deployment: Object, version: str) -> bool:
    """Whether the Deployment is complete, and the Service's ready endpoints are its Pods and no others."""
    status, replicas = deployment.get("status", {}), deployment["spec"]["replicas"]
    counters = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
    if status.get("observedGeneration") != deployment["metadata"]["generation"]:
        return False
    if deployment["spec"]["template"]["metadata"]["labels"][_VERSION] != version:
        return False
    pods = [pod for pod in _of(state, "Pod") if "deletionTimestamp" not in pod["metadata"]]
    right = {pod["metadata"]["uid"] for pod in pods if _ready(pod) and pod["metadata"]["labels"][_VERSION] == version}
    endpoints = [one for body in _of(state, "EndpointSlice") for one in body.get("endpoints") or []]
    serving = {
        one["targetRef"]["uid"]
        for one in endpoints
        if one["conditions"].get("ready") is True or one["conditions"].get("serving") is True
    }
    return all(status.get(name) == replicas for name in counters) and len(right) == len(pods) == replicas and (
        serving == right
    )  # fmt: skip


def _ready(pod: Object) -> bool:
    return any(
        one["type"] == "Ready" and one["status"] == "True" for one in pod.get("status", {}).get("conditions", [])
    )
