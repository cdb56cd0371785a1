"""Checks on the API server's address, and the proxy of the environment. Pure."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from gate.adapters.failures import one_line
from gate.errors import AccessError


@dataclass(frozen=True)
class Server:
    """An API server: ``url`` without a trailing slash, ``host`` as ``name:port`` for messages."""

    url: str
    host: str
    loopback: bool
    secure: bool


def is_loopback(host: str) -> bool:
    """Whether the host is this machine (or, in a container, the container itself)."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_server(url: str | None, origin: str) -> Server:
    """The address of an API server; raises AccessError unless it is https, or http on loopback."""
    if url is None:
        raise AccessError(
            f"{origin} names no API server.",
            means="the cluster entry is empty, and a client library would now try localhost.",
            change="Set `server:` of the cluster, for example https://api.example.com:6443.",
        )
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    usable = parts.scheme in ("https", "http") and host and not parts.query and not parts.fragment
    if not usable or host is None or "@" in parts.netloc or not url.isprintable() or " " in url:
        raise AccessError(
            f"The address of the API server in {origin} is not usable.",
            means="it is not of the form https://host:port, or it holds credentials.",
            change="Write it as https://host:port.",
        )
    server = Server(
        url=url.rstrip("/"),
        host=f"{host}:{port or (443 if parts.scheme == 'https' else 80)}",
        loopback=is_loopback(host),
        secure=parts.scheme == "https",
    )
    if not server.secure and not server.loopback:
        raise AccessError(
            f"The API server {one_line(server.host)} in {origin} is addressed without TLS (http).",
            means="credentials and answers would cross the network unprotected.",
            change="Use https; plain http is accepted on loopback only (`kubectl proxy`).",
        )
    return server


def environment_proxy(server: Server, environ: Mapping[str, str]) -> str | None:
    """The proxy that ``HTTPS_PROXY`` and ``NO_PROXY`` prescribe for this server, as for kubectl."""
    if server.loopback:
        return None
    lowered = {key.lower(): value for key, value in sorted(environ.items()) if value != ""}
    proxy = lowered.get("https_proxy" if server.secure else "http_proxy")
    exempt = any(_covers(entry.strip(), server.host) for entry in lowered.get("no_proxy", "").split(","))
    return None if exempt else proxy


def _covers(entry: str, host_and_port: str) -> bool:
    """Whether an entry of ``NO_PROXY`` names this host: ``*``, a name, a domain, an address or a network."""
    host = host_and_port.rpartition(":")[0]
    if entry in ("*", host, host_and_port):
        return True
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(entry, strict=False)
    except ValueError:
        return entry != "" and host.endswith("." + entry.lstrip("."))


def check_proxy(proxy: str | None, origin: str) -> str | None:
    """The proxy's URL; raises AccessError unless it is http or https."""
    if proxy is None:
        return None
    try:
        usable = urlsplit(proxy).scheme in ("http", "https") and urlsplit(proxy).hostname
    except ValueError:
        usable = False
    if not usable:
        raise AccessError(
            f"The proxy in {origin} is not usable.",
            means="only http:// and https:// proxies are supported, not SOCKS.",
            change="Name an HTTP proxy, or remove it.",
        )
    return proxy
