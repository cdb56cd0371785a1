"""Where each kind is served, and the only paths that are ever asked for. Pure."""

import re
from typing import NamedTuple
from urllib.parse import quote

_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")


class Kind(NamedTuple):
    """A kind of object: ``api_version`` as in a manifest, ``plural`` as in the URL."""

    api_version: str
    plural: str

    @property
    def root(self) -> str:
        """The path of its group and version."""
        return f"/api/{self.api_version}" if "/" not in self.api_version else f"/apis/{self.api_version}"


KINDS: dict[str, Kind] = {
    "Application": Kind("argoproj.io/v1alpha1", "applications"),
    "AppProject": Kind("argoproj.io/v1alpha1", "appprojects"),
    "Deployment": Kind("apps/v1", "deployments"),
    "ReplicaSet": Kind("apps/v1", "replicasets"),
    "StatefulSet": Kind("apps/v1", "statefulsets"),
    "DaemonSet": Kind("apps/v1", "daemonsets"),
    "Job": Kind("batch/v1", "jobs"),
    "Pod": Kind("v1", "pods"),
    "Service": Kind("v1", "services"),
    "EndpointSlice": Kind("discovery.k8s.io/v1", "endpointslices"),
    "Event": Kind("v1", "events"),
}


def checked_name(text: str, role: str) -> str:
    """The text if it can be a name in a URL; raises ValueError otherwise (an empty name would be a list)."""
    if not _NAME.fullmatch(text) or ".." in text:
        raise ValueError(f"{text!r} cannot be the {role} of a Kubernetes object")
    return text


def list_path(kind: str, namespace: str) -> str:
    """The path of all objects of a kind in a namespace; raises KeyError or ValueError."""
    where = KINDS[kind]
    return f"{where.root}/namespaces/{checked_name(namespace, 'namespace')}/{where.plural}"


def object_path(kind: str, namespace: str, name: str) -> str:
    """The path of one object; raises KeyError for an unknown kind, ValueError for an impossible name."""
    return f"{list_path(kind, namespace)}/{checked_name(name, 'name')}"


class ServiceTarget(NamedTuple):
    """A port of a Service. ``port`` is its name or number, ``scheme`` ``https`` or empty (http)."""

    namespace: str
    name: str
    port: str
    scheme: str = ""


def proxy_path(target: ServiceTarget, path: str) -> str:
    """The path of a request through the API server to a Service; raises ValueError.

    ``path`` starts with a slash, may carry a query, and may not climb out of the proxy.
    """
    plain = path.partition("?")[0].lower().replace("%2e", ".").replace("%2f", "/").replace("%5c", "/")
    climbs = any(part in (".", "..") for part in plain.replace("\\", "/").split("/"))
    if not path.startswith("/") or climbs or "#" in path or not path.isascii() or not path.isprintable():
        raise ValueError(f"{path!r} is not a path that can be asked of a Service")
    if " " in path:
        raise ValueError(f"{path!r} holds a blank; write it as %20")
    if target.scheme not in ("", "http", "https"):
        raise ValueError(f"{target.scheme!r} is not a scheme of the Service proxy")
    prefix = f"{target.scheme}:" if target.scheme else ""
    service = f"{prefix}{checked_name(target.name, 'name')}:{quote(target.port, safe='')}"
    return f"/api/v1/namespaces/{checked_name(target.namespace, 'namespace')}/services/{service}/proxy{path}"
