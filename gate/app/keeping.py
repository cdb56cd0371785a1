"""Keeping the evidence of a run on the evidence branch. What cannot be kept is said, and changes no verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.errors import GateError

if TYPE_CHECKING:  # PyGithub is slow to import
    from gate.adapters.github.client import GitHubClient
    from gate.config.event import Run
    from gate.evidence.record import EvidenceFile


@dataclass(frozen=True)
class Kept:
    """Where the evidence is kept, or why not, in one sentence and what it means; ``lost`` says which."""

    said: str
    lost: bool = False


async def keep_evidence(branch: str, evidence: EvidenceFile, run: Run | None, client: GitHubClient | None) -> Kept:
    """Add the evidence to the branch of the workflow's repository. Raises nothing."""
    if run is None or client is None:
        return _lost(branch, "this does not run in a workflow, or has no token")
    if run.read_only:
        return _lost(branch, "this event's token may only read")
    try:
        return Kept(await _append(branch, evidence, run, client))
    except GateError as error:
        return _lost(branch, error.happened.rstrip("."), error.means)
    except Exception as error:  # noqa: BLE001  # a fault here must not take the verdict away
        return _lost(branch, f"a fault of the gate ({type(error).__name__})")


async def _append(branch: str, evidence: EvidenceFile, run: Run, client: GitHubClient) -> str:
    from gate.adapters.github.append import AppendOnlyBranch
    from gate.adapters.github.reading import GitHubRepository
    from gate.evidence.store import texts_of
    from gate.evidence.storing import addition_of

    repository = GitHubRepository(client, run.repository)
    made = await AppendOnlyBranch(repository, branch).append(addition_of(evidence, texts_of(evidence)))
    return f"The evidence is kept on branch {branch}: {made.path} at {made.commit}."


def _lost(branch: str, why: str, means: str = "") -> Kept:
    meaning = f" This usually means: {means.rstrip('.')}." if means else ""
    return Kept(
        f"The evidence is not on branch {branch}: {why}.{meaning} The verdict stands; keep the workflow's artifact, for"
        " what is not on the branch cannot be approved or reported from there. It takes contents: write and a branch"
        " that takes direct commits from this token.",
        lost=True,
    )
