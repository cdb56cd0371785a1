"""Holds exchanges with GraphQL against GitHub's own schema of the one mutation that is used."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from gate.lab.github import Exchange
from gate.lab.github.graphql import GraphQLError, parse

SLICE = Path(__file__).parents[1] / "data" / "github" / "graphql-slice.json"
ERRORS = {
    "type": "array",
    "minItems": 1,
    "items": {"type": "object", "required": ["message"], "properties": {"message": {"type": "string"}}},
}


@cache
def definitions() -> dict[str, Any]:
    """The types as JSON Schemas."""
    found: dict[str, Any] = json.loads(SLICE.read_text())["definitions"]
    return found


def graphql_problems(exchange: Exchange) -> Iterator[str]:
    """What does not fit in a request, or in an answer of 200."""
    body, answer = exchange.request_body, exchange.response_body
    if answer is None:  # dropped on the way
        return
    if answer.get("errors") is not None:
        yield from _against(ERRORS, answer["errors"], "errors")
        return
    try:
        operation = parse(body["query"])
    except GraphQLError as error:
        yield f"the document: {error.message}"
        return
    name = operation.field[0].upper() + operation.field[1:]
    yield from _against(definitions()[f"{name}Input"], body["variables"][operation.variable], "input")
    payload = answer["data"][operation.field]
    yield from _against(definitions()[f"{name}Payload"], payload, "payload")
    if set(payload) != set(operation.selection):
        yield f"asked for {sorted(operation.selection)}, got {sorted(payload)}"


def _against(schema: dict[str, Any], value: Any, what: str) -> Iterator[str]:
    validator = Draft202012Validator({**schema, "definitions": definitions()})
    yield from (f"{what} {error.json_path}: {error.message}" for error in validator.iter_errors(value))
