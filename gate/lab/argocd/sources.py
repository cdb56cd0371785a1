"""What the repository server does: resolve revisions, read manifests. Git runs in a thread."""

import asyncio
import json
import posixpath
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from gate.lab.cluster.store import Object
from gate.lab.github.git import FULL_ID, Git

_MANIFEST = re.compile(r".*\.(yaml|yml|json|jsonnet)")
_AWAY = (
    "rpc error: code = Unavailable desc = connection error: desc = "
    '"transport: Error while dialing: dial tcp 127.0.0.1:8081: connect: connection refused"'
)


class RepositoryError(Exception):
    """The repository server answers with an error; the text is as Argo CD shows it."""


class _Loader(yaml.SafeLoader):
    """Kubernetes' YAML: a time is a text."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in pairs if tag != "tag:yaml.org,2002:timestamp"]
    for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def parse(name: str, text: str) -> list[Object]:
    """The objects of one manifest file; raises RepositoryError for one that looks like it and is not readable."""
    try:
        documents: list[Any] = [json.loads(text)] if name.endswith(".json") else list(yaml.load_all(text, _Loader))
    except (ValueError, yaml.YAMLError) as error:
        if name.endswith(".json") or all(word in text for word in ("apiVersion:", "kind:", "metadata:")):
            reason = " ".join(str(error).split())
            failure = f'rpc error: code = FailedPrecondition desc = Failed to unmarshal "{name}": {reason}'
            raise RepositoryError(failure) from error
        return []
    found = [one for document in documents for one in _objects(document)]
    for one in found:
        one["metadata"] = one.get("metadata") or {}
        if not isinstance(one["metadata"], dict):
            what = "error unmarshaling JSON: metadata is not an object"
            raise RepositoryError(f'rpc error: code = FailedPrecondition desc = Failed to unmarshal "{name}": {what}')
    return found


def _objects(document: Any) -> Iterable[Object]:
    if not isinstance(document, dict) or "kind" not in document:
        return []
    if document["kind"] == "List":
        return [one for one in document.get("items") or () if isinstance(one, dict) and "kind" in one]
    return [document]


class Repositories:
    """The repository server. ``away``: it does not answer, until that is set back."""

    def __init__(self, paths: Mapping[str, str | Path]) -> None:
        self._paths = paths
        self._read: dict[tuple[str, str, str], list[Object]] = {}
        self.away = False

    async def resolve(self, url: str, revision: str) -> str:
        """The full id of a branch, a tag or a commit. A full id is taken as it is, there or not.

        Raises RepositoryError.
        """
        git = self._git(url)
        if FULL_ID.fullmatch(revision):
            return revision
        found = await asyncio.to_thread(git.commit, revision or "HEAD")
        if found is None:
            raise RepositoryError(f"rpc error: code = Unknown desc = unable to resolve '{revision}' to a commit SHA")
        return found

    async def manifests(self, source: Object, commit: str) -> list[Object]:
        """Copies of the objects in the path of a source at a commit, in the order of the files' names.

        Raises RepositoryError.
        """
        git = self._git(source["repoURL"])
        path = posixpath.normpath(str(source.get("path") or "."))
        recurse = bool((source.get("directory") or {}).get("recurse"))
        key = (source["repoURL"], commit, f"{path} {recurse}")
        if key not in self._read:
            self._read[key] = await asyncio.to_thread(_manifests, git, commit, path, recurse)
        return json.loads(json.dumps(self._read[key]))  # type: ignore[no-any-return]

    def _git(self, url: str) -> Git:
        if self.away:
            raise RepositoryError(_AWAY)
        if url not in self._paths:
            raise RepositoryError(
                f"rpc error: code = Unknown desc = failed to list refs: repository not found: {url}",
            )
        return Git(Path(self._paths[url]))


def _manifests(git: Git, commit: str, path: str, recurse: bool) -> list[Object]:
    if git.commit(commit) is None:
        fetch = f"`git fetch origin {commit} --tags --force --prune` failed exit status 128"
        raise RepositoryError(
            "rpc error: code = Unknown desc = failed to initialize repository resources: rpc error: code = Internal "
            f"desc = Failed to checkout revision {commit}: {fetch}: "
            f"fatal: remote error: upload-pack: not our ref {commit}"
        )
    listed = git.run("ls-tree", "-r", "-z", "--full-tree", commit).decode().split("\0")
    blobs = {name: entry.split(" ")[2] for entry, _, name in (line.partition("\t") for line in listed if line)}
    prefix = "" if path == "." else f"{path}/"
    if prefix and not any(name.startswith(prefix) for name in blobs):
        raise RepositoryError(f"rpc error: code = Unknown desc = {path}: app path does not exist")
    found = sorted(name for name in blobs if name.startswith(prefix) and _MANIFEST.fullmatch(name))
    return [
        one
        for name in found
        if recurse or "/" not in name.removeprefix(prefix)
        for one in parse(posixpath.basename(name), git.blob(blobs[name]).decode())
    ]
