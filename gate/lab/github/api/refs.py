"""Git refs."""

from __future__ import annotations

from gate.lab.github import shapes_git
from gate.lab.github.exchange import Reply, not_found, unprocessable
from gate.lab.github.git import REF_NAME, is_id
from gate.lab.github.pulls import head_gone
from gate.lab.github.routing import REPOSITORY, Call, Router
from gate.lab.github.rules import RefUpdate, refuse
from gate.lab.github.writing import seen_ref, write_ref

router = Router()
ONE = f"{REPOSITORY}/git/refs/{{ref}}"
WRITE = ("contents", "write")


@router.add("GET", f"{REPOSITORY}/git/ref/{{ref}}", ("contents", "read"))
def get(call: Call) -> Reply:
    """Exactly this ref (`heads/NAME`, `tags/NAME`), perhaps as it was a moment ago."""
    name = f"refs/{call.parameters['ref']}"
    found = seen_ref(call.repository, name)
    if found is None:
        raise not_found()
    return Reply(body=shapes_git.reference(call, name, *found))


def target(call: Call) -> str:
    """The commit a ref is to point at.

    Rule: 422 "Object does not exist". Source: octokit/octokit.js#562.
    """
    call.expect(sha=str, ref=str, force=bool)
    call.required("Reference", "sha")
    sha: str = call.body["sha"]
    if not is_id(sha) or call.repository.git.commit(sha) is None:
        raise unprocessable("Object does not exist")
    return sha


@router.add("POST", f"{REPOSITORY}/git/refs", WRITE)
def create(call: Call) -> Reply:
    """Make a ref.

    Rules: a full name with two slashes at least; 422 "Reference already
    exists" (usk6666/yorishiro-proxy#82).
    """
    call.required("Reference", "ref")
    sha, name, git = target(call), call.body["ref"], call.repository.git
    if not name.startswith("refs/") or name.count("/") < 2 or not REF_NAME.fullmatch(name):
        raise unprocessable("Reference name must start with 'refs/' and have at least two slashes.")
    if git.ref(name) is not None:
        raise unprocessable("Reference already exists")
    refuse_by_rules(call, name, None, sha)
    write_ref(call.world, call.repository, name, sha)
    shape = shapes_git.reference(call, name, sha, "commit")
    return Reply(201, shape, {"Location": shape["url"]})


# There is no PATCH on the singular /git/ref/: https://docs.github.com/en/rest/git/refs
@router.add("PATCH", ONE, WRITE)
def move(call: Call) -> Reply:
    """Move a ref.

    Rules: 422 "Reference does not exist" (github/rest-api-description#2746,
    solana-foundation/solana-developer-platform#602), 422 "Update is not a fast
    forward" unless forced (philschatz/octokit.js#21).
    """
    git, name = call.repository.git, f"refs/{call.parameters['ref']}"
    found = git.ref(name)
    if found is None:
        raise unprocessable("Reference does not exist")
    sha, old = target(call), found[0]
    if call.body.get("force") is not True and not git.is_ancestor(old, sha):
        raise unprocessable("Update is not a fast forward")
    refuse_by_rules(call, name, old, sha)
    write_ref(call.world, call.repository, name, sha, old)
    return Reply(body=shapes_git.reference(call, name, sha, "commit"))


def refuse_by_rules(call: Call, name: str, old: str | None, new: str | None) -> None:
    """422 where a rule of the branch is against it."""
    if name.startswith("refs/heads/"):
        refuse(call.repository, RefUpdate(name.removeprefix("refs/heads/"), old, new, call.identity))


@router.add("DELETE", ONE, WRITE)
def delete(call: Call) -> Reply:
    """Remove a ref.

    Rule: the open pull requests of a branch that goes are closed. Source:
    https://docs.github.com/en/repositories (deleting and restoring branches in a pull request)
    """
    name = f"refs/{call.parameters['ref']}"
    found = call.repository.git.ref(name)
    if found is None:
        raise unprocessable("Reference does not exist")
    refuse_by_rules(call, name, found[0], None)
    call.repository.git.delete_ref(name)
    call.repository.stale.pop(name, None)
    head_gone(call.repository, name.removeprefix("refs/heads/"))
    return Reply(204)
