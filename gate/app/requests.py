"""Sending the samples that do not go through the API server, and resolving header values."""

from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import SecretStr

from gate.adapters.failures import ReadFailed
from gate.adapters.kubernetes.server import Server, check_proxy, environment_proxy, is_loopback
from gate.adapters.runner.hidden import learn
from gate.config.model import Allow, Environment, Request
from gate.errors import UsageError
from gate.facts.moment import Raw, RawResponse
from gate.observe import Reader, Send, utc_now


def resolve_headers(settings: Environment, environ: Mapping[str, str]) -> dict[str, dict[str, SecretStr]]:
    """The header values of every request, which are printed nowhere from now on.

    Raises UsageError for a variable that is not set.
    """
    resolved: dict[str, dict[str, SecretStr]] = {}
    for request in settings.requests:
        values: dict[str, SecretStr] = {}
        for header, variable in request.headers.items():
            value = environ.get(variable, "")
            if value == "":
                raise UsageError(
                    f"Request {request.name} needs the environment variable {variable} for its header {header}.",
                    means="the workflow does not pass it to the action, or the secret behind it is empty.",
                    change=f"Set it with `env:` on the step: {variable}: ${{{{ secrets.{variable} }}}}.",
                )
            values[header] = SecretStr(value)
            learn(values[header])
        resolved[request.name] = values
    return resolved


def _port(service: Raw, asked: str) -> int | None:
    spec = service.get("spec")
    ports = spec.get("ports") if isinstance(spec, dict) else None
    for port in ports if isinstance(ports, list) else ():
        if isinstance(port, dict) and asked in (port.get("name"), str(port.get("port"))):
            number = port.get("port")
            return number if isinstance(number, int) else None
    return None


async def _url(request: Request, cluster: Reader) -> str:
    """Where the request goes; a Service by its own address inside the cluster network. Raises ReadFailed."""
    target = request.service
    if target is None:
        return request.full_url or ""
    what = f"Service {target.namespace}/{target.name}"
    service = await cluster.get("Service", target.namespace, target.name)
    spec = {} if service is None else service.get("spec")
    address = spec.get("clusterIP") if isinstance(spec, dict) else None
    port = None if service is None else _port(service, target.port)
    if not isinstance(address, str) or address in ("", "None") or port is None:
        raise ReadFailed(what, f"it has no cluster address with a port {target.port}")
    host = f"[{address}]" if ":" in address else address
    return f"http://{host}:{port}{request.path}"


def proxies_for(request: Request, environ: Mapping[str, str]) -> dict[str, str]:
    """The proxies that the environment prescribes for a request from outside, by scheme; raises AccessError."""
    if request.by_route != "external" or request.full_url is None:
        return {}
    parts = urlsplit(request.full_url)
    host = parts.hostname or ""
    found: dict[str, str] = {}
    for scheme, port in (("http", 80), ("https", 443)):
        server = Server(request.full_url, f"{host}:{parts.port or port}", is_loopback(host), scheme == "https")
        proxy = check_proxy(environment_proxy(server, environ), "the environment")
        if proxy is not None:
            found[scheme] = proxy
    return found


def _tell_of_proxies(proxies: Mapping[str, Mapping[str, str]], say: Callable[[str], None]) -> None:
    for name, chosen in proxies.items():
        if len(chosen) > 0:
            via = " and ".join(dict.fromkeys(urlsplit(proxy).hostname or "" for proxy in chosen.values()))
            say(f"Request {name} goes through the proxy {via}, not as a user's would.")


def make_send(
    settings: Environment,
    cluster: Reader,
    headers: Mapping[str, Mapping[str, SecretStr]],
    environ: Mapping[str, str],
    say: Callable[[str], None] = lambda _: None,
) -> Send:
    """The sender for routes ``cluster`` and ``external``; httpx is imported when the first one goes out.

    What goes out by route ``external`` takes the proxy of the environment, which ``say`` is told. Raises
    AccessError for one that is none.
    """
    proxies = {request.name: proxies_for(request, environ) for request in settings.requests}
    _tell_of_proxies(proxies, say)
    follow = settings.policy.allows(Allow.SAME_HOST_REDIRECTS)

    async def send(request: Request) -> RawResponse:
        from gate.adapters.http.client import HttpClient, HttpRequest

        try:
            url = await _url(request, cluster)
        except ReadFailed as failure:
            return RawResponse(request=request.name, route=request.by_route, at=utc_now(), error=failure.error)
        return await HttpClient().send(
            HttpRequest(
                request=request.name,
                route=request.by_route,
                url=url,
                method=request.method,
                headers=headers.get(request.name, {}),
                timeout=request.timeout.total_seconds(),
                ca_file=None if request.ca_file is None else Path(request.ca_file),
                same_host_redirects=follow,
                proxies=proxies[request.name],
            )
        )

    return send
