"""How a cluster is reached: the models, and the choice between what a caller gave.

Nothing is guessed. The files of a laptop (``KUBECONFIG``, ``~/.kube/config``) are used only
when a caller passes them in.
"""

import base64
import binascii
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from gate.errors import AccessError

TOKEN_FILE = Path("/var/run/secrets/kubernetes.io/serviceaccount/token")
CA_FILE = Path("/var/run/secrets/kubernetes.io/serviceaccount/ca.crt")
_LONGEST_BARE_NAME = 64
_NO_PATH = re.compile(r"[\[{\"']|:\s")  # a piece of YAML or JSON: a message about a path would show it


@dataclass(frozen=True, kw_only=True)
class KubeconfigFiles:
    """Kubeconfig files, the first to name something wins. ``context`` of None: the current one."""

    paths: tuple[Path, ...]
    context: str | None = None


@dataclass(frozen=True, kw_only=True)
class KubeconfigText:
    """The content of a kubeconfig, as YAML or base64 of it."""

    content: SecretStr
    context: str | None = None


@dataclass(frozen=True, kw_only=True)
class GitHubIdentity:
    """A GitHub OIDC token of the running job, made out for ``audience``, in place of a token that is stored."""

    audience: str


@dataclass(frozen=True, kw_only=True)
class ServerAccess:
    """An API server, a bearer token and the authority that signed the server's certificate.

    ``authority`` is a path or PEM text; None trusts what the system trusts.
    """

    server: str
    token: SecretStr | GitHubIdentity
    authority: str | None = None


@dataclass(frozen=True, kw_only=True)
class InCluster:
    """The service account of the Pod that the gate runs in."""

    token_file: Path = TOKEN_FILE
    authority_file: Path = CA_FILE


Access = KubeconfigFiles | KubeconfigText | ServerAccess | InCluster


def choose_access(
    *,
    kubeconfig: SecretStr | None = None,
    context: str | None = None,
    server: str | None = None,
    token: SecretStr | None = None,
    audience: str | None = None,
    authority: str | None = None,
    in_cluster: bool = False,
    fallback: tuple[Path, ...] = (),
) -> Access:
    """The one way in that was given; ``None`` means not given.

    ``kubeconfig`` is a path or content. ``audience`` is that of a GitHub OIDC token in place of ``token``.
    ``fallback`` are kubeconfig files to use when nothing else was given. Raises AccessError when nothing, or
    more than one way, was given.
    """
    bearer = token if token is not None or audience is None else GitHubIdentity(audience=audience)
    by_server = server is not None or bearer is not None or authority is not None
    _check_one_way(kubeconfig is not None, by_server, in_cluster)
    if kubeconfig is not None:
        return _from_kubeconfig(kubeconfig, context)
    if by_server or in_cluster:
        if context is not None:
            raise AccessError(
                f"The context {context!r} was asked for, but no kubeconfig was given.",
                means="a context is an entry of a kubeconfig.",
                change="Give the kubeconfig that holds this context, or remove the context.",
            )
        return InCluster() if in_cluster else _from_server(server, bearer, authority)
    if fallback:
        return KubeconfigFiles(paths=fallback, context=context)
    raise AccessError(
        "No access to the cluster was given.",
        means="neither a kubeconfig nor a server with a token nor the Pod's service account was named, or the secret"
        " behind it is empty: a pull request from a fork gets none, and Dependabot only its own.",
        change="Give a kubeconfig (path or content), or the API server's URL, a token and its authority.",
    )


def _check_one_way(by_kubeconfig: bool, by_server: bool, in_cluster: bool) -> None:
    """Raise AccessError when more than one way in was given."""
    names = ("a kubeconfig", "server and token", "the Pod's service account")
    ways = [name for name, given in zip(names, (by_kubeconfig, by_server, in_cluster), strict=True) if given]
    if len(ways) > 1:
        raise AccessError(
            f"Access to the cluster was given in more than one way: {' and '.join(ways)}.",
            means="two inputs are set, and one of them would silently be ignored.",
            change="Keep one of them.",
        )


def _from_server(server: str | None, token: SecretStr | GitHubIdentity | None, authority: str | None) -> ServerAccess:
    if server is None or token is None:
        missing = "the API server's URL" if server is None else "a token"
        raise AccessError(
            f"Access to the cluster lacks {missing}.",
            means="an input is empty, for example a secret that this workflow may not read.",
            change="Give both the API server's URL and a token.",
        )
    return ServerAccess(server=server, token=token, authority=authority)


def _from_kubeconfig(kubeconfig: SecretStr, context: str | None) -> Access:
    text = kubeconfig.get_secret_value().strip()
    if text == "":
        raise AccessError(
            "The kubeconfig that was given is empty.",
            means="a secret that this workflow may not read, or that does not exist, is empty.",
            change="Set the secret, or give a path.",
        )
    # Content has several lines, or is JSON, or is base64 of either; everything else is a path.
    if "\n" in text or text.startswith("{") or "clusters" in unwrapped(text):
        return KubeconfigText(content=kubeconfig, context=context)
    if ("/" not in text and len(text) > _LONGEST_BARE_NAME) or _NO_PATH.search(text) is not None:
        raise AccessError(
            f"The kubeconfig that was given ({len(text)} characters) is neither a path nor the content of one.",
            means="a token or a damaged base64 text stands where the kubeconfig should stand.",
            change="Give a path, the YAML itself, or base64 of the YAML.",
        )
    return KubeconfigFiles(paths=(Path(text),), context=context)


def unwrapped(text: str) -> str:
    """The text itself, or what it is the base64 of."""
    try:
        decoded = base64.b64decode("".join(text.split()), validate=True).decode()
    except (binascii.Error, ValueError):
        return text
    return decoded if decoded != "" else text


def laptop_kubeconfigs(environ: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """The kubeconfig files that ``kubectl`` would use; for a caller who asked for them."""
    named = [Path(part) for part in environ.get("KUBECONFIG", "").split(os.pathsep) if part != ""]
    return tuple(named) if named else (home / ".kube" / "config",)
