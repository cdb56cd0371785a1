"""As much of GraphQL as one mutation needs: a document's one field, what it selects, and errors."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

TOKEN = re.compile(r"[_A-Za-z]\w*|\$[_A-Za-z]\w*|[{}():!]|\.\.\.")
Selection = dict[str, "Selection | None"]


class GraphQLError(Exception):
    """An error in GraphQL's format; sent with HTTP 200."""

    def __init__(self, message: str, kind: str = "", path: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.path = path

    def body(self) -> dict[str, Any]:
        """The whole answer: null where the path leads, and this one error.

        Source of the form: ministryofjustice/modernisation-platform#11985.
        """
        error: dict[str, Any] = {"message": self.message, "locations": [{"line": 1, "column": 1}]}
        if self.kind:
            error["type"] = self.kind
        if not self.path:
            return {"errors": [error]}
        return {"data": {self.path[0]: None}, "errors": [{**error, "path": list(self.path)}]}


@dataclass(frozen=True)
class Operation:
    """`mutation(...) { field(input: $variable) { selection } }`."""

    kind: str
    field: str
    variable: str
    selection: Selection


def parse(document: str) -> Operation:
    """The operation in a document; raises GraphQLError for what is not of that form."""
    tokens = TOKEN.findall(document)
    kind = tokens[0] if tokens else ""
    head = re.search(r"\{\s*(\w+)\s*\(\s*input\s*:\s*\$(\w+)\s*\)\s*\{", document)
    if kind not in {"mutation", "query"} or head is None:
        raise GraphQLError("Expected a mutation of one field with the argument input, given as a variable")
    selection, rest = _selection(TOKEN.findall(document[head.end() :]))
    if rest != ["}"]:
        raise GraphQLError("Expected the end of the document")
    return Operation(kind, head[1], head[2], selection)


def _selection(tokens: list[str]) -> tuple[Selection, list[str]]:
    """Names up to the closing brace, each with what is selected below it, and the tokens behind."""
    found: Selection = {}
    while tokens and tokens[0] != "}":
        name, *tokens = tokens
        if not name[0].isalpha() and name[0] != "_":
            raise GraphQLError(f"Unexpected {name}")
        found[name] = None
        if tokens and tokens[0] == "{":
            found[name], tokens = _selection(tokens[1:])
    if not tokens:
        raise GraphQLError("Expected }")
    return found, tokens[1:]


def project(value: Any, selection: Selection | None, kind: str) -> Any:
    """The selected fields of an object; raises GraphQLError for one that its type does not have."""
    if value is None or selection is None:
        return value
    unknown = [name for name in selection if name not in value]
    if unknown:
        raise GraphQLError(f"Field '{unknown[0]}' doesn't exist on type '{kind}'")
    return {name: project(value[name], below, name.capitalize()) for name, below in selection.items()}
