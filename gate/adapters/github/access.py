"""How GitHub is reached, and what is wrong with an access that cannot work."""

import ipaddress
import re
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import SecretStr

from gate.adapters.failures import one_line
from gate.adapters.github.address import check_repository
from gate.errors import AccessError
from gate.observed import Frozen

_APP_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_TOKEN = re.compile(r"[\x21-\x7e]+")


class GitHubApp(Frozen):
    """A GitHub App: ``id`` is its App id or client id, ``private_key`` the PEM file GitHub made for it,
    ``repository`` (owner/name) one that it is installed on: that installation is meant.
    """

    id: str
    private_key: SecretStr
    repository: str


class GitHubAccess(Frozen):
    """How GitHub is reached. ``api_url`` as ``GITHUB_API_URL`` has it, for GitHub Enterprise Server
    with ``/api/v3``; ``ca_file`` holds the authority of a private certificate. ``token``, or ``app`` in
    its place, says who asks; without either, public data is read. ``timeout`` is in seconds, for each
    request; ``paced`` keeps the pauses between requests that GitHub asks for.
    """

    api_url: str = "https://api.github.com"
    token: SecretStr | None = None
    app: GitHubApp | None = None
    ca_file: Path | None = None
    timeout: int = 10
    paced: bool = True


def check_access(access: GitHubAccess) -> str:
    """The host; raises AccessError for an address, token or authority that cannot be used."""
    parts = urlsplit(access.api_url)
    host = parts.hostname or ""
    if parts.scheme != "https" and not (parts.scheme == "http" and _is_loopback(host)):
        raise AccessError(
            f"{one_line(access.api_url, 100)!r} is not an https address.",
            means="the token would travel unprotected.",
            change="give GitHub's API address, as GITHUB_API_URL has it.",
        )
    token = None if access.token is None else access.token.get_secret_value()
    if token is not None and _TOKEN.fullmatch(token) is None:
        raise AccessError(
            "The GitHub token is empty, or holds blanks or line breaks.",
            means="the secret was pasted with something around it, or is not set in this workflow.",
            change="set it anew, or leave it out.",
        )
    if access.app is not None:
        _check_app(access.app, alone=token is None)
    if access.ca_file is not None and not access.ca_file.is_file():
        raise AccessError(
            f"There is no file {str(access.ca_file)!r} with the certificate authority of GitHub.",
            change="give the path as it is inside the container, or leave it out.",
        )
    return host


def _check_app(app: GitHubApp, *, alone: bool) -> None:
    if not alone:
        raise AccessError(
            "Both a GitHub token and a GitHub App are given.",
            means="the gate cannot know which of the two is to act.",
            change="give one of them.",
        )
    if _APP_ID.fullmatch(app.id) is None:
        raise AccessError(
            f"{one_line(app.id, 40)!r} is not the id of a GitHub App.",
            means="it is a number, or a client id such as Iv23liAbCdEf; its name will not do.",
            change="take App ID or Client ID from the App's settings page.",
        )
    check_repository(app.repository)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
