"""From an ``Access`` to a configured client: one set of credentials, loaded by kubernetes.aio."""

import asyncio
import ssl
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from kubernetes.aio.client import ApiClient, Configuration
from kubernetes.aio.config import ConfigException
from kubernetes.aio.config.incluster_config import InClusterConfigLoader
from pydantic import SecretStr

from gate import __version__
from gate.adapters.failures import one_line
from gate.adapters.kubernetes.access import Access, GitHubIdentity, InCluster, ServerAccess
from gate.adapters.kubernetes.credentials import load_kubeconfig
from gate.adapters.kubernetes.kubeconfig import check_authority, read_text
from gate.adapters.kubernetes.oidc import IdentityTokens
from gate.adapters.kubernetes.server import Server, check_proxy, check_server, environment_proxy
from gate.errors import AccessError

CONTAINER_MARK = Path("/.dockerenv")
_LOADING = 60.0


@dataclass(frozen=True)
class Setting:
    """Where the program runs: its environment variables, and whether in a container of an action.

    ``hide`` is told every secret that is sent, before it is.
    """

    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    container_mark: Path = CONTAINER_MARK
    hide: Callable[[SecretStr], None] = lambda _: None

    @property
    def in_container_action(self) -> bool:
        """Whether this is the container of a GitHub action, where localhost is the container itself."""
        return self.environ.get("GITHUB_ACTIONS") == "true" and self.container_mark.exists()


@dataclass(frozen=True)
class Loaded:
    """What the loaders filled in: the library's configuration, the server, notes for the verdict."""

    configuration: Any
    server: Server
    notes: tuple[str, ...] = ()


class Connection:
    """One set of loaded credentials and the connections made with it."""

    def __init__(self, loaded: Loaded, hint: str, hide: Callable[[SecretStr], None]) -> None:
        self.server = loaded.server
        self.hint = hint
        self.secrets: set[str] = set()
        self._hide = hide
        self.users = 0
        self.retired = False
        self._configuration = loaded.configuration
        self._client = ApiClient(loaded.configuration)
        rest = self._client.rest_client
        self.fixed: dict[str, Any] = {"proxy": rest.proxy, "allow_redirects": False}
        if loaded.configuration.tls_server_name:
            self.fixed["server_hostname"] = loaded.configuration.tls_server_name
        if rest.proxy:
            self._keep(*filter(None, [urlsplit(rest.proxy).password]))
        self._session: aiohttp.ClientSession | None = None

    async def headers(self) -> dict[str, str]:
        """User agent and credentials for one call; a mounted token is read again when it is old."""
        headers: dict[str, str] = {"User-Agent": f"promotion-gate/{__version__}", "Accept": "application/json"}
        # The loaders rewrite this key from a file, which may end in a newline.
        setting = (await self._configuration.auth_settings()).get("BearerToken")
        if setting is not None and setting["value"]:
            value = str(setting["value"]).strip()
            self._keep(*value.split(" ", 1)[1:])
            headers["Authorization"] = value
        return headers

    def _keep(self, *secrets: str) -> None:
        """Remember what must not be shown, and have it hidden wherever it came from."""
        for secret in {*secrets} - self.secrets:
            self.secrets.add(secret)
            self._hide(SecretStr(secret))

    def session(self) -> aiohttp.ClientSession:
        """The shared connections, made by the library on first use."""
        if self._session is None:
            self._session = self.open_session()
            self._client.rest_client.pool_manager = self._session
        return self._session

    def open_session(self) -> aiohttp.ClientSession:
        """Connections of their own, to be closed by the caller: no cookies, nothing from the environment."""
        # The hook that the library documents for its sessions; its own request() follows redirects.
        session: aiohttp.ClientSession = self._client.rest_client._create_pool_manager()  # noqa: SLF001
        return session

    async def close(self) -> None:
        """Close every shared connection."""
        await self._client.close()  # type: ignore[no-untyped-call]  # the library is not typed here


async def connect(
    access: Access, setting: Setting, *, allow_unverified: bool = False
) -> tuple[Connection, tuple[str, ...]]:
    """Load the credentials of an access: the connection, and notes that the verdict must carry.

    No request is sent, save those of an exec plugin. ``allow_unverified`` accepts a kubeconfig that
    switches TLS verification off. Raises AccessError.
    """
    with tempfile.TemporaryDirectory(prefix="gate-") as folder:
        try:
            async with asyncio.timeout(_LOADING):
                loaded = await _load(access, setting, Path(folder), allow_unverified=allow_unverified)
        except TimeoutError:
            raise AccessError(
                f"Loading the credentials took longer than {_LOADING:.0f} s.",
                means="an exec plugin waits for somebody to log in.",
                change="Use credentials that need nobody at a keyboard, for example a service account token.",
            ) from None
        return _connection(loaded, setting)


