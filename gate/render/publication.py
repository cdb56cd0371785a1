"""Where a verdict is published and what its links lead to. Made once by the caller, then only read."""

import re
from typing import Annotated

from pydantic import Field, StringConstraints

from gate.catalogue import load_catalogue
from gate.observed import Frozen
from gate.reasons import Reason

# No blanks, quotes or brackets: such an address can stand in a Markdown link as it is.
ADDRESS = re.compile(r"https?://[^\s<>()\[\]{}\"'`|\\]+")
Address = Annotated[str, StringConstraints(pattern=f"^{ADDRESS.pattern}$")]
Repository = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$")]
FullId = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})$")]

_FULL_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class Publication(Frozen):
    """The links of a comment, summary or status.

    ``repository`` (``owner/name``) is where ``reported``, the commit that carries the status,
    and the pull request ``pull`` are. ``revision_repository`` is where the intended commit is;
    None when that is not on this server: its id is then shown without a link.
    ``run_url`` leads to this attempt of the workflow run, None outside a workflow.
    ``docs_url`` is the folder with ``reasons.md`` and ``data.md``. ``version`` is the tool's.
    ``refused``: the verdict stands, and GitHub did not take it as a commit status. ``evidence_kept`` says where
    the evidence is kept beside the workspace, or that it is not; None where nobody asked for it.
    """

    server_url: Address
    repository: Repository
    docs_url: Address
    version: str
    reported: FullId | None = None
    revision_repository: Repository | None = None
    run_url: Address | None = None
    pull: int | None = Field(default=None, ge=1)
    refused: bool = False
    evidence_kept: str | None = None

    def reason_url(self, reason: Reason) -> str:
        """The reason's place on the page of reasons."""
        return f"{self.docs_url.rstrip('/')}/reasons.md#{load_catalogue()[reason].anchor}"

    @property
    def data_url(self) -> str:
        """The page about data."""
        return f"{self.docs_url.rstrip('/')}/data.md"

    def reported_url(self) -> str | None:
        """The reported commit; None when there is none."""
        return (
            None if self.reported is None else f"{self.server_url.rstrip('/')}/{self.repository}/commit/{self.reported}"
        )

    def revision_url(self, commit: str) -> str | None:
        """A commit of the repository that the intended one is in; None where it cannot be linked."""
        if self.revision_repository is None or _FULL_ID.fullmatch(commit) is None:
            return None
        return f"{self.server_url.rstrip('/')}/{self.revision_repository}/commit/{commit}"

    def compare_url(self, base: str, head: str) -> str | None:
        """What lies between two commits of that repository; None where it cannot be linked."""
        if self.revision_repository is None or not all(map(_FULL_ID.fullmatch, (base, head))):
            return None
        return f"{self.server_url.rstrip('/')}/{self.revision_repository}/compare/{base}...{head}"
