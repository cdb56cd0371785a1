"""What this process may print nowhere: the secrets of its environment, and those that it learns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from gate.secrecy import Secrets

if TYPE_CHECKING:  # whoever only asks for help does without
    from pydantic import SecretStr

KNOWN = Secrets()
"""Those of this process, which is one run."""

_TOLD_BY_NAME = re.compile(r"(?i)(?:token|secret|password|passwd|[_-]key|credentials?|auth|cookie)$")
_PROXY = re.compile(r"(?i)(?:https?|all)_proxy")
_SHORTEST = 8
"""Characters of what only its name tells: ``SECRET=true`` is none."""


def learn(secret: SecretStr) -> None:
    """Print this one nowhere from now on."""
    KNOWN.add(secret.get_secret_value())


def environment_secrets(environ: Mapping[str, str]) -> Iterator[str]:
    """The values of variables that are named after a secret, and the credentials of proxies."""
    for name, value in environ.items():
        if _PROXY.fullmatch(name) is not None:
            yield from proxy_secrets(value)
        elif _TOLD_BY_NAME.search(name) is not None and len(value) >= _SHORTEST and not value.startswith("/"):
            yield value


def proxy_secrets(url: str) -> tuple[str, ...]:
    """The password of a proxy, or what stands in its place, as it is written and as it is sent."""
    from urllib.parse import unquote

    credentials, found, _ = url.partition("://")[2].partition("/")[0].rpartition("@")
    name, _, password = credentials.partition(":")
    secret = password or name
    return (secret, unquote(secret)) if found else ()
