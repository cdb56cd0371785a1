"""Names that controllers make up: hashes of templates, and the five letters at the end."""

import hashlib
import json
import secrets

from gate.lab.cluster.store import Object

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
"""Without vowels, so that no name says something by accident."""
_SUFFIX = 5


def template_hash(template: Object) -> str:
    """A hash of a Pod template, as it stands in names and in the label ``pod-template-hash``."""
    digest = hashlib.sha256(json.dumps(template, sort_keys=True).encode()).digest()
    number = str(int.from_bytes(digest[:4], "big"))
    return "".join(_ALPHABET[ord(digit) % len(_ALPHABET)] for digit in number)


def suffix() -> str:
    """What is appended to a ``generateName``."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(_SUFFIX))
