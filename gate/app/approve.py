"""An approval: stored evidence is held against what would be promoted, and the service is judged again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from gate.app.basis import asked, find_basis
from gate.app.check import Check
from gate.app.options import ApproveOptions
from gate.app.recording import Recording
from gate.config.load import short_timeout, with_timeout
from gate.errors import UsageError
from gate.evidence.approval import NotApproved, check_applications
from gate.evidence.folder import stored_at
from gate.evidence.soak import Wanted
from gate.outcomes import VerdictWord
from gate.reasons import Reason
from gate.render.words import full_time
from gate.verdict import Verdict

if TYPE_CHECKING:  # PyGithub is slow to import, and a laptop does without
    from gate.adapters.github.reading import GitHubRepository
    from gate.app.configuration import Chosen
    from gate.app.intended import Repository
    from gate.config.event import Run
    from gate.evidence.entries import EvidenceStore
    from gate.evidence.record import EvidenceFile


@dataclass
class Approve(Check):
    """One approval. Outside of a workflow there is no pull request: then ``revision`` says what would be promoted.

    A refusal for what the evidence is about leaves no evidence; the second look at the service does.
    """

    approval: ApproveOptions = field(default_factory=ApproveOptions)

    def __post_init__(self) -> None:
        """What needs an approval gets it here."""
        self.options = replace(self.options, approving=True)

    async def _look(self, chosen: Chosen) -> Verdict:
        """The verdict of now, where stored evidence of the same holds; else which difference there is."""
        chosen.next_environment()  # there has to be one
        self.intended = await self._promoted(chosen)
        self.options = replace(self.options, revision=self.intended)
        settings = with_timeout(chosen.settings, self.options.timeout or short_timeout(chosen.settings))
        try:
            await self._check_pull()
            basis = await find_basis(await self._store(), self._wanted(chosen), self._repository)
            self.recording.approves = basis.digest
            verdict = await super()._look(replace(chosen, settings=settings))
            check_applications(basis, verdict, self.recording.applications)
        except NotApproved as refused:
            self.recording = Recording(self.recording.secrets)
            return self._refused(refused)
        return self._approved(basis, verdict)

    @property
    def _repository(self) -> GitHubRepository | None:
        if self.run is None or self._client is None:
            return None
        from gate.adapters.github.reading import GitHubRepository

        return GitHubRepository(self._client, self.run.repository)

    async def _promoted(self, chosen: Chosen) -> str:
        """The full id of the commit that would be promoted."""
        from gate.app.intended import resolve_intended
        from gate.app.repositories import RemoteRepository

        reported = None if self.run is None else self.run.reported
        files: Repository | None = None
        if self._repository is not None:
            files = RemoteRepository(self._repository)
        elif self.options.repo is not None:
            from gate.adapters.git.clone import Clone
            from gate.app.repositories import CloneRepository

            files = CloneRepository(await Clone.open(self.options.repo))
        return await resolve_intended(self.options.revision, chosen.settings, reported, files, files)

    def _wanted(self, chosen: Chosen) -> Wanted:
        settings = chosen.settings.approval
        given = self.approval.max_age
        max_age = settings.max_age if given is None else given
        head = None if self.run is None else self.run.reported
        return Wanted(chosen.name, self.intended, chosen.settings, max_age, settings.soak, datetime.now(UTC), head)

    async def _store(self) -> EvidenceStore:
        """What was given, else the evidence branch: GitHub's, or that of the clone."""
        if self.approval.stored is not None:
            return stored_at(self.approval.stored)
        from gate.evidence.branch import BRANCH, BranchStore, CloneBranch, GitHubBranch

        name = self.options.evidence_branch or BRANCH
        if self._repository is not None:
            return BranchStore(GitHubBranch(self._repository, name))
        if self.options.repo is None:
            raise UsageError(
                "There is no evidence that the approval could rest on.",
                means="outside of a workflow it is read from a file, a folder, or a clone's evidence branch.",
                change="give --evidence, or --repo with a clone that has the evidence branch.",
            )
        from gate.adapters.git.clone import Clone

        return BranchStore(await CloneBranch.open(await Clone.open(self.options.repo), name))

    async def _check_pull(self) -> None:
        """Raise NotApproved unless the reported commit is the head of an open pull request, or a merge queue's."""
        run, repository = self.run, self._repository
        if run is None or repository is None or run.event == "merge_group":
            return
        from gate.adapters.github.pulls import read_pull

        number = await _number(run, repository)
        pull = await asked(read_pull(repository, number))
        if pull.state != "open":
            raise NotApproved(Reason.PULL_REQUEST_NOT_OPEN, f"pull request #{number} is closed")
        if pull.head != run.reported:
            raise NotApproved(
                Reason.PULL_REQUEST_MOVED,
                f"the head of pull request #{number} is {pull.head}; this run is about {run.reported}",
            )
        self.run = run.model_copy(update={"pull_request": number})

    def _refused(self, refused: NotApproved) -> Verdict:
        """The verdict of a refusal; it keeps the layers where the service was judged by then."""
        if self.verdict is not None:
            said = {"word": VerdictWord.HELD, "reason": refused.reason, "message": refused.message, "final": True}
            return self.verdict.model_copy(update={**said, "failed_layer": None, "at": datetime.now(UTC)})
        return Verdict(
            word=VerdictWord.HELD,
            reason=refused.reason,
            message=refused.message,
            final=True,
            environment=self.options.environment,
            intended=self.intended,
            at=datetime.now(UTC),
        )

    def _approved(self, basis: EvidenceFile, verdict: Verdict) -> Verdict:
        """The verdict of now, saying which evidence it rests on beside its own."""
        run = f"run {basis.run.id}, given {full_time(basis.verdict.at)}"
        notes = [f"Approval: rests on evidence {basis.digest} of {run}, and on this second look."]
        if self._repository is None:
            notes.append(
                "Outside of a workflow GitHub is not asked about the pull request and the run behind the evidence."
            )
        return verdict.model_copy(update={"notes": (*notes, *verdict.notes)})


async def _number(run: Run, repository: GitHubRepository) -> int:
    """The pull request that the event is about, or whose head the reported commit is. Raises NotApproved."""
    if run.pull_request is not None:
        return run.pull_request
    from gate.adapters.github.pulls import find_pull_request

    found = await find_pull_request(repository, commit=run.reported or "", waits=(0,))
    if found.number is None:
        raise NotApproved(Reason.PULL_REQUEST_NOT_OPEN, found.note.rstrip(".") or "there is no pull request")
    return found.number
