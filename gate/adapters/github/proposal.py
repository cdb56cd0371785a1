"""Changing files by way of a pull request: one branch and one open pull request, used again."""

from gate.adapters.github.commit import TIME
from gate.adapters.github.commit_models import Edit, Proposed
from gate.adapters.github.reading import GitHubRepository


class PullRequestPublisher:
    """Keeps one pull request from one branch of ours; touches no other. ``signed`` as for CommitPublisher."""

    def __init__(self, repository: GitHubRepository, *, signed: bool = False) -> None:
        self._repository = repository
        self._signed = signed

    async def propose(
        self,
        base: str,
        branch: str,
        edit: Edit,
        message: str,
        *,
        title: str,
        body: str,
        within: float = TIME,
    ) -> Proposed:
        """Make the open pull request from ``branch`` into ``base`` (plain names) propose ``edit`` of ``base``.

        Choose one ``branch`` for each environment (``gate/bump/staging``): it is made where it is
        missing, brought to the newest change where it is there, and its pull request gets ``title``
        and ``body`` (Markdown). A second call with the same wish changes nothing. Commits that others
        put on the branch are kept: the change goes on top of them. Raises as ``CommitPublisher.commit``.
        """
        raise NotImplementedError
