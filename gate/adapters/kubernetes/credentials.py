"""The chosen context of a kubeconfig, given to kubernetes.aio's own loader after every check.

The library passes over what it cannot use and goes on without credentials, so each such case is
refused here first, and its result is checked afterwards.
"""

import base64
import binascii
import json
import logging
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kubernetes.aio.client import Configuration
from kubernetes.aio.config import ConfigException, load_kube_config_from_dict

from gate.adapters.failures import one_line
from gate.adapters.kubernetes.access import KubeconfigFiles, KubeconfigText
from gate.adapters.kubernetes.kubeconfig import (
    Entry,
    Selection,
    check_authority,
    malformed,
    read_documents,
    read_text,
    select,
)
from gate.adapters.kubernetes.server import Server, check_server
from gate.errors import AccessError

_EXPIRY_SKEW = 300.0
_LOADER_LOG = "kubernetes.aio.config.kube_config"


@dataclass(frozen=True)
class LoadedKubeconfig:
    """The library's configuration for one context. ``proxy`` is what the kubeconfig itself names."""

    configuration: Any
    server: Server
    origin: str
    proxy: str | None = field(repr=False)
    notes: tuple[str, ...]


async def load_kubeconfig(
    access: KubeconfigFiles | KubeconfigText, folder: Path, *, allow_unverified: bool
) -> LoadedKubeconfig:
    """Read, choose, check and load; raises AccessError.

    ``folder`` takes client certificates that came inside of the kubeconfig; they are needed until
    the connection is made.
    """
    documents = read_documents(access)
    selection = select(documents, access.context)
    cluster, origin = selection.cluster, selection.cluster.document.origin
    server = check_server(cluster.text("server"), f"{origin}, cluster {one_line(cluster.name, 64)!r}")
    notes = _check_verification(cluster, server, allow_unverified=allow_unverified)
    user = {} if selection.user is None else _user_values(selection.user, folder)
    if not user and not server.loopback:
        raise _no_credentials(selection, server)
    configuration = Configuration()
    await _run_loader(selection, server, user, configuration)
    if server.secure and not notes:
        authority = cluster.pem("certificate-authority")
        configuration.ca_cert_data = (
            None if authority is None else check_authority(authority, f"the certificate-authority in {origin}")
        )
    return LoadedKubeconfig(configuration, server, origin, cluster.text("proxy-url"), notes)


async def _run_loader(selection: Selection, server: Server, user: dict[str, Any], configuration: Any) -> None:
    """Let the library load one self-contained context, and see that it did not go on without credentials."""
    cluster: dict[str, Any] = {"server": server.url}
    name = selection.cluster.text("tls-server-name")
    if name is not None:
        cluster["tls-server-name"] = name
    if selection.cluster.values.get("insecure-skip-tls-verify") is True:
        cluster["insecure-skip-tls-verify"] = True
    config = {
        "current-context": "it",
        "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
        "clusters": [{"name": "it", "cluster": cluster}],
        "users": [{"name": "it", "user": user}],
    }
    with _loader_log() as said:
        try:
            await load_kube_config_from_dict(  # type: ignore[no-untyped-call]  # the library is not typed here
                config, context="it", client_configuration=configuration
            )
        except (ConfigException, OSError, ValueError, KeyError, TypeError) as error:
            said.append(str(error))
    loaded = "BearerToken" in configuration.api_key or configuration.cert_file is not None
    if configuration.host != server.url or (user and not loaded):
        source = f"the exec plugin {user['exec']['command']}" if "exec" in user else "the kubeconfig's user"
        detail = f": {_scrubbed(said[-1])}" if said else ""
        raise AccessError(
            f"{source[:1].upper()}{source[1:]} gave no credentials for {server.host}{detail}.",
            means="the plugin failed or is not logged in on this machine.",
            change="Run it by hand with the same environment, or use a service account token.",
        )


@contextmanager
def _loader_log() -> Iterator[list[str]]:
    """What the loader logs instead of raising, kept away from the program's output."""
    said: list[str] = []
    logger = logging.getLogger(_LOADER_LOG)
    before = logger.filters[:]

    def keep(record: logging.LogRecord) -> bool:
        said.append(record.getMessage())
        return False

    logger.filters = [keep]
    try:
        yield said
    finally:
        logger.filters = before


def _scrubbed(text: str) -> str:
    return one_line(re.sub(r"[A-Za-z0-9+=_-]{28,}", "***", text))


def _check_verification(cluster: Entry, server: Server, *, allow_unverified: bool) -> tuple[str, ...]:
    skip = cluster.values.get("insecure-skip-tls-verify")
    if skip is None or skip is False:
        return ()
    if skip is not True:
        raise malformed(cluster.document.origin, "insecure-skip-tls-verify is neither true nor false")
    if not allow_unverified:
        raise AccessError(
            f"The kubeconfig switches off TLS verification for {server.host} (insecure-skip-tls-verify).",
            means="anybody between here and there could answer in the API server's place.",
            change="Set certificate-authority-data, or allow it with `policy: {allow: [insecure-skip-tls-verify]}`.",
        )
    return (f"the identity of the API server {server.host} was not verified (insecure-skip-tls-verify)",)


