"""Files and directories by path."""

from __future__ import annotations

import base64
import posixpath
from typing import Any
from urllib.parse import quote

from gate.lab.github.exchange import Reply, not_found
from gate.lab.github.routing import REPOSITORY, Call, Router

router = Router()
TYPES = {"040000": "dir", "120000": "symlink", "160000": "submodule"}
LINES = 60
MEGABYTE = 1024 * 1024


@router.add("GET", f"{REPOSITORY}/contents/{{path}}", ("contents", "read"))
@router.add(
    "GET",
    f"{REPOSITORY}/contents/{{path}}",
    ("contents", "read"),
    alias=f"{REPOSITORY}/contents",
)
def get(call: Call) -> Reply:
    """A file or a directory at `ref`, in the media type asked for.

    Rules: an unknown ref is 404 with its name; files above 1 MB come without
    content except as raw; a symbolic link to a file of the repository is
    answered as that file, any other as a link. Source: https://docs.github.com/en/rest/repos/contents
    """
    git, path = call.repository.git, call.parameters.get("path", "").strip("/")
    ref = call.request.query.get("ref") or git.default_branch()
    commit = git.commit(ref)
    if commit is None:
        raise not_found(f"No commit found for the ref {ref}")
    found = entries(call, commit, path) if path else []
    if path and not found:
        raise not_found()
    accept = call.request.header("accept")
    if path and found[0]["mode"] == "120000":
        found = [followed(call, commit, found[0])]
    if path and found[0]["mode"] != "040000":
        return file(call, found[0], ref, raw=".raw" in accept)
    listing = [shape(call, entry, ref) for entry in entries(call, commit, f"{path}/" if path else "")]
    if ".object" in accept:
        tree = {"mode": "040000", "sha": git.tree(commit), "size": "-", "path": path}
        return Reply(body={**shape(call, found[0] if found else tree, ref), "entries": listing})
    return Reply(body=listing)


def entries(call: Call, commit: str, path: str) -> list[dict[str, Any]]:
    """What `git ls-tree` finds: the entry itself, or with a final slash what is in it."""
    arguments = ["--", path] if path else []
    listing = call.repository.git.run("ls-tree", "-l", "-z", "--full-tree", commit, *arguments)
    found = []
    for line in listing.decode(errors="replace").split("\0")[:-1]:
        facts, name = line.split("\t", 1)
        mode, _, sha, size = facts.split()
        found.append({"mode": mode, "sha": sha, "size": size, "path": name})
    return found


def followed(call: Call, commit: str, link: dict[str, Any]) -> dict[str, Any]:
    """The file of this repository that a symbolic link leads to, under the link's path; else the link."""
    target = call.repository.git.blob(link["sha"]).decode(errors="replace")
    path = posixpath.normpath(posixpath.join(posixpath.dirname(link["path"]), target))
    found = [] if path.startswith(("/", "..")) else entries(call, commit, path)
    is_file = bool(found) and found[0]["mode"] in {"100644", "100755"}
    return {**found[0], "path": link["path"]} if is_file else link


def shape(call: Call, entry: dict[str, Any], ref: str) -> dict[str, Any]:
    """An entry without its content."""
    kind = TYPES.get(entry["mode"], "file")
    path, place = quote(entry["path"]), "tree" if kind == "dir" else "blob"
    url = f"{call.url}/contents/{path}?ref={quote(ref, safe='')}"
    git_url = f"{call.url}/git/{place}s/{entry['sha']}"
    web = f"{call.web}/{place}/{quote(ref)}/{path}"
    return {
        "name": entry["path"].rpartition("/")[2],
        "path": entry["path"],
        "sha": entry["sha"],
        "size": 0 if entry["size"] == "-" else int(entry["size"]),
        "url": url,
        "html_url": web,
        "git_url": git_url,
        "download_url": None if kind == "dir" else f"{call.web}/raw/{quote(ref)}/{path}",
        "type": kind,
        "_links": {"self": url, "git": git_url, "html": web},
    }


def file(call: Call, entry: dict[str, Any], ref: str, *, raw: bool) -> Reply:
    """A file with its content."""
    content = call.repository.git.blob(entry["sha"]) if entry["mode"] != "160000" else b""
    if raw:
        return Reply(body=content, media_type="application/vnd.github.raw+json; charset=utf-8")
    body = shape(call, entry, ref)
    if entry["mode"] == "120000":
        return Reply(body={**body, "target": content.decode(errors="replace")})
    if len(content) > MEGABYTE:
        return Reply(body={**body, "content": "", "encoding": "none"})
    text = base64.b64encode(content).decode()
    lines = [f"{text[start : start + LINES]}\n" for start in range(0, len(text), LINES)]
    return Reply(body={**body, "content": "".join(lines), "encoding": "base64"})
