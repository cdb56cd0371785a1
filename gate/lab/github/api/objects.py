"""The Git database: commits, trees, blobs."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from gate.lab.github import shapes, shapes_git
from gate.lab.github.exchange import ApiError, Reply, not_found, unprocessable
from gate.lab.github.git import GitError, is_id
from gate.lab.github.history import read_commit
from gate.lab.github.objects import MODES, commit_tree, write_blob, write_tree
from gate.lab.github.routing import REPOSITORY, Call, Router

router = Router()
READ, WRITE = ("contents", "read"), ("contents", "write")
BAD_STATE = "GitRPC::BadObjectState"


@router.add("GET", f"{REPOSITORY}/git/commits/{{commit_sha}}", READ)
def get_commit(call: Call) -> Reply:
    """One commit object, by its full id only."""
    sha, git = call.parameters["commit_sha"], call.repository.git
    if not is_id(sha) or git.commit(sha) != sha:
        raise not_found()
    return Reply(body=shapes_git.git_commit(call, read_commit(git, sha)))


@router.add("POST", f"{REPOSITORY}/git/commits", WRITE)
def create_commit(call: Call) -> Reply:
    """Store a commit.

    Rule: GitHub signs a bot's commit only where neither author, committer nor
    signature is given. Source: https://docs.github.com/en/authentication
    (about commit signature verification, for bots)
    """
    call.expect(message=str, tree=str, parents=list, author=dict, committer=dict)
    call.required("Commit", "message", "tree")
    body, git = call.body, call.repository.git
    tree, parents = git.tree(body["tree"]), body.get("parents", [])
    if tree is None:
        raise unprocessable("Tree SHA does not exist")
    if any(not is_id(parent) or git.commit(parent) != parent for parent in parents):
        raise unprocessable("Parent SHA does not exist or is not a commit object")
    author, committer = body.get("author"), body.get("committer")
    sha = commit_tree(git, tree, parents, body["message"], call.identity, author=author, committer=committer)
    own = {"author", "committer", "signature"} & set(body)
    if call.world.signs_commits and call.identity.type == "Bot" and not own:
        call.repository.verified.add(sha)
    shape = shapes_git.git_commit(call, read_commit(git, sha))
    return Reply(201, shape, {"Location": shape["url"]})


@router.add("GET", f"{REPOSITORY}/git/trees/{{tree_sha}}", READ)
def get_tree(call: Call) -> Reply:
    """A tree, with everything below it where `recursive` is given at all.

    Rule: any value of `recursive` counts, "0" too. Source:
    https://docs.github.com/en/rest/git/trees#get-a-tree
    """
    tree = call.repository.git.tree(call.parameters["tree_sha"])
    if tree is None:
        raise not_found()
    return Reply(body=tree_shape(call, tree, recursive="recursive" in call.request.query))


def tree_shape(call: Call, tree: str, *, recursive: bool) -> dict[str, Any]:
    """A tree and its entries."""
    options = ("-r", "-t") if recursive else ()
    listing = call.repository.git.run("ls-tree", "-l", "-z", *options, tree)
    entries = []
    for line in listing.decode(errors="replace").split("\0")[:-1]:
        facts, path = line.split("\t", 1)
        mode, kind, sha, size = facts.split()
        entry: dict[str, Any] = {"path": path, "mode": mode, "type": kind, "sha": sha}
        if kind == "blob":
            entry["size"] = int(size)
        if kind != "commit":
            entry["url"] = f"{call.url}/git/{kind}s/{sha}"
        entries.append(entry)
    url = f"{call.url}/git/trees/{tree}"
    return {"sha": tree, "url": url, "tree": entries, "truncated": False}


@router.add("POST", f"{REPOSITORY}/git/trees", WRITE)
def create_tree(call: Call) -> Reply:
    """Store a tree made of another and a list of changes."""
    call.expect(tree=list, base_tree=str)
    call.required("Tree", "tree")
    git, base, entries = call.repository.git, call.body.get("base_tree"), call.body["tree"]
    base_tree = None if base is None else git.tree(base)
    if base is not None and base_tree is None:
        raise not_found()
    for entry in entries:
        if entry.get("mode") not in MODES or not entry.get("path"):
            raise unprocessable("Must supply a valid tree.mode and tree.path")
        if ("content" in entry) == ("sha" in entry):
            raise unprocessable("Must supply either tree.sha or tree.content.")
    try:
        tree = write_tree(git, base_tree, entries)
    except GitError as error:
        raise unprocessable(BAD_STATE) from error
    shape = tree_shape(call, tree, recursive=False)
    return Reply(201, shape, {"Location": shape["url"]})


@router.add("GET", f"{REPOSITORY}/git/blobs/{{file_sha}}", READ)
def get_blob(call: Call) -> Reply:
    """A file's content by its object id."""
    sha, git = call.parameters["file_sha"], call.repository.git
    if not is_id(sha) or git.first_object(sha) != (sha, "blob"):
        raise not_found()
    content = git.blob(sha)
    body = {
        "sha": sha,
        "node_id": shapes.node_id("Blob", sha),
        "url": f"{call.url}/git/blobs/{sha}",
        "size": len(content),
        "content": base64.encodebytes(content).decode(),
        "encoding": "base64",
    }
    return Reply(body=body)


@router.add("POST", f"{REPOSITORY}/git/blobs", WRITE)
def create_blob(call: Call) -> Reply:
    """Store a file's content."""
    call.expect(content=str, encoding=str)
    call.required("Blob", "content")
    content = call.body["content"].encode()
    if call.body.get("encoding") == "base64":
        try:
            content = base64.b64decode(content, validate=False)
        except binascii.Error as error:
            raise ApiError(422, "content is not valid Base64") from error
    sha = write_blob(call.repository.git, content)
    url = f"{call.url}/git/blobs/{sha}"
    return Reply(201, {"sha": sha, "url": url}, {"Location": url})
