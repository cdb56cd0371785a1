"""The parts of GitHub's event payloads that the gate uses, as strict models. Pure."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Text = Annotated[str, StringConstraints(min_length=1)]


class Part(BaseModel):
    """Base: strict, frozen, other keys ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, hide_input_in_errors=True)


class RepositoryPart(Part):
    """A repository; its default branch is named where it is that of the event itself."""

    id: int
    default_branch: Text | None = None


class BranchPart(Part):
    """Head or base of a pull request."""

    ref: Text
    sha: Text
    repo: RepositoryPart | None = None


class PullRequestPart(Part):
    """A pull request."""

    number: int = Field(ge=1)
    head: BranchPart
    base: BranchPart


class HeadCommitPart(Part):
    """The newest commit of a push."""

    id: Text
    message: str = ""


class MergeGroupPart(Part):
    """A group of pull requests in a merge queue."""

    head_sha: Text
    head_ref: Text
    base_ref: Text


class WorkflowRunPart(Part):
    """The run of another workflow, and the event that it ran for."""

    event: Text
    head_sha: Text
    head_branch: str | None = None
    head_repository: RepositoryPart | None = None
    pull_requests: tuple[PullRequestPart, ...] = Field(default=(), strict=False)


class DeploymentPart(Part):
    """A deployment."""

    sha: Text


class Payload(Part):
    """Any event's payload; what an event does not have is None."""

    after: Text | None = None
    ref: Text | None = None
    deleted: bool = False
    head_commit: HeadCommitPart | None = None
    repository: RepositoryPart | None = None
    pull_request: PullRequestPart | None = None
    merge_group: MergeGroupPart | None = None
    workflow_run: WorkflowRunPart | None = None
    deployment: DeploymentPart | None = None
