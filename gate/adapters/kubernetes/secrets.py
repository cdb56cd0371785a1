"""Which texts in a kubeconfig are secrets, so that a log can hide them; whatever it looks like, and damaged too."""

import re
from collections.abc import Iterator

import yaml

from gate.adapters.kubernetes.access import unwrapped

_KEYS = frozenset(
    {"token", "password", "client-key-data", "client-secret", "id-token", "refresh-token", "access-token"}
)
_TOLD_BY_NAME = re.compile(r"(?i)token|secret|password|credential|(?:^|_)key(?:$|_)")
"""Variables for a credential plugin that hold a secret; hiding the others would hide region names."""
_LIKE_A_CREDENTIAL = re.compile(rf"[\s{{,\"'-](?:{'|'.join(sorted(_KEYS))})[\"']?\s*:\s*[\"']?([^\s\"',}}]+)")


def kubeconfig_secrets(content: str) -> tuple[str, ...]:
    """Every credential in the content of a kubeconfig (YAML, JSON, or base64 of them), without repetition.

    A text that cannot be parsed is searched for what looks like one.
    """
    text = unwrapped(content)
    try:
        body = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        body = None  # whoever opens the access says what is wrong with it
    return tuple(dict.fromkeys((*_credentials(body), *_LIKE_A_CREDENTIAL.findall(f" {text}"))))


def _credentials(body: object) -> Iterator[str]:
    """The values of the telling keys, at any depth. A node that aliases repeat is visited once."""
    waiting, seen = [body], set[int]()
    while waiting:
        node = waiting.pop()
        if not isinstance(node, dict | list) or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, list):
            waiting += node
            continue
        name, value = node.get("name"), node.get("value")
        if isinstance(name, str) and isinstance(value, str) and _TOLD_BY_NAME.search(name) is not None:
            yield value
        yield from (str(child) for key, child in node.items() if key in _KEYS and isinstance(child, str | int))
        waiting += node.values()