def _connection(loaded: Loaded, setting: Setting) -> tuple[Connection, tuple[str, ...]]:
    configuration = loaded.configuration
    configuration.client_session_kwargs = {"trust_env": False, "cookie_jar": aiohttp.DummyCookieJar()}
    # Chain and host name are verified all the same; the extra strictness refuses authorities that kubectl accepts.
    configuration.disable_strict_ssl_verification = True
    hint = ""
    notes = loaded.notes
    if loaded.server.loopback and setting.in_container_action:
        hint = "in a container action this is the container itself: name an address that the container can reach"
        notes = (*notes, f"the API server {loaded.server.host} is on loopback; {hint}")
    try:
        return Connection(loaded, hint, setting.hide), notes
    except (OSError, ValueError, ssl.SSLError) as error:
        raise AccessError(
            f"The certificates for {loaded.server.host} cannot be used: {_ssl_words(error)}.",
            means="a certificate, key or authority is no PEM, or key and certificate do not belong together.",
            change="Compare them with those of a machine where kubectl works.",
        ) from None


def _ssl_words(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        return one_line((error.reason or "not PEM").replace("_", " ").lower())
    return one_line(getattr(error, "strerror", None) or "not PEM")


async def _load(access: Access, setting: Setting, folder: Path, *, allow_unverified: bool) -> Loaded:
    if isinstance(access, ServerAccess):
        return await _load_server(access, setting)
    if isinstance(access, InCluster):
        return _load_in_cluster(access, setting)
    kubeconfig = await load_kubeconfig(access, folder, allow_unverified=allow_unverified)
    proxy = kubeconfig.proxy if kubeconfig.proxy is not None else environment_proxy(kubeconfig.server, setting.environ)
    kubeconfig.configuration.proxy = check_proxy(proxy, kubeconfig.origin)
    return Loaded(kubeconfig.configuration, kubeconfig.server, kubeconfig.notes)


async def _load_server(access: ServerAccess, setting: Setting) -> Loaded:
    server = check_server(access.server.strip(), "the input")
    configuration = Configuration(host=server.url)
    configuration.proxy = check_proxy(environment_proxy(server, setting.environ), "the environment")
    if access.authority is not None:
        text = access.authority.strip()
        is_content = text.startswith("-----BEGIN") or "\n" in text
        pem = text if is_content else read_text(Path(text), "the certificate authority")
        configuration.ca_cert_data = check_authority(pem, "the given certificate authority")
    if isinstance(access.token, GitHubIdentity):
        await _log_in(configuration, IdentityTokens(access.token.audience, setting.environ))
    else:
        configuration.api_key["BearerToken"] = f"Bearer {_checked_token(access.token, server)}"
    return Loaded(configuration, server)


def _checked_token(given: SecretStr, server: Server) -> str:
    token = given.get_secret_value().strip()
    if token == "" or not token.isascii() or not token.isprintable() or " " in token:
        raise AccessError(
            f"The token for {server.host} is {'empty' if token == '' else 'not a bearer token'}.",
            means="a secret that this workflow may not read is empty, or it holds more than the token.",
            change="Put exactly the token into the secret (`kubectl create token NAME`).",
        )
    return token


async def _log_in(configuration: Any, tokens: IdentityTokens) -> None:
    """Have the library send a GitHub OIDC token that is good yet, with every call."""

    async def refresh(into: Any) -> None:
        into.api_key["BearerToken"] = f"Bearer {await tokens.current()}"

    configuration.api_key["BearerToken"] = f"Bearer {await tokens.first()}"
    configuration.refresh_api_key_hook = refresh


def _load_in_cluster(access: InCluster, setting: Setting) -> Loaded:
    configuration = Configuration()
    make_loader: Any = InClusterConfigLoader  # the library is not typed here
    try:
        make_loader(str(access.token_file), str(access.authority_file), environ=setting.environ).load_and_set(
            configuration
        )
    except (ConfigException, OSError) as error:
        raise AccessError(
            f"The Pod's service account cannot be used: {one_line(str(error))}",
            means="the gate does not run in a Pod, or automountServiceAccountToken is off.",
            change="Run it in a Pod with a service account, or give a kubeconfig.",
        ) from None
    return Loaded(configuration, check_server(configuration.host, "the Pod's environment"))
