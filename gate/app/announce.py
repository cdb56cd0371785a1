"""Publishing on GitHub while the gate waits and when it ends; a failure never changes a verdict for the better."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from gate.adapters.github.client import GitHubClient, acting_account
from gate.adapters.github.comment import COMMENT_TIME, CommentPublisher
from gate.adapters.github.marker import Marker
from gate.adapters.github.models import PullRequestFound
from gate.adapters.github.pulls import INDEX_WAITS, find_pull_request, read_newer_head
from gate.adapters.github.reading import GitHubRepository
from gate.adapters.github.results import PublishOutcome, PublishResult
from gate.adapters.github.rules import read_branch_rules
from gate.adapters.github.status import StatusPublisher
from gate.app.leaving import Left
from gate.config.event import Run
from gate.observed import Present
from gate.outcomes import VerdictWord
from gate.reasons import Reason
from gate.render.comment import render_comment
from gate.render.publication import Publication
from gate.render.status import CommitStatus, render_status
from gate.verdict import Verdict

Say = Callable[[str], None]
"""Writes one line into the log."""

_CANCEL_COMMENT = 1.5
_CORRECTION = 30.0


class Place(NamedTuple):
    """One more commit that the status goes on. ``needed``: without it the verdict counts as not published."""

    repository: str
    commit: str
    needed: bool


@dataclass
class Announcer:
    """Publishes one run's verdict: pending as it waits, then the comment, then the final status.

    ``commit`` is the full id of the reported commit; ``also`` are further ones that get its status.
    ``base`` is the branch that a promotion goes into, where the next environment has one of its own;
    ``promotes``: there is a next environment.
    ``leave`` notes where a pending status stands, for the post step of a run that was killed.
    """

    client: GitHubClient
    run: Run
    commit: str
    environment: str
    began: datetime
    comment: bool
    author: str
    say: Say
    also: tuple[Place, ...] = ()
    base: str | None = None
    promotes: bool = False
    leave: Callable[[Left], None] = lambda _: None
    _noted: tuple[tuple[str, str], ...] = ()
    _latest: Verdict | None = None
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _pull: PullRequestFound | None = None
    _told: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Make the publishers of the status: they know what was said before."""
        self._status = self._publisher(self.run.repository, self.commit)
        self._others = [(self._publisher(place.repository, place.commit), place.needed) for place in self.also]

    def _publisher(self, repository: str, commit: str) -> StatusPublisher:
        return StatusPublisher(
            self.client,
            repository,
            commit,
            self.environment,
            target_url=self.run.run_url,
            read_only=self.run.read_only,
        )

    async def begin(self) -> None:
        """Say first of all that the verdict is pending, so that a skipped or killed run blocks.

        Whether a token that may be read-only is, shows now: then nothing more is attempted.
        """
        if not self.run.read_only:
            self._note()
        outcomes = await self._pending("waiting for evidence", quiet=self.run.maybe_read_only)
        if self.run.maybe_read_only and PublishOutcome.READ_ONLY_TOKEN in outcomes:
            self.run = self.run.model_copy(update={"read_only": True})
            self.__post_init__()

    def _note(self) -> None:
        """Note where a status of this run is not final."""
        places = [(self.run.repository, self.commit), *((place.repository, place.commit) for place in self.also)]
        statuses = (self._status, *(other for other, _ in self._others))
        still = tuple(place for place, status in zip(places, statuses, strict=True) if not status.final)
        if still != self._noted:
            self._noted = still
            self.leave(Left(environment=self.environment, run_url=self.run.run_url, commits=still))

    async def _pending(self, description: str, *, quiet: bool = False) -> list[PublishOutcome]:
        outcomes = []
        for status in (self._status, *(other for other, _ in self._others)):
            result = await status.publish_pending(description)
            outcomes.append(result.outcome)
            if not quiet or result.outcome is not PublishOutcome.READ_ONLY_TOKEN:
                self._tell(result)
        return outcomes

    def hear(self, verdict: Verdict) -> None:
        """Take note of a verdict that is not final; it is published when its time has come."""
        self._latest = verdict
        self._news.set()

    async def announce(self) -> None:
        """Publish pending verdicts until cancelled; runs beside the poll and never holds it up."""
        beside: list[asyncio.Task[object]] = []
        if self.comment:
            beside.append(asyncio.create_task(self._find_pull(INDEX_WAITS)))
        if self.promotes:
            beside.append(asyncio.create_task(self._tell_if_not_required()))
        try:
            while True:
                await self._news.wait()
                self._news.clear()
                if self._latest is not None and not self._latest.final:
                    await self._pending(render_status(self._latest).description)
        finally:
            for task in beside:
                task.cancel()

    async def end(self, verdict: Verdict, publication: Publication) -> tuple[PublishResult, ...]:
        """Publish the final verdict: comment first, so that a success is said last, once all is told."""
        results: list[PublishResult] = []
        if self.comment:
            results += await self._comment(verdict, publication)
        for other, needed in self._others:
            result = await other.publish_final(_final(verdict, results))
            self._tell(result)
            results += [result] if needed else []
        said = _final(verdict, results)
        results.append(await self._status.publish_final(said))
        if self.comment and said.state == "success" and results[-1].failed:
            refused = publication.model_copy(update={"refused": True})
            results += await self._comment(verdict, refused, within=_CORRECTION)
        for result in results:
            self._tell(result)
        if self._noted:
            self._note()
        return tuple(results)

    async def end_now(self, verdict: Verdict, publication: Publication) -> None:
        """The last word of a cancelled run, within three seconds: the status, then the comment if time is left."""
        statuses = (self._status, *(other for other, _ in self._others))
        for result in await asyncio.gather(*(one.publish_now(render_status(verdict)) for one in statuses)):
            self._tell(result)
        if self._noted:
            self._note()
        if self.comment and self._pull is not None and self._pull.number is not None:
            try:
                async with asyncio.timeout(_CANCEL_COMMENT):
                    await self._comment(verdict, publication)
            except TimeoutError:
                self.say("The comment was not updated: no time was left.")

    async def _find_pull(self, waits: Sequence[float] = (0,)) -> PullRequestFound:
        """The pull request to comment on. GitHub's index is behind after a merge: it is asked again while
        the gate waits for the verdict anyway, and once more at the end, which waits for nothing.
        """
        if self._pull is None or self._pull.number is None:
            self._pull = await find_pull_request(
                GitHubRepository(self.client, self.run.repository),
                commit=self.commit,
                from_event=self.run.pull_request,
                message=self.run.message,
                base=self.base,
                waits=waits,
            )
        return self._pull

    async def _tell_if_not_required(self) -> None:
        """Say it where a promotion can be merged whatever the verdict is; what cannot be read is passed over."""
        run = self.run
        branch = self.base or run.base_branch or run.proposed_to or run.head_branch
        if branch is None or branch == "HEAD":
            return
        rules = await read_branch_rules(GitHubRepository(self.client, run.repository), branch)
        context = f"gate/{self.environment}"
        if isinstance(rules, Present) and not rules.value.requires(context):
            self.say(
                f"No ruleset requires {context} on {branch}: unless classic branch protection does, a promotion can be"
                " merged without it. `gate doctor` tells what to add."
            )

    async def _comment(
        self, verdict: Verdict, publication: Publication, *, within: float = COMMENT_TIME
    ) -> list[PublishResult]:
        """Keep the comment; what promotes nothing starts none."""
        found = await self._find_pull()
        if found.number is None:
            self.say(found.note or "No pull request to comment on.")
            return []
        repository = GitHubRepository(self.client, self.run.repository)
        if found.how == "event" and self.run.event != "merge_group":
            head = await read_newer_head(repository, found.number, self.commit)
            if head is not None:
                self.say(
                    f"Pull request #{found.number} is at {head} by now: its comment is left to the run about that."
                )
                return []
        marker = Marker(
            environment=self.environment,
            commit=self.commit,
            run=self.run.run_id,
            attempt=self.run.attempt,
            began=self.began,
        )
        author = await acting_account(self.client, self.author)
        publisher = CommentPublisher(repository, found.number, marker, author=author, read_only=self.run.read_only)
        placed = publication.model_copy(update={"pull": found.number})
        text = render_comment(verdict, placed)
        return [await publisher.publish(text, within=within, create=not verdict.nothing_to_gate)]

    def _tell(self, result: PublishResult) -> None:
        """Say, each thing once, what was not published and why."""
        text = ""
        if result.failed:
            text = result.as_error().diagnostics()
        elif result.detail:
            text = f"The {result.what} was not published: {result.detail}."
        if text != "" and text not in self._told:
            self._told.add(text)
            self.say(text)


def _final(verdict: Verdict, before: list[PublishResult]) -> CommitStatus:
    """What a status says at the end: no success where something that came before it was not taken."""
    if verdict.word is VerdictWord.PASSED and any(result.failed for result in before):
        return CommitStatus("error", f"{Reason.NOT_PUBLISHED.value}: passed, but not all of it was published")
    return render_status(verdict)
