"""How the client proves who it is: a token, or a GitHub App that gets itself one and renews it.

An App's token lives for an hour; PyGithub asks for the next one shortly before it ends.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from github import Auth, Github, GithubException, GithubIntegration

from gate import __version__
from gate.adapters.failures import one_line
from gate.adapters.github.access import GitHubAccess, GitHubApp
from gate.adapters.github.answer import LoginRefused, refusal
from gate.errors import AccessError

API_VERSION: Final = "2022-11-28"
PAGE: Final = 100


def settings_of(access: GitHubAccess) -> dict[str, Any]:
    """What PyGithub is given whoever calls: no retries and no requests of its own."""
    pause = {} if access.paced else {"seconds_between_requests": None, "seconds_between_writes": None}
    return {
        "base_url": access.api_url,
        "lazy": True,
        "retry": None,
        "per_page": PAGE,
        "timeout": access.timeout,
        "api_version": API_VERSION,
        "user_agent": f"promotion-gate/{__version__}",
        "verify": True if access.ca_file is None else str(access.ca_file),
        **pause,
    }


def app_auth(app: GitHubApp) -> Auth.AppAuth:
    """The App's own identity; raises AccessError for a key that cannot sign."""
    try:
        auth = Auth.AppAuth(app.id, app.private_key.get_secret_value())
        auth.create_jwt()
    except Exception:  # noqa: BLE001 - whatever the parser of keys says of a secret is not shown
        raise AccessError(
            f"The private key of GitHub App {one_line(app.id, 40)} cannot be used.",
            means="the secret is not set in this workflow, or is not the whole PEM file.",
            change="store the file that GitHub made (-----BEGIN RSA PRIVATE KEY----- to -----END) as it is.",
        ) from None
    return auth


class Login(NamedTuple):
    """A PyGithub, the login of the account that an App acts as (None where a token says who it is), its permissions."""

    github: Github
    account: str | None
    granted: Mapping[str, str] | None = None


def log_in(access: GitHubAccess) -> Login:
    """A PyGithub for this access; an App has to ask which installation is meant. Raises GithubException, OSError."""
    if access.app is None:
        auth = None if access.token is None else Auth.Token(access.token.get_secret_value())
        return Login(Github(auth=auth, **settings_of(access)), None)
    itself = app_auth(access.app)
    owner, _, name = access.app.repository.partition("/")
    with GithubIntegration(auth=itself, **settings_of(access)) as integration:
        installation = integration.get_repo_installation(owner, name)
    acting = Auth.AppInstallationAuth(itself, installation.id)
    granted = {str(name): str(level) for name, level in (installation.raw_data.get("permissions") or {}).items()}
    return Login(Github(auth=acting, **settings_of(access)), f"{installation.app_slug}[bot]", granted)


def same_login(access: GitHubAccess, other: Login) -> Login:
    """The login of another client, with the settings of this access."""
    return Login(Github(auth=other.github.requester.auth, **settings_of(access)), other.account, other.granted)


def login_answer(error: GithubException) -> tuple[int, dict[str, str], str]:
    """What GitHub answered the App instead of a token: status, headers with lower-case names, its message."""
    headers = {name.lower(): str(value) for name, value in (error.headers or {}).items()}
    return error.status, headers, refusal(error.data)[0]


def login_refused(access: GitHubAccess, what: str, status: int, says: str) -> LoginRefused:
    """The refusal that this answer is; as any other that a token gets, it is a 401."""
    app = access.app
    who = "the App" if app is None else f"GitHub App {one_line(app.id, 40)}"
    where = "" if app is None else f" for {app.repository}"
    look = "see that id and key are its own and that it is installed there"
    return LoginRefused(what, 401, f"{who} cannot log in{where} (HTTP {status}, {says}): {look}")
