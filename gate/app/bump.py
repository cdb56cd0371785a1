"""One bump: write the new pin into the environment repository, then check it like any other commit."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from gate.adapters.github.commit import CommitPublisher
from gate.adapters.github.commit_models import Committed, Proposed
from gate.adapters.github.proposal import PullRequestPublisher
from gate.app.announce import Place
from gate.app.branch import Target, open_in_clone, open_on_github
from gate.app.check import Check
from gate.app.configuration import Chosen, read_settings
from gate.app.fault import fault_of
from gate.app.options import BumpOptions
from gate.app.pinning import Pinning, choose_targets, read_addresses
from gate.app.promotion import Question, ask
from gate.app.source import Source, open_source
from gate.config.bump import Bump as Settings
from gate.errors import ExitCode, GateError, UsageError
from gate.render.diff import render_diff
from gate.render.proposal import Proposal, render_commit_message, render_pull_request


@dataclass
class Bump(Check):
    """One run. ``made`` is the commit that was made, None where nothing had to be; ``diff`` what it would change.

    ``pull`` is the number of the pull request that proposes it.
    """

    bump: BumpOptions = field(default_factory=BumpOptions)
    made: str | None = None
    pull: int | None = None
    diff: str = ""
    _also: tuple[Place, ...] = ()
    _on: tuple[tuple[str, str | None], ...] = ()
    _source: Source | None = None

    async def _whole(self) -> ExitCode:
        done = False
        try:
            done = self.refused is None and await self._write()
        except GateError as error:
            self.refused = error
        except Exception as error:  # noqa: BLE001  # a fault of ours blocks, and is told on the commit
            self.refused = fault_of(error, self.environ)
        finally:
            if self._client is not None:
                self._client.close()
            self._client = self._announcer = None  # made anew, for the commits that are told
        if done:
            return ExitCode.PASSED
        if self.refused is not None:
            self._tell_where_asked()
        return await super()._whole()

    async def _ask(self, chosen: Chosen) -> Question:
        """What is meant is known: it was just pinned. What else the commits that are told promote is asked of each.

        One on another branch than the default one may be, or become, the head of a pull request.
        """
        if self.run is not None and self.refused is None:
            default = self.run.proposed_to or self.run.head_branch
            for commit, branch in self._on:
                to = None if branch in (None, default) else default or "HEAD"
                about = self.run.model_copy(update={"commit": commit, "proposed_to": to, "pull_request": None})
                question = await ask(chosen, self.options, about, self._client, pinned=True)
                if question.ended is not None and not question.ended.nothing_to_gate:
                    return question
        return Question(self.options)

    def _connect(self) -> None:
        super()._connect()
        if self._announcer is not None and self._also:
            self._announcer = replace(self._announcer, also=self._also)

    def _tell_where_asked(self) -> None:
        """An error is told on the commit that was to be pinned: nowhere, where it is none of this repository."""
        if self.run is None or (self._source is None and self.options.revision is None):
            return
        ours = self._source is not None and self._source.name == self.run.repository
        self.run = self.run.model_copy(update={"commit": self.intended if ours else "", "message": ""})

    async def _write(self) -> bool:
        """Write what is to be written; whether nothing is left to be checked. Raises GateError."""
        self._check_event()
        self._connect()
        settings = await read_settings(self.options, self.run, self._client, lambda _: None)
        targets = choose_targets(settings, self.options.environment, self.bump.application)
        branch = settings.bump.branch or settings.branch
        if self.run is not None and self._client is not None:
            target = await open_on_github(self._client, self.run, branch)
        else:
            target = await open_in_clone(self.options.repo, branch)
        addresses = await read_addresses(targets, target.files)
        self._source = await open_source(self.options, self.run, self._client, addresses)
        self.intended = await self._resolve(self._source)
        await self._source.check_allowed(self.intended, settings.bump.allowed_branch)
        pinning = Pinning(
            targets,
            self.intended,
            self._source.relate,
            allow_older=self.bump.allow_older or settings.bump.allow_older,
            rest=tuple(one for one in settings.applications if one not in targets) if self.bump.check else (),
        )
        after = await pinning.edit(target.files)  # what cannot be done is said before anything is begun
        if self.bump.dry_run:
            before = {path: await target.files.read(path) or "" for path in after}
            self.diff = render_diff(before, after)
            self.screen.say("This is what would be written." if self.diff else self._nothing)
            return True
        return await self._publish(pinning, target, settings.bump)

    def _check_event(self) -> None:
        """Raise UsageError where a pin may not be written for what this run is about."""
        if self.bump.dry_run:
            return
        if self.run is None:
            raise UsageError(
                "Nothing says which repository the pin is to be written to.",
                means="this does not run in a workflow.",
                change="run it in a workflow; here, --dry-run shows what it would do.",
            )
        if self.run.event.startswith("pull_request") or self.run.event == "merge_group" or self.run.is_fork:
            raise UsageError(
                f"No pin is written for the event {self.run.event}.",
                means="what is proposed there is not merged yet.",
                change="run mode: bump on push, workflow_dispatch or another event of a branch that is trusted.",
            )

    async def _resolve(self, source: Source) -> str:
        """The full id of the commit to pin, which exists: the one that was given, else the reported one."""
        given = self.options.revision
        if given is None and self.run is not None and source.name not in (None, self.run.repository):
            raise UsageError(
                f"No commit of {source.name} is named that is to be pinned.",
                means="the reported commit is one of the environment repository, and Argo CD deploys from another.",
                change="give the revision.",
            )
        name = given if given is not None else "HEAD" if self.run is None else self.run.commit
        found = await source.repository.resolve(name)
        self.screen.say(f"The revision to pin is {found}" + ("." if found == name else f", given as {name}."))
        return found

    @property
    def _nothing(self) -> str:
        return f"{self.options.environment} is pinned to {self.intended} already: nothing to write."

    async def _publish(self, pinning: Pinning, target: Target, settings: Settings) -> bool:
        """Commit or propose it; whether nothing is left to be checked."""
        assert target.repository is not None  # noqa: S101  # only a dry run reads a clone
        proposal = self._proposal(pinning)
        message = render_commit_message(proposal)
        if not settings.pull_request:
            publisher = CommitPublisher(target.repository, signed=settings.signed)
            committed = await publisher.commit(target.name, pinning.edit, message, tip=target.files.commit)
            self._stands(committed, settings)
            return not self.bump.check
        proposed = await PullRequestPublisher(target.repository, signed=settings.signed).propose(
            target.name,
            f"promote/{self.options.environment}/{self.intended[:7]}",
            pinning.edit,
            message,
            title=proposal.title,
            body=render_pull_request(proposal),
        )
        return self._proposed(proposed, settings)

    def _proposal(self, pinning: Pinning) -> Proposal:
        run, name = self.run, None if self._source is None else self._source.name
        return Proposal(
            self.options.environment,
            self.intended,
            tuple(pinning.before),
            self.options.revision,
            None if run is None else run.run_url,
            None if run is None or name is None else f"{run.server_url}/{name}/compare",
        )

    def _stands(self, committed: Committed, settings: Settings) -> None:
        """The pin stands in this commit: what is judged from now on, and which commits are told."""
        if committed.changed:
            self.made = committed.commit
            files = ", ".join(committed.files)
            self.screen.say(f"Pinned to {self.intended} by {committed.commit} on {committed.branch}: {files}.")
            if settings.signed and committed.verified is False:
                self.screen.say("GitHub does not call the commit's signature valid.")
        else:
            self.screen.say(self._nothing)
        assert self.run is not None and self._source is not None  # noqa: S101, PT018  # else nothing was written
        self.options = replace(self.options, revision=self.intended)
        name, ours = self._source.name, self.run.repository
        known = self.run.message if self.run.commit == self.intended else ""
        self._on = ((committed.commit, committed.branch),)
        if name == ours:
            self._on += ((self.intended, settings.allowed_branch),)
            self._also = (Place(ours, committed.commit, needed=True),)
            self.run = self.run.model_copy(update={"commit": self.intended, "message": known})
            return
        self._also = () if name is None else (Place(name, self.intended, needed=False),)
        self.run = self.run.model_copy(update={"commit": committed.commit, "message": ""})

    def _proposed(self, proposed: Proposed, settings: Settings) -> bool:
        if proposed.note:
            self.screen.say(proposed.note)
        if proposed.number is None:
            self._stands(proposed.committed, settings)
            return not self.bump.check
        self.pull = proposed.number
        self.made = proposed.committed.commit
        self.screen.say(
            f"Pull request #{proposed.number} proposes the pin: {proposed.url}. Nothing is deployed before it is"
            " merged, so that there is nothing to check yet."
        )
        return True
