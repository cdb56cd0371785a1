"""The GraphQL endpoint: `createCommitOnBranch`, which has no counterpart in REST."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from gate.lab.github.exchange import ApiError, Reply
from gate.lab.github.git import GitError
from gate.lab.github.graphql import GraphQLError, parse, project
from gate.lab.github.history import read_commit
from gate.lab.github.objects import commit_tree, write_blob, write_tree
from gate.lab.github.routing import Call, Router
from gate.lab.github.rules import RefUpdate, refuse
from gate.lab.github.state import Repository
from gate.lab.github.writing import write_ref

router = Router()
FIELD = "createCommitOnBranch"
TYPE = "CreateCommitOnBranchInput!"
PATH = (FIELD,)
PAYLOAD = "CreateCommitOnBranchPayload"
# What may be selected; the values only stand for what is below them.
SIGNATURE = {"isValid": True, "state": "VALID", "wasSignedByGitHub": True}
FIELDS: dict[str, Any] = {
    "clientMutationId": "", "ref": "", "commit": {"oid": "", "url": "", "message": "", "signature": SIGNATURE},
}  # fmt: skip


@router.add("POST", "/graphql")
def graphql(call: Call) -> Reply:
    """One mutation.

    Rule: errors come with HTTP 200. Source: ministryofjustice/modernisation-platform#11985.
    """
    try:
        return Reply(body={"data": {FIELD: answered(call)}})
    except GraphQLError as error:
        return Reply(body=error.body())


def answered(call: Call) -> Any:
    """What the document selects of the mutation's payload."""
    operation = parse(str(call.body.get("query", "")))
    if (operation.kind, operation.field) != ("mutation", FIELD):
        raise GraphQLError(f"Field '{operation.field}' doesn't exist on type '{operation.kind.capitalize()}'")
    given = (call.body.get("variables") or {}).get(operation.variable)
    project(FIELDS, operation.selection, PAYLOAD)  # a document is checked before anything is done
    return project(create_commit(call, checked(given, operation.variable)), operation.selection, PAYLOAD)


def checked(given: Any, variable: str) -> dict[str, Any]:
    """The input with everything that has to be there.

    Source of the message: avitorio/outstatic#17.
    """
    found: dict[str, Any] = given if isinstance(given, dict) else {}
    required = {
        "branch": found.get("branch"),
        "expectedHeadOid": found.get("expectedHeadOid"),
        "message": found.get("message"),
        "message.headline": (found.get("message") or {}).get("headline"),
    }
    for name, value in required.items():
        if value is None:
            raise GraphQLError(
                f"Variable ${variable} of type {TYPE} was provided invalid value for {name}"
                " (Expected value to not be null)"
            )
    return found


def create_commit(call: Call, given: dict[str, Any]) -> dict[str, Any]:
    """Commit on top of the branch, if it is where the caller expects it.

    Rules: another head is STALE_DATA (ministryofjustice/modernisation-platform#11985); a missing
    permission is FORBIDDEN (fpicalausa/remove-stale-branches#49); a rule of the branch refuses in its
    own words (microsoft/vscode-remote-repositories-github#252); the commit is signed whoever asks, and
    its author is the caller (https://docs.github.com/en/graphql/reference/mutations#createcommitonbranch).
    """
    repository = _repository(call, given["branch"])
    name = str(given["branch"].get("branchName", "")).removeprefix("refs/heads/")
    head = repository.git.ref(f"refs/heads/{name}")
    if head is None:
        raise GraphQLError(f"No such branch '{name}'", "NOT_FOUND", PATH)  # the words are not known
    expected = given["expectedHeadOid"]
    if head[0] != expected:
        message = f'Expected branch to point to "{expected}" but it did not.  Pull and try again.'
        raise GraphQLError(message, "STALE_DATA", PATH)
    sha = _commit(call, repository, head[0], given)
    repository.verified.add(sha)
    try:
        refuse(repository, RefUpdate(name, head[0], sha, call.identity))
    except ApiError as refused:
        raise GraphQLError(refused.message, "UNPROCESSABLE", PATH) from refused
    write_ref(call.world, repository, f"refs/heads/{name}", sha, head[0])
    return {"clientMutationId": given.get("clientMutationId"), "commit": _shape(call, repository, sha), "ref": None}


def _repository(call: Call, branch: dict[str, Any]) -> Repository:
    name = str(branch.get("repositoryNameWithOwner", ""))
    repository = call.world.repository(name)
    if repository is None:
        raise GraphQLError(f"Could not resolve to a Repository with the name '{name}'.", "NOT_FOUND", PATH)
    if not call.identity.may("contents", "write"):
        raise GraphQLError("Resource not accessible by integration", "FORBIDDEN", PATH)
    return repository


def _commit(call: Call, repository: Repository, head: str, given: dict[str, Any]) -> str:
    """The commit with the wanted changes; no mode can be given, so files get the ordinary one."""
    git, changes = repository.git, given.get("fileChanges") or {}
    entries: list[dict[str, Any]] = []
    try:
        for addition in changes.get("additions") or []:
            content = base64.b64decode(addition["contents"], validate=True)
            entries.append({"path": addition["path"], "mode": "100644", "sha": write_blob(git, content)})
        entries += [{"path": gone["path"], "sha": None} for gone in changes.get("deletions") or []]
        tree = write_tree(git, git.tree(head), entries)
    except (GitError, KeyError, binascii.Error) as error:
        raise GraphQLError("A path or its contents cannot be used", "UNPROCESSABLE", PATH) from error
    message = given["message"]
    text = "\n\n".join(part for part in (message["headline"], message.get("body") or "") if part)
    return commit_tree(git, tree, [head], text, call.identity)


def _shape(call: Call, repository: Repository, sha: str) -> dict[str, Any]:
    """The fields of the type Commit that there are here."""
    found = read_commit(repository.git, sha)
    url = f"{call.request.server}/{repository.full_name}/commit/{sha}"
    return {"oid": sha, "url": url, "message": found.message, "signature": SIGNATURE}
