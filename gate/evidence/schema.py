"""The JSON Schema of the evidence file, made from the model for whoever reads evidence with another program.

``python -m gate.evidence.schema`` prints it; ``evidence.schema.json`` beside this file is that output,
and a test holds the two equal.
"""

import json
import re
import sys
from typing import Any

from gate.evidence.record import EvidenceFile

FILE = "evidence.schema.json"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TITLE = "Evidence of the promotion gate"


def _plain(node: Any) -> Any:
    """Descriptions on one line, without the marks of the source text."""
    if isinstance(node, list):
        return [_plain(one) for one in node]
    if not isinstance(node, dict):
        return node
    made = {key: _plain(value) for key, value in node.items()}
    if isinstance(made.get("description"), str):
        made["description"] = re.sub(r"\s+", " ", made["description"]).replace("``", "`")
    return made


def evidence_schema() -> dict[str, Any]:
    """The schema as plain data: of the file as it is written."""
    made = EvidenceFile.model_json_schema(by_alias=True, mode="serialization")
    return {"$schema": _DIALECT, **_plain(made), "title": _TITLE}


def render_schema() -> str:
    """The schema as the text of the published file."""
    return json.dumps(evidence_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(render_schema())
