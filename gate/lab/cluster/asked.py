"""What a request asks of the API server: verb, resource, namespace, name. As the API server reads a URL."""

from dataclasses import dataclass
from urllib.parse import unquote

from gate.lab.cluster.kinds import KINDS, Kind
from gate.lab.http import Request

_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete", "GET": "get", "HEAD": "get"}
_TRUE = ("1", "true", "")


@dataclass(frozen=True)
class Asked:
    """A request about a resource, or (``resource`` is empty) about a path."""

    verb: str
    path: str
    group: str = ""
    version: str = ""
    namespace: str = ""
    resource: str = ""
    name: str = ""
    subresource: str = ""

    @property
    def kind(self) -> Kind | None:
        """The kind that is asked for; None where it is not served."""
        api_version = f"{self.group}/{self.version}" if self.group else self.version
        found = (kind for kind in KINDS.values() if (kind.plural, kind.api_version) == (self.resource, api_version))
        return next(found, None)


def parse_asked(request: Request) -> Asked:
    """What the request asks for; it need not exist."""
    verb, path = _VERBS.get(request.method, request.method.lower()), request.path
    parts = path.strip("/").split("/")
    if parts[0] == "api" and len(parts) > 2:
        return _resource(verb, request, "", parts[1], parts[2:])
    if parts[0] == "apis" and len(parts) > 3:
        return _resource(verb, request, parts[1], parts[2], parts[3:])
    return Asked(verb, path)


def _resource(verb: str, request: Request, group: str, version: str, parts: list[str]) -> Asked:
    namespace = ""
    if parts[0] == "namespaces" and len(parts) > 1:
        namespace = unquote(parts[1])
        if len(parts) > 2 and parts[2] not in ("status", "finalize"):
            parts = parts[2:]
    name = unquote(parts[1]) if len(parts) > 1 else ""
    subresource = parts[2] if len(parts) > 2 else ""
    if name == "" and verb == "get":
        verb = "watch" if request.query.get("watch") in _TRUE else "list"
    if name == "" and verb == "delete":
        verb = "deletecollection"
    return Asked(verb, request.path, group, version, namespace, parts[0], name, subresource)


def proxied_path(path: str) -> str:
    """What follows ``/api/v1/namespaces/NAMESPACE/services/NAME/proxy``, still encoded; or nothing."""
    parts = path.split("/", 8)
    return f"/{parts[8]}" if len(parts) > 8 else ""
