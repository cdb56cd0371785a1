"""Changing files on a branch: one commit for all of them, forward only, never two."""

from typing import Final

from gate.adapters.github.commit_models import Committed, Edit
from gate.adapters.github.reading import GitHubRepository

RETRIES: Final = 3
TIME: Final = 180.0


class CommitPublisher:
    """Commits changes to one repository, as whoever the client's token is.

    ``signed`` commits by ``createCommitOnBranch`` (GraphQL), whose commits GitHub always signs; else by
    the Git database, where GitHub signs or not, and ``Committed.verified`` says which.
    """

    def __init__(self, repository: GitHubRepository, *, signed: bool = False) -> None:
        self._repository = repository
        self._signed = signed

    async def commit(
        self, branch: str, edit: Edit, message: str, *, tip: str | None = None, within: float = TIME
    ) -> Committed:
        """Apply ``edit`` to the tip of ``branch`` (its plain name) as one commit, if it changes anything.

        ``tip`` is the full id of the commit the caller believes to be the tip, where it knows one: a
        request less, and nothing worse than a retry where it is wrong. A branch that moves meanwhile
        has the edit applied anew to its new tip, three times at most. An answer that is lost is
        settled by reading the branch. ``within`` is in seconds. Raises CommitError, UsageError for
        names that cannot be, and whatever ``edit`` raises.
        """
        raise NotImplementedError
