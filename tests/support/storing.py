"""Evidence stored on a branch of the bench's repository, and read back."""

from __future__ import annotations

from datetime import datetime

from gate.adapters.github.append import Addition, Appended, AppendOnlyBranch
from gate.adapters.github.client import GitHubClient
from gate.adapters.github.reading import GitHubRepository
from gate.evidence.branch import BRANCH, BranchStore, GitHubBranch
from gate.evidence.record import EvidenceFile, with_digest
from gate.evidence.store import texts_of
from gate.evidence.storing import addition_of
from tests.support.bundles import Json
from tests.support.github import NAME
from tests.support.github_client import ClientBench
from tests.support.states import recorded


def state(name: str) -> Json:
    """A recording from a real cluster."""
    return next(one.raw for one in recorded() if one.name == name)


def of_run(evidence: EvidenceFile, run: str, at: datetime | None = None) -> EvidenceFile:
    """The same evidence as another run has it."""
    facts = evidence.run.model_copy(update={"id": run})
    when = evidence.recorded_at if at is None else at
    return with_digest(evidence.model_copy(update={"run": facts, "recorded_at": when}))


def addition(evidence: EvidenceFile) -> Addition:
    """What is added for an evidence file."""
    return addition_of(evidence, texts_of(evidence))


def keep(
    at: ClientBench, evidence: EvidenceFile, *, client: GitHubClient | None = None, branch: str = BRANCH
) -> Appended:
    """Store an evidence file as a run does."""
    repository = GitHubRepository(at.client if client is None else client, NAME)
    return at.run(AppendOnlyBranch(repository, branch).append(addition(evidence)))


def store(at: ClientBench, branch: str = BRANCH) -> BranchStore:
    """The branch as a reader has it, who knows nothing yet."""
    return BranchStore(GitHubBranch(at.repository, branch))


def files(at: ClientBench, branch: str = BRANCH) -> list[str]:
    """Every file on the branch."""
    return at.lab.repository.git.text("ls-tree", "-r", "--name-only", branch).splitlines()
