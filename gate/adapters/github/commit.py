"""Changing files on a branch: one commit for all of them, forward only, never two."""

from collections.abc import Mapping
from typing import Final

from gate.adapters.failures import ReadFailed
from gate.adapters.github.answer import NotConfirmed, Refused
from gate.adapters.github.branch import Branch
from gate.adapters.github.commit_models import Committed, Edit
from gate.adapters.github.commit_refusals import no_branch, not_committed
from gate.adapters.github.reading import GitHubRepository
from gate.adapters.github.signed import commit_signed
from gate.adapters.github.tree import FilesOfCommit, NewCommit, make_commit
from gate.errors import CommitError

RETRIES: Final = 3
TIME: Final = 180.0


class CommitPublisher:
    """Commits changes to one repository, as whoever the client's token is.

    ``signed`` commits by ``createCommitOnBranch`` (GraphQL), whose commits GitHub always signs; else by
    the Git database, where GitHub signs or not, and ``Committed.verified`` says which. Only the first
    compares and sets in one step; the second goes forward only, which gives a branch that somebody
    resets to an older commit in that very moment its newer commits back.
    """

    def __init__(self, repository: GitHubRepository, *, signed: bool = False) -> None:
        self._repository = repository
        self._signed = signed

    async def commit(
        self, branch: str, edit: Edit, message: str, *, tip: str | None = None, within: float = TIME
    ) -> Committed:
        """Apply ``edit`` to the tip of ``branch`` (its plain name) as one commit, if it changes anything.

        ``tip`` is the full id that the caller read as this branch's tip, if it did: a request less, and
        nothing worse than a retry where the branch has moved on. A branch that moves meanwhile
        has the edit applied anew to its new tip, three times at most. An answer that is lost is
        settled by reading the branch. ``within`` is in seconds. Raises CommitError, UsageError for
        names that cannot be, and whatever ``edit`` raises.
        """
        deadline = self._repository.client.patience.deadline(within)
        where = Branch(self._repository, branch, deadline)
        try:
            return await self._commit(where, edit, message, tip)
        except (Refused, ReadFailed, NotConfirmed) as failure:
            raise not_committed(where.what, failure) from failure

    async def land(
        self, branch: Branch, files: FilesOfCommit, changes: Mapping[str, str], message: str
    ) -> NewCommit | None:
        """One commit on top of the files' commit, on the branch; None where the branch has left that commit.

        Raises as the client does, and CommitError.
        """
        if self._signed:
            return await commit_signed(branch, files, changes, message)
        made = await make_commit(files, changes, message)
        return made if await branch.move(made.id, files.commit) else None

    async def _commit(self, branch: Branch, edit: Edit, message: str, tip: str | None) -> Committed:
        believed = tip is not None
        at = tip if tip is not None else await branch.read_tip()
        for _ in range(1 + RETRIES):
            if at is None:
                raise no_branch(branch.what)
            files = FilesOfCommit(self._repository, at, branch.deadline)
            changes = await files.changes(edit)
            if not changes:
                now = await branch.read_tip() if believed else at
                if now == at:
                    return Committed(branch=branch.name, commit=at)
                at, believed = now, False
                continue
            made = await self.land(branch, files, changes, message)
            if made is not None:
                return committed(branch, files, changes, made)
            at, believed = await branch.next_tip(at), False
        raise CommitError(
            f"{branch.what} moved on {1 + RETRIES} times while the change was made.",
            means="others push to it all the time.",
            change="serialise the workflows that write to it with a concurrency group, then run the job again.",
        )


def committed(branch: Branch, files: FilesOfCommit, changes: Mapping[str, str], made: NewCommit) -> Committed:
    """A new commit with these changes, as the result that callers get."""
    return Committed(
        branch=branch.name,
        commit=made.id,
        parent=files.commit,
        files=tuple(sorted(changes)),
        verified=made.verified,
    )
