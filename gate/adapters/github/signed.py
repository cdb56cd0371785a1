"""Commits that GitHub always signs: ``createCommitOnBranch``, which compares and sets in one step."""

import base64
from collections.abc import Mapping
from typing import Any, Final

from gate.adapters.github.answer import NotConfirmed, Refused
from gate.adapters.github.branch import Branch
from gate.adapters.github.client import Repeat
from gate.adapters.github.commit_models import JsonCreatedOnBranch
from gate.adapters.github.models import parse_json
from gate.adapters.github.tree import EXECUTABLE, FilesOfCommit, NewCommit
from gate.errors import CommitError
from gate.observed import Present

MUTATION: Final = """mutation($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid signature { isValid } } }
}"""
_ROUNDS = 4


async def commit_signed(
    branch: Branch, files: FilesOfCommit, changes: Mapping[str, str], message: str
) -> NewCommit | None:
    """Put one commit with these changes on the branch, if its tip is the files' commit; None where not.

    A lost answer is settled by history: the one commit of ours on top of that tip. Raises CommitError
    for executable files, whose mode this way of committing cannot keep, and where it cannot be settled.
    """
    await _refuse_executable(files, changes)
    wanted, patience = _input(branch, files, changes, message), branch.repository.client.patience
    unsure: NotConfirmed | None = None
    for round_ in range(1, _ROUNDS + 1):
        try:
            return await _create(branch, wanted)
        except NotConfirmed as failure:
            unsure = failure
        except Refused as refused:
            if not _is_stale(refused):
                raise
            return None if unsure is None else await _ours(branch, files.commit, message)
        made = await _ours(branch, files.commit, message)
        if made is not None:
            return made
        # Not carried out, or not to be seen yet; a second commit on this tip would be refused.
        await patience.sleep(patience.wait_after(unsure.failure, round_))
    raise CommitError(
        f"It is not known whether {branch.what} took the new commit"
        f"{'' if unsure is None else f' ({unsure.failure.error})'}.",
        means="GitHub took the request and has trouble answering.",
        change="look at the branch, then run the job again; what stands there is not committed twice.",
    )


def _input(branch: Branch, files: FilesOfCommit, changes: Mapping[str, str], message: str) -> dict[str, Any]:
    headline, _, body = message.strip().partition("\n")
    additions = [{"path": path, "contents": base64.b64encode(text.encode()).decode()} for path, text in changes.items()]
    return {
        "branch": {"repositoryNameWithOwner": branch.repository.name, "branchName": branch.name},
        "message": {"headline": headline, "body": body.strip()},
        "expectedHeadOid": files.commit,
        "fileChanges": {"additions": additions},
    }


async def _create(branch: Branch, wanted: Mapping[str, Any]) -> NewCommit:
    data = await branch.repository.client.graphql(
        MUTATION,
        {"input": wanted},
        what=branch.what,
        repeat=Repeat.WHEN_NOT_CARRIED_OUT,
        deadline=branch.deadline,
    )
    made = parse_json(JsonCreatedOnBranch, data.get("createCommitOnBranch"), branch.what).commit
    return NewCommit(made.oid, None if made.signature is None else made.signature.isValid)


async def _ours(branch: Branch, parent: str, message: str) -> NewCommit | None:
    """The commit on top of ``parent`` with our message, in the branch's history; None where there is none."""
    tip = await branch.read_tip()
    if tip is None or tip == parent:
        return None
    found = await branch.repository.read_relation(parent, tip, deadline=branch.deadline)
    if not isinstance(found, Present):
        return None
    for one in found.value.commits:
        if one.commit.parents == (parent,) and one.commit.message.split() == message.split():
            return NewCommit(one.id, None)
    return None


async def _refuse_executable(files: FilesOfCommit, changes: Mapping[str, str]) -> None:
    executable = [path for path, mode in (await files.modes(changes)).items() if mode == EXECUTABLE]
    if executable:
        raise CommitError(
            f"{executable[0]} is executable, and a signed commit through GitHub would take that away.",
            means="createCommitOnBranch knows no file modes.",
            change="make the manifest an ordinary file (mode 644), or do not ask for signed commits.",
        )


def _is_stale(refused: Refused) -> bool:
    return any(error.get("type") == "STALE_DATA" for error in refused.errors)
