"""The JSON Schema of ``promotion-gate.yaml``, made from the models for editors.

``python -m gate.config.schema`` prints it; ``promotion-gate.schema.json`` beside this file is that
output, and a test holds the two equal.
"""

import json
import re
import sys
from datetime import timedelta
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from gate.config.duration import show_duration
from gate.config.model import Configuration

FILE = "promotion-gate.schema.json"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TITLE = "Promotion Gate configuration"

Schema = dict[str, Any]


class _Generate(GenerateJsonSchema):
    """Durations are written as people write them."""

    def encode_default(self, dft: Any) -> Any:
        """The default as it would stand in the file."""
        return show_duration(dft) if isinstance(dft, timedelta) else super().encode_default(dft)


def configuration_schema() -> Schema:
    """The schema as plain data: what an editor can check of what the models check."""
    made = Configuration.model_json_schema(by_alias=True, schema_generator=_Generate)
    schema: Schema = {"$schema": _DIALECT, **_simple(made), "title": _TITLE}
    definitions = schema["$defs"]
    for one in (schema, *definitions.values()):
        for key, value in one.get("properties", {}).items():
            one["properties"][key] = {"title": key, **value}
    _either(definitions["ApplicationTarget"], ["name"], ["selector", "minimum"])
    _either(definitions["Request"], ["service"], ["url", "workload"])
    _two_spellings(definitions["Selector"])
    definitions["Expectation"]["properties"]["json"]["minProperties"] = 1
    for key in ("workloads", "requests"):
        definitions["Environment"]["properties"][key]["minItems"] = 1
    return schema


def render_schema() -> str:
    """The schema as the text of the published file."""
    return json.dumps(configuration_schema(), indent=2, ensure_ascii=False) + "\n"


def _simple(schema: Any) -> Any:
    """Without null, without defaults that may not be written, without made-up titles, descriptions on one line."""
    if isinstance(schema, list):
        return [_simple(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: _simple(value) for key, value in schema.items() if not _made_up(key, value)}
    choices = [one for one in kept.get("anyOf", []) if one != {"type": "null"}]
    if len(choices) == 1:
        del kept["anyOf"]
        kept = {**choices[0], **kept}
    elif choices != []:
        kept["anyOf"] = choices
    if "patternProperties" in kept:
        kept["additionalProperties"] = False
    if isinstance(kept.get("description"), str):
        first = kept["description"].partition("\n\n")[0]
        kept["description"] = re.sub(r"\s+", " ", first).replace("``", "`")
    return kept


def _made_up(key: str, value: object) -> bool:
    return (key == "title" and isinstance(value, str)) or (key == "default" and value in (None, []))


def _either(schema: Schema, first: list[str], second: list[str]) -> None:
    """Exactly one of two sets of keys."""
    schema["oneOf"] = [
        {"required": wanted, "not": {"anyOf": [{"required": [key]} for key in other]}}
        for wanted, other in ((first, second), (second, first))
    ]
    schema["required"] = [key for key in schema.get("required", []) if key not in (*first, *second)]
    if schema["required"] == []:
        del schema["required"]


def _two_spellings(selector: Schema) -> None:
    """``match-labels``, or ``matchLabels`` as Kubernetes spells it."""
    labels = selector["properties"]["match-labels"]
    selector["properties"]["matchLabels"] = {
        **labels,
        "title": "matchLabels",
        "description": "The same as match-labels.",
    }
    _either(selector, ["match-labels"], ["matchLabels"])


if __name__ == "__main__":
    sys.stdout.write(render_schema())
