"""GitHub's service for OIDC tokens as a job sees it, on loopback."""

from __future__ import annotations

import base64
import json
import time
from dataclasses import dataclass, field
from typing import Any

from tests.support.loopback import Asked, Reply

REQUEST_TOKEN = "request-token-that-nobody-may-see"


def token(audience: str, *, life: float = 300, number: int = 1) -> str:
    """A token of this form; nobody checks its signature here."""
    now = int(time.time())
    claims = {"aud": audience, "sub": "repo:acme/environments", "iat": now, "exp": now + life, "jti": str(number)}
    parts = ({"alg": "RS256", "typ": "JWT"}, claims)
    text = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join((*text, "c2lnbmF0dXJl"))


@dataclass
class Issuer:
    """Gives out a new token each time; ``life`` in seconds. ``fails`` is answered in place of a token."""

    life: float = 300
    fails: Reply | None = None
    issued: list[str] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)

    def answer(self, asked: Asked) -> Reply:
        """What the service answers."""
        self.asked.append(asked)
        if asked.headers.get("authorization") != f"Bearer {REQUEST_TOKEN}":
            return Reply(401, {"message": "Unauthorized"})
        if self.fails is not None:
            return self.fails
        self.issued.append(token(asked.query["audience"], life=self.life, number=len(self.issued)))
        return Reply(body={"count": 1, "value": self.issued[-1]})

    def environ(self, url: str) -> dict[str, str]:
        """What the runner gives to a job with id-token: write."""
        address = f"{url}/abc/00/idtoken?api-version=2.0"
        return {"ACTIONS_ID_TOKEN_REQUEST_URL": address, "ACTIONS_ID_TOKEN_REQUEST_TOKEN": REQUEST_TOKEN}


def claims(text: str) -> dict[str, Any]:
    """What a token says."""
    payload = text.split(".")[1]
    said: dict[str, Any] = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return said
