"""What a configuration comes to, for evidence: as data that loads again, and as a digest. Pure."""

import hashlib
import json
from typing import Any

from gate.config.model import Configuration, Environment


def dump_configuration(configuration: Configuration) -> dict[str, Any]:
    """The configuration as JSON data with the keys of the file; ``parse_configuration`` reads it back equal."""
    return configuration.model_dump(mode="json", by_alias=True, exclude_unset=True)


def environment_digest(environment: Environment) -> str:
    """``sha256:`` and 64 hex digits over what one environment says.

    Layout, order of keys, and a default that is written out do not change it; any other difference does.
    """
    said = environment.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    canonical = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(canonical.encode()).hexdigest()}"