def _no_credentials(selection: Selection, server: Server) -> AccessError:
    return AccessError(
        f"The context {one_line(selection.context, 64)!r} has no credentials for {server.host}.",
        means="its user entry is empty, so that every request would be anonymous.",
        change="Add a token, a client certificate or an exec plugin to the user.",
    )


def _user_values(user: Entry, folder: Path) -> dict[str, Any]:
    """The user entry as the loader needs it: checked, self-contained, one way to log in."""
    for key in ("as", "as-uid", "as-groups", "as-user-extra"):
        if user.values.get(key):
            raise _unsupported(user, f"impersonation ({key})", "Give the service account a token of its own.")
    if user.values.get("auth-provider") is not None:
        return {"auth-provider": _auth_provider(user)}
    if user.values.get("exec") is not None:
        return {"exec": _exec(user)}
    values: dict[str, Any] = {}
    token_file, token = user.path("tokenFile"), user.text("token")
    if token_file is not None:
        if read_text(token_file, f"the tokenFile of {one_line(user.name, 64)!r}").strip() == "":
            raise malformed(user.document.origin, f"the tokenFile of {one_line(user.name, 64)!r} is empty")
        values["tokenFile"] = str(token_file)
    elif token is not None:
        values["token"] = token
    if user.text("username") is not None and user.text("password") is not None:
        values |= {"username": user.text("username"), "password": user.text("password")}
    return values | _client_certificate(user, folder)


def _client_certificate(user: Entry, folder: Path) -> dict[str, str]:
    certificate, key = user.pem("client-certificate"), user.pem("client-key")
    if certificate is None and key is None:
        return {}
    if certificate is None or key is None:
        raise malformed(user.document.origin, f"{one_line(user.name, 64)!r} has a client certificate or key alone")
    if "ENCRYPTED" in key:
        raise _unsupported(user, "a client key with a passphrase", "Give the key without one, or use a token.")
    paths = {"client-certificate": folder / "client.crt", "client-key": folder / "client.key"}
    for path, text in zip(paths.values(), (certificate, key), strict=True):
        path.touch(mode=0o600)
        path.write_text(text)
    return {name: str(path) for name, path in paths.items()}


def _exec(user: Entry) -> dict[str, Any]:
    given = user.values["exec"]
    origin, name = user.document.origin, one_line(user.name, 64)
    if not isinstance(given, dict) or not isinstance(given.get("command"), str) or given["command"] == "":
        raise malformed(origin, f"exec of {name!r} names no command")
    command = given["command"]
    if "/" in command and not Path(command).is_absolute() and user.document.folder is not None:
        command = str(user.document.folder / command)
    if shutil.which(command) is None:
        raise AccessError(
            f"The exec plugin {one_line(command, 128)!r} of {name!r} is not on the PATH.",
            means="the kubeconfig comes from a machine that has it; the action's image does not.",
            change="Use a service account token instead of the plugin, or install it where the gate runs.",
        )
    for key in ("args", "env"):
        if not isinstance(given.get(key) or [], list):
            raise malformed(origin, f"{key} of exec of {name!r} is not a list")
    return given | {"command": command}


def _auth_provider(user: Entry) -> dict[str, Any]:
    """An OIDC provider whose token is still good. The library's refresh would not verify TLS, so it never runs."""
    given = user.values["auth-provider"]
    advice = "Use an exec plugin (kubelogin) or a service account token."
    if not isinstance(given, dict) or given.get("name") != "oidc":
        raise _unsupported(user, "this auth-provider (kubectl dropped it, too)", advice)
    config = given.get("config")
    token = config.get("id-token") if isinstance(config, dict) else None
    try:
        payload = str(token).split(".")[1]
        expires = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))["exp"]
        good = float(expires) - _EXPIRY_SKEW > time.time()
    except (IndexError, KeyError, TypeError, ValueError, binascii.Error):
        good = False
    if not good:
        raise AccessError(
            f"The id-token of the user {one_line(user.name, 64)!r} is missing, damaged or expired.",
            means="it was meant to be renewed by the kubeconfig's auth-provider, which cannot be done safely here.",
            change=advice,
        )
    return {"name": "oidc", "config": {"id-token": token}}


def _unsupported(user: Entry, what: str, change: str) -> AccessError:
    return AccessError(
        f"The user {one_line(user.name, 64)!r} of {user.document.origin} uses {what}, which is not supported.",
        means="the request would be sent as somebody else, or as nobody.",
        change=change,
    )
