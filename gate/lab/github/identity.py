"""Who calls, and what that caller may do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from math import inf
from time import time

from gate.lab.github.exchange import ApiError

LEVELS = {"none": 0, "read": 1, "write": 2, "admin": 3}


@dataclass(frozen=True)
class Identity:
    """A caller; `permissions` None means everything, as with an administrator's own token.

    Names are those of a workflow's `permissions:` block ("pull-requests").
    `type` "Bot" makes it an installation token, "User" a personal one.
    """

    login: str
    id: int
    type: str = "Bot"
    permissions: Mapping[str, str] | None = None
    app_id: int | None = None

    def restricted(self, permissions: Mapping[str, str] | None) -> Identity:
        """The same caller with these permissions."""
        return replace(self, permissions=permissions)

    def may(self, permission: str, level: str) -> bool:
        """Whether the permission is held at this level or above."""
        if self.permissions is None:
            return True
        names = {name.replace("_", "-"): held for name, held in self.permissions.items()}
        # Every installation token can read metadata:
        # https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps
        names.setdefault("metadata", "read")
        return LEVELS[names.get(permission, "none")] >= LEVELS[level]

    def require(self, alternatives: tuple[tuple[str, str], ...]) -> None:
        """Refuse unless one of the alternatives is held.

        Rule: 403 with exactly this message, and the accepted permissions in a
        header. Source: https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
        """
        if not alternatives or any(self.may(name, level) for name, level in alternatives):
            return
        accepted = "; ".join(f"{name.replace('-', '_')}={level}" for name, level in alternatives)
        raise ApiError(
            HTTPStatus.FORBIDDEN,
            "Resource not accessible by integration",
            headers={"X-Accepted-GitHub-Permissions": accepted},
        )


@dataclass(frozen=True)
class App:
    """A GitHub App: `client_id` serves as issuer as well as the id; `public_key` is PEM.

    It is installed once, on every repository here, with these permissions.
    `lifetime` is how long its installation tokens live, in seconds.
    """

    id: int
    slug: str
    public_key: str
    permissions: Mapping[str, str]
    client_id: str = ""
    installation_id: int = 0
    lifetime: float = 3600.0

    @property
    def identity(self) -> Identity:
        """Who its installation tokens act as."""
        return Identity(f"{self.slug}[bot]", id=self.id + 100_000, permissions=self.permissions, app_id=self.id)


# The account and the App (integration) behind every GITHUB_TOKEN: rust-lang/team#2200.
GITHUB_ACTIONS = Identity("github-actions[bot]", id=41898282, app_id=15368)


def authenticate(header: str, identities: Mapping[str, Identity], expiry: Mapping[str, float]) -> Identity | None:
    """The caller behind an Authorization header; None without one.

    Rule: an unknown or expired token is 401 "Bad credentials", even where none is needed.
    Source: https://docs.github.com/en/rest/authentication/authenticating-to-the-rest-api
    """
    if not header:
        return None
    token = token_of(header)
    identity = identities.get(token) if expiry.get(token, inf) > time() else None
    if identity is None:
        raise ApiError(HTTPStatus.UNAUTHORIZED, "Bad credentials")
    return identity


def token_of(header: str) -> str:
    """The token in an Authorization header; empty where there is none."""
    scheme, _, token = header.partition(" ")
    return token.strip() if scheme.lower() in {"token", "bearer"} else ""


def redacted(header: str) -> str | None:
    """An Authorization header fit for a log."""
    return f"{header.partition(' ')[0]} ***" if header else None
