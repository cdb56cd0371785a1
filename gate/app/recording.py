"""The evidence of a run: what hears its looks, and what is written at its end."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from gate import __version__
from gate.secrecy import Secrets

if TYPE_CHECKING:
    from collections.abc import Callable

    from gate.adapters.github.client import GitHubClient
    from gate.app.keeping import Kept
    from gate.app.options import CheckOptions
    from gate.config.event import Run
    from gate.decide import Decision
    from gate.evidence.record import EvidenceFile, RunFacts
    from gate.evidence.recorder import Recorder
    from gate.facts.bundle import Asked
    from gate.facts.moment import Moment, Raw
    from gate.verdict import Verdict

_LIBRARIES = ("kubernetes", "httpx", "PyGithub", "pydantic")


def run_facts(run: Run | None) -> RunFacts:
    """What evidence says of this run: its page, what it reports on, and what it was made with."""
    import platform
    from importlib.metadata import version

    from gate.evidence.record import RunFacts

    versions = {"gate": __version__, "python": platform.python_version()}
    versions |= {name: version(name) for name in _LIBRARIES}
    if run is None:
        return RunFacts(id=f"local-{datetime.now(UTC):%Y%m%dT%H%M%SZ}", versions=versions)
    return RunFacts(
        id=f"{run.run_id}-{run.attempt}",
        url=run.run_url,
        repository=run.repository,
        reported_commit=run.reported,
        pull_request=run.pull_request,
        versions=versions,
    )


@dataclass(frozen=True)
class Written:
    """The evidence file and where it is, and whether its verdict follows from what it records."""

    evidence: EvidenceFile
    path: Path
    follows: bool


@dataclass
class Recording:
    """Collects the evidence of one run. ``secrets`` are hidden in it, those too that are learnt later.

    ``approves`` is the digest of the evidence that an approval rests on. ``reports`` is whether the verdict goes
    on the run's own commit.
    """

    secrets: Secrets = field(default_factory=Secrets)
    approves: str | None = None
    reports: bool = True
    written: Written | None = None
    kept: Kept | None = None
    _recorder: Recorder | None = None

    def begin(self, asked: Asked) -> Callable[[Moment, Decision], None]:
        """What the poll tells each moment to."""
        from gate.evidence.recorder import Recorder
        from gate.evidence.scrub import make_clean

        self._recorder = Recorder(asked, make_clean(self.secrets))
        return self._recorder.hear

    @property
    def applications(self) -> tuple[Raw, ...]:
        """The Applications as the last look saw them, as evidence keeps them."""
        return () if self._recorder is None else self._recorder.applications

    def write(self, verdict: Verdict, folder: Path, run: Run | None) -> Written | None:
        """Write the evidence of the run's verdict; None where nothing was looked at. Raises OSError."""
        if self._recorder is None or not self._recorder.heard:
            return None
        from gate.evidence.making import make_evidence
        from gate.evidence.store import write_evidence

        made = make_evidence(self._recorder, verdict, self._run_facts(run), datetime.now(UTC), self.secrets)
        self.written = Written(made.evidence, write_evidence(made.evidence, folder), made.follows)
        return self.written

    async def keep(
        self, options: CheckOptions, run: Run | None, client: GitHubClient | None, say: Callable[[str], None]
    ) -> None:
        """Keep what was written on the evidence branch, where there is one. Raises nothing: what is lost is said."""
        if options.evidence_branch is None or self.written is None:
            return
        from gate.app.keeping import keep_evidence

        self.kept = await keep_evidence(options.evidence_branch, self.written.evidence, run, client)
        say(self.kept.said)

    @property
    def kept_where(self) -> str | None:
        """Where it is kept, or why not; None where nobody asked."""
        return None if self.kept is None else self.kept.said

    def _run_facts(self, run: Run | None) -> RunFacts:
        """Those of the run; an approval's have a name of their own beside that of a check in the same run."""
        facts = run_facts(run)
        if self.approves is not None:
            facts = facts.model_copy(update={"id": f"{facts.id}-approval", "approves": self.approves})
        return facts if self.reports else facts.model_copy(update={"reported_commit": None})
