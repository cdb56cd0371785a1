"""Holds every exchange with the GitHub stand-in against GitHub's own description.

`Validator` is passed as `on_exchange`; it finds the operation by itself, from
the description, and collects what does not fit instead of raising, because it
runs in the server's threads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

from gate.lab.github import Exchange
from tests.support.graphql import graphql_problems

SLICE = Path(__file__).parents[1] / "data" / "github" / "rest-slice.json"
JSON = "application/json"
# GitHub's description lists few errors per operation; any of these may come from any of them.
ANYWHERE = {400, 401, 403, 404, 405, 409, 422, 429}
ERROR = {
    "type": "object",
    "required": ["message", "documentation_url"],
    "properties": {"message": {"type": "string"}, "errors": {"type": "array"}},
}


def nullable_converted(node: Any) -> Any:
    """OpenAPI 3.0's `nullable` in the words of JSON Schema 2020-12."""
    if isinstance(node, list):
        return [nullable_converted(item) for item in node]
    if not isinstance(node, dict):
        return node
    # In a map of properties "nullable" would be a name, and its value a schema.
    wanted = node.get("nullable") is True
    converted = {
        key: nullable_converted(value) for key, value in node.items() if key != "nullable" or isinstance(value, dict)
    }
    return {"anyOf": [converted, {"type": "null"}]} if wanted else converted


@cache
def description() -> dict[str, Any]:
    """The slice, ready for validation."""
    converted: dict[str, Any] = nullable_converted(json.loads(SLICE.read_text()))
    return converted


def resolved(node: dict[str, Any]) -> dict[str, Any]:
    """The component behind a `$ref`, or the node itself."""
    if "$ref" not in node:
        return node
    _, _, kind, name = node["$ref"].split("/")
    component: dict[str, Any] = description()["components"][kind][name]
    return component


@cache
def operations() -> list[tuple[str, str, re.Pattern[str], dict[str, Any]]]:
    """Method, template, pattern and content of each operation, the most literal first."""
    found = []
    for template, methods in description()["paths"].items():
        for method, operation in methods.items():
            pattern = template
            for parameter in re.findall(r"\{(\w+)\}", template):
                multi = parameter in {"ref", "path", "basehead", "branch"}
                pattern = pattern.replace(f"{{{parameter}}}", ".+" if multi else "[^/]+")
            found.append((method.upper(), template, re.compile(pattern), operation))
    return sorted(found, key=lambda item: (item[1].count("{"), -len(item[1])))


def operation_for(method: str, path: str) -> tuple[str, dict[str, Any]] | None:
    """The operation the description has for this request."""
    # Two paths GitHub answers beside the described ones, in its docs' prose only.
    path = (
        re.sub(r"^(/repos/[^/]+/[^/]+)/statuses/(.+)$", r"\1/commits/\2/statuses", path) if (method == "GET") else path
    )
    path = re.sub(r"/contents/?$", "/contents/.", path)
    fitting = [item for item in operations() if item[0] == method and item[2].fullmatch(path)]
    # `commits/{ref}` fits `commits/main/status` too: the longest template is meant.
    best = max(fitting, key=lambda item: len(re.sub(r"\{\w+\}", "", item[1])), default=None)
    return (best[1], best[3]) if best else None


def problems(schema: dict[str, Any], value: Any) -> Iterator[str]:
    """What in a value does not fit a schema."""
    whole = {**schema, "components": description()["components"]}
    for error in Draft202012Validator(whole, format_checker=FormatChecker()).iter_errors(value):
        yield f"{error.json_path}: {error.message[:300]}"


class Validator:
    """Collects the violations of all exchanges it is shown."""

    def __init__(self) -> None:
        self.violations: list[str] = []
        self.seen = 0

    def __call__(self, exchange: Exchange) -> None:
        """Check one exchange."""
        self.seen += 1
        try:
            found = list(self.check(exchange))
        except Exception as error:  # noqa: BLE001 - a broken check is a violation, not a lost thread
            found = [f"the check itself failed: {error!r}"]
        place = f"{exchange.method} {exchange.path} -> {exchange.status}"
        self.violations += [f"{place}: {problem}" for problem in found]

    def check(self, exchange: Exchange) -> Iterator[str]:
        """The violations of one exchange."""
        if exchange.path == "/graphql":
            refused = exchange.status is not None and exchange.status != 200
            yield from problems(ERROR, exchange.response_body) if refused else graphql_problems(exchange)
            return
        found = operation_for(exchange.method, exchange.path)
        if found is None:
            yield "no such operation in the description"
            return
        template, operation = found
        if template != exchange.template:
            yield f"the stand-in took it for {exchange.template}, the description has {template}"
        if exchange.status is not None and exchange.status < 400:
            yield from self.check_query(operation, exchange)
            yield from self.check_request(operation, exchange)
        if exchange.status is not None:
            yield from self.check_answer(operation, exchange)

    def check_query(self, operation: dict[str, Any], exchange: Exchange) -> Iterator[str]:
        """Only known parameters, with values of their type."""
        parameters = [resolved(parameter) for parameter in operation.get("parameters", [])]
        known = {p["name"]: p["schema"] for p in parameters if p["in"] == "query"}
        for name, value in exchange.query.items():
            if name not in known:
                yield f"unknown query parameter {name!r}"
                continue
            integer = known[name].get("type") == "integer" and value.isdecimal()
            yield from problems(known[name], int(value) if integer else value)

    def check_request(self, operation: dict[str, Any], exchange: Exchange) -> Iterator[str]:
        """A body where one belongs, of the described shape."""
        described = operation.get("requestBody")
        if described is None:
            if exchange.request_body is not None:
                yield "a body where none is described"
        elif exchange.request_body is not None:
            schema = described["content"][JSON]["schema"]
            yield from (f"request {p}" for p in problems(schema, exchange.request_body))
        elif described.get("required"):
            yield "no body where one is required"

    def check_answer(self, operation: dict[str, Any], exchange: Exchange) -> Iterator[str]:
        """A described status with its body, or one of the errors that may come anywhere."""
        status, body = exchange.status or 0, exchange.response_body
        described = operation["responses"].get(str(status))
        if status >= 500 and exchange.fault is None:
            yield f"the stand-in itself failed: {body}"
        elif status >= 500 or (status in ANYWHERE and described is None):
            yield from (f"error body {p}" for p in problems(ERROR, body))
        elif status in {204, 304}:
            if body is not None:
                yield "a body where there is none"
        elif status >= 400 and described is not None and "content" not in resolved(described):
            yield from (f"error body {p}" for p in problems(ERROR, body))
        elif described is None:
            yield "this status is not described"
        elif not isinstance(body, bytes):
            yield from self.check_body(resolved(described).get("content", {}), exchange)

    def check_body(self, content: dict[str, Any], exchange: Exchange) -> Iterator[str]:
        """The body against the schema of the media type that was asked for."""
        asked = [kind for kind in content if kind != JSON and kind in exchange.accept]
        if not content:
            yield "a body where none is described"
            return
        if isinstance(exchange.response_body, list):
            asked = []
        schema = content[asked[0] if asked else JSON]["schema"]
        if (exchange.status or 0) >= 400 and "oneOf" in schema:
            # The alternatives for errors overlap: an ordinary one fits several of them.
            schema = {"anyOf": schema["oneOf"]}
        yield from (f"answer {problem}" for problem in problems(schema, exchange.response_body))
