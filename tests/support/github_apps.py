"""A GitHub App with a key of its own, and the gate's client that logs in as it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from pydantic import SecretStr

from gate.adapters.github import GitHubAccess, GitHubApp, GitHubClient
from gate.adapters.github.client import PATIENCE
from gate.lab.github import App
from tests.support.clock import Clock
from tests.support.github import NAME, Bench

PERMISSIONS = {"contents": "write", "statuses": "write", "pull_requests": "write"}


@dataclass(frozen=True)
class Key:
    """An RSA key as PEM texts."""

    private: str
    public: str


def new_key() -> Key:
    """A key of the size that GitHub makes."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return Key(private.decode(), public.decode())


KEY = new_key()
OTHER_KEY = new_key()


def install(lab: Bench, **changes: Any) -> App:
    """Install an App on the bench."""
    fields: dict[str, Any] = {
        "id": 4242, "slug": "acme-gate", "public_key": KEY.public, "permissions": PERMISSIONS,
        "client_id": "Iv23liAcmeGate", "installation_id": 77,
    }  # fmt: skip
    app = App(**(fields | changes))
    lab.github.add_app(app)
    return app


def as_app(lab: Bench, *, id_: str = "4242", key: str = KEY.private, repository: str = NAME) -> GitHubClient:
    """The client of a run that was given an App in place of a token; to be closed by the caller."""
    app = GitHubApp(id=id_, private_key=SecretStr(key), repository=repository)
    access = GitHubAccess(api_url=lab.github.url, app=app, paced=False)
    return GitHubClient(access, Clock().patience(PATIENCE))
