"""Cut what the stand-in needs out of the published descriptions of events and of GraphQL.

As JSON Schemas: `events-slice.json` from @octokit/webhooks-schemas, `graphql-slice.json` from
@octokit/graphql-schema (both MIT). Run it again with `python -m tests.data.github.make_other_slices`;
`other-sources.json` records where they came from.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from pathlib import Path
from typing import Any

from tests.data.github.make_slice import HERE, fetch, read, references, without_prose

EVENTS = ("@octokit/webhooks-schemas", "7.6.1", "94be9136c02e5246912d6a4b1f178f8d5430ae36839e46ecfcad0020f42f33ca")
GRAPHQL = ("@octokit/graphql-schema", "15.26.1", "053e74249dafce2118fd9b7ae499b067d57c5f910c57745699ac45108bc68d1e")
EVENT_NAMES = (
    "push$event", "merge_group$checks_requested", "merge_group$destroyed", "workflow_run$completed",
    "workflow_dispatch$event", "repository_dispatch$event", "pull_request$opened", "pull_request$synchronize",
    "pull_request$closed", "pull_request$reopened",
)  # fmt: skip
INPUT = "CreateCommitOnBranchInput"
# Of the output only what is asked for: these types are large, and lead to all the others.
OUTPUT = {
    "CreateCommitOnBranchPayload": ("clientMutationId", "commit", "ref"),
    "Commit": ("oid", "url", "message", "signature"),
    "GitSignature": ("isValid", "state", "wasSignedByGitHub"),
    "Ref": ("name",),
}
SCALARS = {"Boolean": {"type": "boolean"}, "Int": {"type": "integer"}}


def event_slice(schema: dict[str, Any]) -> dict[str, Any]:
    """The events and the closure of what they refer to."""
    kept: dict[str, Any] = {}
    todo = {f"#/definitions/{name}" for name in EVENT_NAMES}
    while todo:
        name = todo.pop().rpartition("/")[2]
        kept[name] = without_prose(schema["definitions"][name])
        todo |= {target for target in references(kept[name]) if target.rpartition("/")[2] not in kept}
    return {"definitions": {name: {k: v for k, v in node.items() if k != "$schema"} for name, node in kept.items()}}


def graphql_slice(introspection: dict[str, Any]) -> dict[str, Any]:
    """The mutation's input and output types as JSON Schemas."""
    types = {found["name"]: found for found in introspection["__schema"]["types"]}
    definitions: dict[str, Any] = {}
    todo = [INPUT]
    while todo:
        name = todo.pop()
        if name in definitions or types[name]["kind"] != "INPUT_OBJECT":
            continue
        fields = types[name]["inputFields"]
        definitions[name] = object_schema({field["name"]: schema_of(field["type"]) for field in fields})
        definitions[name]["required"] = [f["name"] for f in fields if f["type"]["kind"] == "NON_NULL"]
        todo += [target.rpartition("/")[2] for target in references(definitions[name])]
    for name, wanted in OUTPUT.items():
        fields = [field for field in types[name]["fields"] if field["name"] in wanted]
        definitions[name] = object_schema({field["name"]: schema_of(field["type"]) for field in fields})
    scalars = {target.rpartition("/")[2] for target in references(definitions)} - set(definitions)
    return {"definitions": definitions | {name: SCALARS.get(name, {"type": "string"}) for name in scalars}}


def object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    """An object with these fields and no others."""
    return {"type": "object", "additionalProperties": False, "properties": properties}


def schema_of(kind: dict[str, Any]) -> dict[str, Any]:
    """A GraphQL type as a JSON Schema; without its "!" it may be null."""
    if kind["kind"] == "NON_NULL":
        return _plain(kind["ofType"])
    return {"anyOf": [_plain(kind), {"type": "null"}]}


def _plain(kind: dict[str, Any]) -> dict[str, Any]:
    if kind["kind"] == "LIST":
        return {"type": "array", "items": schema_of(kind["ofType"])}
    return {"$ref": f"#/definitions/{kind['name']}"}


def main() -> None:
    """Write both slices, their notices and the record of where they came from."""
    sources = []
    with tempfile.TemporaryDirectory() as directory:
        [events, about] = read(_fetched(EVENTS, directory), EVENTS[2], "package/schema.json", "package/package.json")
        members = ("package/schema.json", "package/LICENSE.md")
        [graphql, licence] = read(_fetched(GRAPHQL, directory), GRAPHQL[2], *members)
    # The archive has no licence file; its package.json says MIT and by whom.
    stated = json.loads(about)
    notice = f"{stated['name']} {stated['version']}, licence: {stated['license']}, author: {stated['author']}\n\n"
    (HERE / "events-slice.LICENSE").write_text(notice + "\n".join(licence.decode().splitlines()[1:]).strip() + "\n")
    (HERE / "graphql-slice.LICENSE").write_bytes(licence)
    slices = (
        ("events", EVENTS, event_slice(json.loads(events))),
        ("graphql", GRAPHQL, graphql_slice(json.loads(graphql))),
    )
    for name, (package, version, digest), cut in slices:
        text = json.dumps(cut, sort_keys=True, separators=(",", ":")) + "\n"
        (HERE / f"{name}-slice.json").write_text(text)
        slice_digest = hashlib.sha256(text.encode()).hexdigest()
        sources.append({"slice": name, "package": package, "version": version,
                        "archive_sha256": digest, "slice_sha256": slice_digest})  # fmt: skip
    (HERE / "other-sources.json").write_text(json.dumps(sources, indent=2) + "\n")


def _fetched(package: tuple[str, str, str], directory: str) -> Path:
    return fetch(f"{package[0]}@{package[1]}", directory)


if __name__ == "__main__":
    main()
