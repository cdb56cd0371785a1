"""How ``gate bump`` may write an environment's pins."""

from typing import Annotated

from pydantic import Field

from gate.config.shapes import BRANCH, Configured

Branch = Annotated[str, BRANCH]


class Bump(Configured):
    """What may be pinned, and by which way the pin gets into the environment repository."""

    allowed_branch: Branch | None = Field(
        default=None,
        description="Branch of the repository that Argo CD deploys from; only commits on it are pinned. "
        "Default: its default branch.",
    )
    branch: Branch | None = Field(
        default=None,
        description="Branch of the environment repository that the pin is written to. Default: that of the "
        "environment, else the one that the workflow runs for.",
    )
    pull_request: bool = Field(
        default=False, description="Whether the pin goes there by a pull request, for a branch that takes no commits."
    )
    signed: bool = Field(
        default=False, description="Whether the commit is made by the way that GitHub always signs (GraphQL)."
    )
    allow_older: bool = Field(
        default=False,
        description="Whether an ancestor of the present pin may be pinned. A revert is a new commit, and needs none.",
    )
