"""Readiness probes: what the kubelet asks a container, and how it words what is wrong."""

from gate.lab.cluster.store import Object
from gate.lab.cluster.web import answer_of


def probe_failure(pod: Object, container: Object, probe: Object) -> str | None:
    """What is wrong with the answer to this probe, in the kubelet's words; None when nothing is."""
    address = pod["status"].get("podIP", "")
    if "httpGet" in probe:
        return _http_failure(pod, container, probe["httpGet"], address)
    if "tcpSocket" in probe:
        port = _port(container, probe["tcpSocket"]["port"])
        if answer_of(pod, "GET", "/", port) is not None:
            return None
        return f"dial tcp {address}:{port}: connect: connection refused"
    # The laboratory runs no commands in containers and speaks no gRPC: such a probe cannot say that it is well.
    return "the laboratory has no such probe"


def _http_failure(pod: Object, container: Object, action: Object, address: str) -> str | None:
    port, scheme = _port(container, action["port"]), str(action.get("scheme", "HTTP")).lower()
    url = f"{scheme}://{address}:{port}/{str(action.get('path', '/')).lstrip('/')}"
    answer = answer_of(pod, "GET", str(action.get("path", "/")), port)
    if answer is None:
        return f'Get "{url}": dial tcp {address}:{port}: connect: connection refused'
    if scheme == "https":
        return f'Get "{url}": http: server gave HTTP response to HTTPS client'
    if 200 <= answer.status < 400:
        return None
    return f"HTTP probe failed with statuscode: {answer.status}"


def _port(container: Object, port: int | str) -> int:
    """A port by its number, or by the name that the container gives it; 0 where it gives it to none."""
    if isinstance(port, int):
        return port
    found = (one["containerPort"] for one in container.get("ports", ()) if one.get("name") == port)
    return int(next(found, 0))
