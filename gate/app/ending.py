"""How a run ends: the verdict of one that an error ended, and where its links lead."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote

from gate import __version__
from gate.errors import Cancelled, ExitCode, GateError, Superseded
from gate.outcomes import VerdictWord
from gate.reasons import Reason
from gate.verdict import Verdict

if TYPE_CHECKING:
    from gate.config.event import Run
    from gate.render.publication import Publication


def ended_by(error: GateError, environment: str, intended: str, last: Verdict | None) -> Verdict:
    """The verdict of a run that an error ended, its parts in lines; it keeps the layers that were judged last."""
    word = VerdictWord.INTERNAL_ERROR
    if isinstance(error, Cancelled):
        word = VerdictWord.CANCELLED
    elif error.exit_code is ExitCode.COULD_NOT_RUN:
        word = VerdictWord.COULD_NOT_RUN
    elif isinstance(error, Superseded):
        word = VerdictWord.SUPERSEDED
    values = {
        "word": word,
        "reason": Reason(error.reason),
        "message": error.diagnostics(),
        "final": True,
        "failed_layer": None,
        "at": datetime.now(UTC),
    }
    if last is not None:
        return last.model_copy(update=values)
    return Verdict(
        word=word,
        reason=Reason(error.reason),
        message=str(values["message"]),
        final=True,
        environment=environment,
        intended=intended,
        at=datetime.now(UTC),
    )


def _docs_url(run: Run, environ: Mapping[str, str]) -> str:
    """Where the documentation of the action in use stands: in the repository it came from, at its version.

    An action of the workflow's own repository (``uses: ./``) is named by no variable.
    """
    repository = environ.get("GITHUB_ACTION_REPOSITORY") or run.repository
    ref = environ.get("GITHUB_ACTION_REF") or "main"
    return f"{run.server_url}/{repository}/blob/{quote(ref, safe='/')}/docs"


def publication_of(run: Run, environ: Mapping[str, str], source_name: str | None) -> Publication:
    """Where the links of a run's verdict lead; ``source_name`` is the repository that Argo CD deploys from."""
    from gate.render.publication import Publication

    return Publication(
        server_url=run.server_url,
        repository=run.repository,
        docs_url=_docs_url(run, environ),
        version=__version__,
        reported=run.reported,
        revision_repository=source_name,
        run_url=run.run_url,
        pull=run.pull_request,
    )
