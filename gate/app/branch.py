"""The branch of the environment repository that a pin goes to: on GitHub, or in a local clone that is only read."""

from dataclasses import dataclass
from pathlib import Path

from gate.adapters.failures import ReadFailed
from gate.adapters.git.clone import Clone
from gate.adapters.github.answer import NotConfirmed, Refused
from gate.adapters.github.branch import Branch
from gate.adapters.github.client import GitHubClient
from gate.adapters.github.commit_refusals import no_branch, not_committed
from gate.adapters.github.reading import GitHubRepository
from gate.adapters.github.tree import FilesOfCommit
from gate.app.pinning import CloneFiles, Files
from gate.config.event import Run
from gate.errors import UsageError

_TIME = 60.0


@dataclass(frozen=True)
class Target:
    """``files`` are those of the branch's newest commit; ``repository`` is None where nothing can be written."""

    name: str
    files: Files
    repository: GitHubRepository | None = None


async def open_on_github(client: GitHubClient, run: Run, branch: str | None) -> Target:
    """The branch that was asked for, else the one that the run is about. Raises UsageError, and CommitError."""
    name = branch or run.base_branch or run.head_branch
    if name is None:
        raise UsageError(
            f"The event {run.event} names no branch that the pin could be written to.",
            means="it is about a tag, or about no branch at all.",
            change="name the branch with bump.branch in the configuration.",
        )
    deadline = client.patience.deadline(_TIME)
    at = Branch(GitHubRepository(client, run.repository), name, deadline)
    try:
        tip = await at.read_tip()
    except (Refused, ReadFailed, NotConfirmed) as failure:
        raise not_committed(at.what, failure) from failure
    if tip is None:
        raise no_branch(at.what)
    return Target(at.name, FilesOfCommit(at.repository, tip, deadline), at.repository)


async def open_in_clone(folder: Path | None, branch: str | None) -> Target:
    """The same in a local clone, ``HEAD`` by default; raises UsageError and AccessError."""
    if folder is None:
        raise UsageError(
            "There is no environment repository to read.",
            means="outside of a workflow the manifests are read from a local clone.",
            change="give --repo with a clone.",
        )
    clone = await Clone.open(folder)
    name = branch or "HEAD"
    return Target(name, CloneFiles(clone, await clone.resolve(name)))
