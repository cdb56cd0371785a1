"""Cut the operations the gate uses out of GitHub's own OpenAPI description.

The full description is 13 MB; the slice keeps the operations below and every
component they refer to, without prose and examples. Run it again with
`python tests/data/github/make_slice.py`: it fetches the pinned npm package
with `npm pack` (or takes the archive as its argument), refuses any other
content by its digest, and writes `rest-slice.json` and `source.json`.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

PACKAGE = "@octokit/openapi"
VERSION = "23.0.2"
ARCHIVE_SHA256 = "71a18407dd5e8464f4e0525daf03deabbe65abd9287d6adc7b5d98f516cd0d0c"
MEMBER = "package/generated/api.github.com.json"
LICENSE_MEMBER = "package/LICENSE"

HERE = Path(__file__).parent
REPOSITORY = "/repos/{owner}/{repo}"
OPERATIONS: dict[str, tuple[str, ...]] = {
    "/app": ("get",),
    "/app/installations/{installation_id}/access_tokens": ("post",),
    f"{REPOSITORY}/installation": ("get",),
    "/user": ("get",),
    "/rate_limit": ("get",),
    REPOSITORY: ("get",),
    f"{REPOSITORY}/rules/branches/{{branch}}": ("get",),
    f"{REPOSITORY}/rulesets": ("post",),
    f"{REPOSITORY}/statuses/{{sha}}": ("post",),
    f"{REPOSITORY}/commits": ("get",),
    f"{REPOSITORY}/commits/{{ref}}": ("get",),
    f"{REPOSITORY}/commits/{{ref}}/status": ("get",),
    f"{REPOSITORY}/commits/{{ref}}/statuses": ("get",),
    f"{REPOSITORY}/commits/{{commit_sha}}/pulls": ("get",),
    f"{REPOSITORY}/compare/{{basehead}}": ("get",),
    f"{REPOSITORY}/pulls": ("get", "post"),
    f"{REPOSITORY}/pulls/{{pull_number}}": ("get", "patch"),
    f"{REPOSITORY}/pulls/{{pull_number}}/files": ("get",),
    f"{REPOSITORY}/pulls/{{pull_number}}/merge": ("put",),
    f"{REPOSITORY}/pulls/{{pull_number}}/update-branch": ("put",),
    f"{REPOSITORY}/issues/{{issue_number}}/comments": ("get", "post"),
    f"{REPOSITORY}/issues/comments/{{comment_id}}": ("get", "patch", "delete"),
    f"{REPOSITORY}/git/ref/{{ref}}": ("get",),
    f"{REPOSITORY}/git/refs": ("post",),
    f"{REPOSITORY}/git/refs/{{ref}}": ("patch", "delete"),
    f"{REPOSITORY}/git/commits": ("post",),
    f"{REPOSITORY}/git/commits/{{commit_sha}}": ("get",),
    f"{REPOSITORY}/git/trees": ("post",),
    f"{REPOSITORY}/git/trees/{{tree_sha}}": ("get",),
    f"{REPOSITORY}/git/blobs": ("post",),
    f"{REPOSITORY}/git/blobs/{{file_sha}}": ("get",),
    f"{REPOSITORY}/contents/{{path}}": ("get",),
}
PROSE = {"description", "summary", "example", "examples", "externalDocs", "tags", "x-github"}
# Under these keys the names are GitHub's own (a property may be called "tags").
NAMED = {"properties", "schemas", "parameters", "responses", "headers", "patternProperties"}


def without_prose(node: Any, *, names: bool = False) -> Any:
    """Drop documentation keys, but never a property that happens to share their name."""
    if isinstance(node, list):
        return [without_prose(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: without_prose(value, names=not names and key in NAMED)
        for key, value in node.items()
        if names or key not in PROSE
    }


def references(node: Any) -> set[str]:
    """Every `$ref` below `node`."""
    if isinstance(node, list):
        return set().union(*(references(item) for item in node))
    if not isinstance(node, dict):
        return set()
    found = set().union(*(references(value) for value in node.values()))
    target = node.get("$ref")
    return found | {target} if isinstance(target, str) else found


def cut(description: dict[str, Any]) -> dict[str, Any]:
    """The operations and the closure of what they refer to."""
    paths = {
        path: {method: without_prose(description["paths"][path][method]) for method in methods}
        for path, methods in OPERATIONS.items()
    }
    components: dict[str, dict[str, Any]] = {}
    todo, seen = references(paths), set[str]()
    while todo:
        target = todo.pop()
        seen.add(target)
        kind, name = target.removeprefix("#/components/").split("/")
        component = without_prose(description["components"][kind][name])
        components.setdefault(kind, {})[name] = component
        todo |= references(component) - seen
    info = {key: description["info"][key] for key in ("title", "version", "license")}
    return {
        "openapi": description["openapi"],
        "info": info,
        "paths": paths,
        "components": components,
    }


def fetch(package: str, directory: str) -> Path:
    """A package's archive (`name@version`), through npm itself."""
    command = ["npm", "pack", package, "--silent", "--pack-destination", directory]
    packed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return Path(directory) / packed.stdout.split()[-1]


def read(archive: Path, digest: str, *members: str) -> list[bytes]:
    """Files from an archive, if it is the pinned one."""
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != digest:
        raise SystemExit(f"{archive}: sha256 is {found}, expected {digest}")
    with tarfile.open(archive) as package:
        opened = [package.extractfile(name) for name in members]
        return [member.read() for member in opened if member is not None]


def main() -> None:
    """Write the slice, its licence and the record of where it came from."""
    with tempfile.TemporaryDirectory() as directory:
        archive = Path(sys.argv[1]) if sys.argv[1:] else fetch(f"{PACKAGE}@{VERSION}", directory)
        description, licence = read(archive, ARCHIVE_SHA256, MEMBER, LICENSE_MEMBER)
    text = json.dumps(cut(json.loads(description)), sort_keys=True, separators=(",", ":")) + "\n"
    source = {
        "package": PACKAGE,
        "version": VERSION,
        "archive_sha256": ARCHIVE_SHA256,
        "member": MEMBER,
        "member_sha256": hashlib.sha256(description).hexdigest(),
        "slice_sha256": hashlib.sha256(text.encode()).hexdigest(),
    }
    (HERE / "rest-slice.json").write_text(text)
    (HERE / "rest-slice.LICENSE").write_bytes(licence)
    (HERE / "source.json").write_text(json.dumps(source, indent=2) + "\n")


if __name__ == "__main__":
    main()
