"""One recovery report: files or stored verdicts, what Git adds to them, and the report or the reasons against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from gate.adapters.failures import ReadFailed, one_line
from gate.adapters.git.clone import Clone
from gate.app.gitfacts import CloneGit, GitHubGit, source_urls
from gate.app.stores import StoreOptions, open_store
from gate.errors import UsageError
from gate.evidence.entries import read_verified, verify_text
from gate.evidence.folder import read_evidence_text
from gate.evidence.record import EvidenceFile, EvidenceRefused
from gate.evidence.recorder import merged
from gate.facts.moment import GitRecord
from gate.render.report.subject import RefusedReport, Report, Role
from gate.report.build import build_report
from gate.report.choosing import choose_commit, choose_latest, is_commit
from gate.report.commits import GitFacts, contradictions, recorded_git

if TYPE_CHECKING:  # PyGithub is slow to import, and a clone does without
    from gate.adapters.github.client import GitHubClient
    from gate.evidence.entries import Entry, EvidenceStore
    from gate.history import Git

ROLES: tuple[Role, ...] = ("good", "bad", "recovered")


@dataclass
class Reporting:
    """``given`` says for each role a path or a commit id; empty: the latest recovery in the store.

    ``server_url`` is GitHub as people open it. ``client`` reads GitHub, where it may be read.
    """

    given: Mapping[Role, str]
    environment: str | None
    store: StoreOptions
    server_url: str
    client: GitHubClient | None = None
    notes: list[str] = field(default_factory=list)
    _refused: list[str] = field(default_factory=list)
    _opened: EvidenceStore | None = None
    _entries: tuple[Entry, ...] = ()

    async def run(self) -> Report | RefusedReport:
        """Raises UsageError for what cannot be read or found, AccessError."""
        files = await (self._named() if self.given else self._latest())
        if len(files) < len(ROLES):
            return RefusedReport(reasons=tuple(self._refused))
        git, against = await self._git(files)
        report = build_report(files, git, tuple(self.notes))
        if not against:
            return report
        return RefusedReport(reasons=(*against, *(report.reasons if isinstance(report, RefusedReport) else ())))

    async def _named(self) -> dict[Role, EvidenceFile]:
        files: dict[Role, EvidenceFile] = {}
        for role in ROLES:
            given = self.given[role]
            try:
                files[role] = await self._one(role, given)
            except EvidenceRefused as error:
                self._does_not_hold(role, given, error)
        return files

    async def _one(self, role: Role, given: str) -> EvidenceFile:
        text = read_evidence_text(Path(given))
        if text is not None:
            return verify_text(text, given)
        if not is_commit(given):
            raise UsageError(
                f"{one_line(given, 200)} is no file, and no commit id.",
                change="give the path of an evidence file, or at least 7 digits of the commit's id.",
            )
        store, entries = await self._listed()
        return await read_verified(store, choose_commit(entries, role, given))

    async def _latest(self) -> dict[Role, EvidenceFile]:
        store, entries = await self._listed()
        chosen = choose_latest(entries, str(self.environment))
        self.notes += [f"Chosen as the latest recovery on {store.what}.", *chosen.notes]
        files: dict[Role, EvidenceFile] = {}
        for role, entry in zip(ROLES, (chosen.good, chosen.bad, chosen.recovered), strict=True):
            try:
                files[role] = await read_verified(store, entry)
            except EvidenceRefused as error:
                self._does_not_hold(role, entry.path, error)
        return files

    def _does_not_hold(self, role: Role, what: str, error: EvidenceRefused) -> None:
        self._refused.append(f"The {role} file {one_line(what, 200)} is not verified: {error.happened}")

    async def _listed(self) -> tuple[EvidenceStore, tuple[Entry, ...]]:
        if self.environment is None:
            raise UsageError(
                "Nothing says of which environment the stored verdicts are to be looked up.",
                change="give --environment NAME, or three files.",
            )
        if self._opened is None:
            self._opened = await open_store(self.store, self.client)
            self._entries = await self._opened.list(self.environment)
        return self._opened, self._entries

    async def _git(self, files: dict[Role, EvidenceFile]) -> tuple[GitFacts, tuple[str, ...]]:
        """What the files hold of Git with what can be looked up, and where the two say different things."""
        recorded = recorded_git(files.values())
        git, clone = await self._repository(files)
        if git is None:
            return GitFacts(recorded, {}), ()
        good, bad, recovered = (files[role].verdict.intended for role in ROLES)
        looked = GitRecord()
        for base, head in ((good, bad), (bad, recovered), (good, recovered)):
            looked = merged(looked, await self._ask("relation", git, base, head))
        for commit in (good, bad, recovered):
            looked = merged(looked, await self._ask("commit", git, commit))
        was = looked.commits.get(bad)
        for commit in () if was is None else was.parents[:1]:
            looked = merged(looked, await self._ask("commit", git, commit))
        patches = {} if clone is None else {one: await self._patch(clone, one) for one in (bad, recovered)}
        known = {commit: patch for commit, patch in patches.items() if patch is not None}
        return GitFacts(merged(recorded, looked), known), contradictions(recorded, looked)

    async def _repository(self, files: dict[Role, EvidenceFile]) -> tuple[Git | None, Clone | None]:
        """The repository that Argo CD deploys from, as far as it can be read."""
        if self.store.repo is not None:
            clone = await Clone.open(self.store.repo)
            return CloneGit(clone), clone
        if self.client is None:
            return None, None
        from gate.adapters.github.address import parse_repository
        from gate.adapters.github.reading import GitHubRepository

        applications = tuple(raw for raw in files["recovered"].objects if raw.get("kind") == "Application")
        names = {parse_repository(url, self.server_url) for url in source_urls(applications)}
        name = names.pop() if len(names) == 1 else None
        return (None, None) if name is None else (GitHubGit(GitHubRepository(self.client, name)), None)

    async def _ask(self, what: Literal["relation", "commit"], git: Git, *commits: str) -> GitRecord:
        """One answer of Git; nothing where it cannot tell, which is noted once."""
        try:
            if what == "relation":
                return await git.read_relation(*commits)
            raw = await git.read_commit(*commits)
        except ReadFailed as failure:
            note = f"Git could not be asked about everything: {failure.error}."
            self.notes += [] if note in self.notes else [note]
            return GitRecord()
        return GitRecord() if raw is None else GitRecord(commits={commits[0]: raw})

    async def _patch(self, clone: Clone, commit: str) -> Mapping[str, tuple[str, str]] | None:
        try:
            return await clone.read_patch(commit)
        except ReadFailed:
            return None
