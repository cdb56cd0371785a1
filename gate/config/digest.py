"""What the settings of one environment come to, for evidence: a digest. Pure."""

import hashlib
import json

from gate.config.model import Environment


def environment_digest(environment: Environment) -> str:
    """``sha256:`` and 64 hex digits over what one environment says.

    Layout, order of keys, and a default that is written out do not change it; any other difference does.
    """
    said = environment.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    canonical = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(canonical.encode()).hexdigest()}"
