"""Where stored evidence is read: a folder, the evidence branch of a clone, or that of a repository on GitHub."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import UsageError
from gate.evidence.branch import BRANCH, BranchStore, CloneBranch, GitHubBranch
from gate.evidence.folder import FolderStore

if TYPE_CHECKING:  # PyGithub is slow to import, and a folder does without
    from gate.adapters.github.client import GitHubClient
    from gate.evidence.entries import EvidenceStore

FOLDER = Path("evidence")
"""Where runs write, seen from the workspace."""


@dataclass(frozen=True)
class StoreOptions:
    """``folder``, ``repository`` (``owner/name``, named by a person) or ``repo`` (a clone), tried in this order.

    ``workflow`` is the repository of the workflow that this runs in, which is tried after them; None elsewhere.
    """

    folder: Path | None = None
    repository: str | None = None
    repo: Path | None = None
    workflow: str | None = None
    branch: str = BRANCH

    @property
    def on_github(self) -> str | None:
        """The repository on GitHub to read from; None where that is not the place."""
        if self.folder is not None:
            return None
        if self.repository is not None:
            return self.repository
        return None if self.repo is not None else self.workflow


async def open_store(options: StoreOptions, client: GitHubClient | None) -> EvidenceStore:
    """The store by what was given, else the folder ``evidence``. Raises UsageError where there is none, AccessError."""
    name = options.on_github
    if name is not None and client is not None:
        from gate.adapters.github.reading import GitHubRepository

        return BranchStore(GitHubBranch(GitHubRepository(client, name), options.branch))
    if options.folder is None and options.repo is not None:
        from gate.adapters.git.clone import Clone

        return BranchStore(await CloneBranch.open(await Clone.open(options.repo), options.branch))
    folder = FOLDER if options.folder is None else options.folder
    if options.folder is None and not folder.is_dir():
        raise UsageError(
            "Nothing says where evidence is stored.",
            means="there is no folder evidence here, and this does not run in a workflow.",
            change="give --folder DIR, --repo CLONE, or --repository owner/name with a token in GITHUB_TOKEN.",
        )
    return FolderStore(folder)
