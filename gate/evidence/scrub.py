"""Making texts from outside fit to be kept: no secret of this run, no credentials or query in an address. Pure."""

import re
from collections.abc import Callable
from typing import Any

from gate.secrecy import Secrets, sound

_LONGEST = 4000
"""Characters of one text: conditions and Events are shorter."""

_PATH_QUERY = re.compile(r"\?.*", re.DOTALL)


def make_clean(secrets: Secrets) -> Callable[[str], str]:
    """A function that makes one text fit to be kept; ``secrets`` are those that this run knows, later ones too."""

    def clean(text: str) -> str:
        masked = secrets.hide(sound(text))
        return masked if len(masked) <= _LONGEST else f"{masked[:_LONGEST]}…"

    return clean


def clean_settings(settings: dict[str, Any], secrets: Secrets) -> dict[str, Any]:
    """An environment's settings as they may be kept: query values of requests and secrets of this run hidden."""

    def walk(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: walk(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [walk(item) for item in value]
        if not isinstance(value, str):
            return value
        masked = secrets.hide(value)
        return _PATH_QUERY.sub("?***", masked) if key in ("url", "path") else masked

    made: dict[str, Any] = walk(settings)
    return made
