"""A small client of the Kubernetes API: raw JSON in, raw JSON out."""

import http.client
import json
import ssl
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from .settings import API_PORT, NODE_ADDRESS, ClusterError

Object = dict[str, Any]
"""A Kubernetes object as its JSON says."""

CORE = "/api/v1"
APPS = "/apis/apps/v1"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
ARGO = "/apis/argoproj.io/v1alpha1"

KINDS: dict[str, tuple[str, str, bool]] = {
    "namespace": (CORE, "namespaces", False),
    "node": (CORE, "nodes", False),
    "service": (CORE, "services", True),
    "configmap": (CORE, "configmaps", True),
    "secret": (CORE, "secrets", True),
    "serviceaccount": (CORE, "serviceaccounts", True),
    "pod": (CORE, "pods", True),
    "event": (CORE, "events", True),
    "deployment": (APPS, "deployments", True),
    "replicaset": (APPS, "replicasets", True),
    "statefulset": (APPS, "statefulsets", True),
    "daemonset": (APPS, "daemonsets", True),
    "job": ("/apis/batch/v1", "jobs", True),
    "cronjob": ("/apis/batch/v1", "cronjobs", True),
    "endpointslice": ("/apis/discovery.k8s.io/v1", "endpointslices", True),
    "role": (RBAC, "roles", True),
    "rolebinding": (RBAC, "rolebindings", True),
    "clusterrole": (RBAC, "clusterroles", False),
    "clusterrolebinding": (RBAC, "clusterrolebindings", False),
    "customresourcedefinition": (
        "/apis/apiextensions.k8s.io/v1",
        "customresourcedefinitions",
        False,
    ),
    "application": (ARGO, "applications", True),
    "appproject": (ARGO, "appprojects", True),
    "applicationset": (ARGO, "applicationsets", True),
}
"""Of each kind: the group's path, the plural, and whether it lives in a namespace."""

APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"
JSON = "application/json"


class NotFound(ClusterError):
    """The API answered 404."""


@dataclass(frozen=True)
class Response:
    """A status code and the bytes of the body."""

    status: int
    body: bytes

    def json(self) -> Object:
        """The body as a JSON object."""
        value = json.loads(self.body)
        if not isinstance(value, dict):
            raise ClusterError(f"expected a JSON object, got {self.body[:80]!r}")
        return value


class Api:
    """Requests to the API server, as the administrator."""

    def __init__(self, pki: Path) -> None:
        self._tls = ssl.create_default_context(cafile=str(pki / "ca.crt"))
        self._tls.load_cert_chain(str(pki / "admin.crt"), str(pki / "admin.key"))

    def request(self, method: str, path: str, body: bytes | None = None, content: str = JSON) -> Response:
        """Any request; no status is an error here."""
        connection = http.client.HTTPSConnection(NODE_ADDRESS, API_PORT, timeout=30, context=self._tls)
        try:
            headers = {"Content-Type": content, "Accept": JSON} if body is not None else {}
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return Response(answer.status, answer.read())
        finally:
            connection.close()

    def answers(self, path: str) -> bool:
        """Whether a GET is answered with 200."""
        try:
            return self.request("GET", path).status == 200
        except OSError:
            return False

    def call(self, method: str, path: str, body: Object | bytes | None, content: str) -> Object:
        """A request that must succeed."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        response = self.request(method, path, data, content)
        if response.status == 404:
            raise NotFound(f"{method} {path}: not found")
        if response.status >= 300:
            text = response.body.decode(errors="replace")
            raise ClusterError(f"{method} {path} answered {response.status}: {text}")
        return response.json()

    def get(self, kind: str, namespace: str | None, name: str) -> Object:
        """One object."""
        return self.call("GET", path_of(kind, namespace, name), None, JSON)

    def list(self, kind: str, namespace: str | None, selector: str = "") -> list[Object]:
        """The objects of a kind in a namespace, or (None) in all."""
        query = "?" + urlencode({"labelSelector": selector}) if selector else ""
        group, plural, _ = _known(kind)
        path = path_of(kind, namespace) if namespace else f"{group}/{plural}"
        items = self.call("GET", path + query, None, JSON)["items"]
        assert isinstance(items, list)
        return items

    def create(self, body: Object) -> Object:
        """Create an object; it must not exist."""
        metadata = body["metadata"]
        path = path_of(body["kind"], metadata.get("namespace"))
        return self.call("POST", path, body, JSON)

    def apply(self, body: Object) -> Object:
        """Create or change an object (server-side apply)."""
        metadata = body["metadata"]
        path = path_of(body["kind"], metadata.get("namespace"), metadata["name"])
        return self.call("PATCH", f"{path}?fieldManager=harness&force=true", body, APPLY)

    def patch(self, kind: str, namespace: str | None, name: str, body: Object) -> Object:
        """Change an object (merge patch)."""
        path = f"{path_of(kind, namespace, name)}?fieldManager=harness"
        return self.call("PATCH", path, body, MERGE)

    def delete(self, kind: str, namespace: str | None, name: str) -> None:
        """Delete an object; it is no error when it is not there."""
        with suppress(NotFound):
            self.call("DELETE", path_of(kind, namespace, name), None, JSON)


def _known(kind: str) -> tuple[str, str, bool]:
    found = KINDS.get(kind.lower())
    if found is None:
        raise ClusterError(f"kind {kind!r} is not in the harness's table KINDS: add it there")
    return found


def path_of(kind: str, namespace: str | None, name: str | None = None) -> str:
    """The path of an object, or of the list of a kind."""
    group, plural, namespaced = _known(kind)
    place = f"/namespaces/{namespace or 'default'}" if namespaced else ""
    return f"{group}{place}/{plural}" + (f"/{name}" if name else "")
