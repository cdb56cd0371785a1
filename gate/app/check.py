"""One check from options to exit code: read, poll, publish, and end well however it ends.

What only a later step needs is imported there, so that the first request does not wait for it.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from gate.adapters.runner.hidden import KNOWN, learn
from gate.app.console import Screen
from gate.app.fault import fault_of
from gate.app.options import CheckOptions
from gate.app.recording import Recording
from gate.app.signals import cancel_on_signals
from gate.errors import Cancelled, ExitCode, GateError
from gate.outcomes import Layer, Outcome, VerdictWord

if TYPE_CHECKING:  # PyGithub and kubernetes are slow to import: pending is said before the second is needed
    from gate.adapters.github.client import GitHubClient
    from gate.app.announce import Announcer
    from gate.app.clusters import Clusters
    from gate.app.configuration import Chosen
    from gate.app.promotion import Question
    from gate.app.repositories import Repositories
    from gate.config.event import Run
    from gate.config.model import Environment
    from gate.render.publication import Publication
    from gate.verdict import Verdict

_LATE = 15.0
"""Seconds that reads may go on after the deadline, so that the last look can be finished."""


@dataclass
class Check:
    """One run. ``run`` of None: not in a workflow, so that nothing is published.

    ``refused``: what was given cannot be used; only this error is told. ``hide`` has the log hide a secret.
    """

    options: CheckOptions
    environ: Mapping[str, str] = field(repr=False)  # it holds secrets
    screen: Screen
    run: Run | None = None
    refused: GateError | None = None
    hide: Callable[[SecretStr], None] = learn
    began: datetime = field(default_factory=lambda: datetime.now(UTC))
    intended: str = ""
    verdict: Verdict | None = None
    deadline_at: datetime | None = None
    evidence: Path | None = None
    source_name: str | None = None
    unpublished: bool = False
    recording: Recording = field(default_factory=lambda: Recording(KNOWN))
    _near: asyncio.Event = field(default_factory=asyncio.Event)
    _client: GitHubClient | None = None
    _announcer: Announcer | None = None

    async def go(self) -> ExitCode:
        """Run to the end; the exit code. Raises nothing: every error becomes a published verdict."""
        task = asyncio.create_task(self._whole())
        cancelled = cancel_on_signals(task)
        try:
            return await task
        except asyncio.CancelledError:
            return await self._end_now(Cancelled(cancelled() or signal.SIGINT))
        except Exception as error:  # noqa: BLE001  # a fault while ending
            return await self._end_now(fault_of(error, self.environ))
        finally:
            if self._client is not None:
                self._client.close()

    async def _whole(self) -> ExitCode:
        try:
            verdict = await self._judge()
        except GateError as error:
            verdict = self._ended_by(error)
            if len(verdict.layers) > 0:  # else the verdict itself says it
                self.screen.say(error.diagnostics())
        except Exception as error:  # noqa: BLE001  # a fault of ours blocks, and is told without its text
            verdict = self._ended_by(fault_of(error, self.environ))
        return await self._end(verdict.without(self.recording.secrets))

    def _ended_by(self, error: GateError) -> Verdict:
        from gate.app.ending import ended_by

        return ended_by(error, self.options.environment, self.intended, self.verdict)

    async def _judge(self) -> Verdict:
        self._connect()
        if self.refused is not None:
            raise self.refused
        if self._announcer is not None:
            await self._announcer.begin()
        from gate.app.configuration import read_chosen

        chosen = await read_chosen(self.options, self.run, self._client, self.screen.say)
        if self._announcer is not None and chosen.following is not None:
            self._announcer.promotes, self._announcer.base = True, chosen.following.settings.branch
        question = await self._ask(chosen)
        self.options = question.options
        return question.ended or question.told(await self._look(chosen))

    async def _ask(self, chosen: Chosen) -> Question:
        from gate.app.promotion import ask

        return await ask(chosen, self.options, self.run, self._client)

    async def _look(self, chosen: Chosen) -> Verdict:
        """The environment's verdict by what its cluster says."""
        settings = chosen.settings
        async with AsyncExitStack() as stack:
            from gate.app.clusters import open_clusters

            self.deadline_at = datetime.now(UTC) + settings.timeout
            late = time.monotonic() + settings.timeout.total_seconds() + _LATE
            clusters = await stack.enter_async_context(
                open_clusters(settings, self.options.cluster, self.environ, late, self.hide)
            )
            for note in clusters.notes:
                self.screen.say(note)
            return await self._poll(settings, clusters, stack)

    def _connect(self) -> None:
        """GitHub, where there is a token or a workflow; a laptop's check reaches for no network but the cluster's."""
        run = self.run
        if run is None and not self.options.has_github:
            return
        from gate.app.connecting import connect_github, make_announcer

        self._client = connect_github(self.options, run, self.environ)
        if run is not None and self.options.publish:
            self._announcer = make_announcer(self.options, run, self._client, self.began, self.screen.say, self.environ)

    async def _poll(self, settings: Environment, clusters: Clusters, stack: AsyncExitStack) -> Verdict:
        from gate.app.requests import make_send, resolve_headers
        from gate.observe import Observer

        headers = resolve_headers(settings, self.environ)
        for secret in (value for values in headers.values() for value in values.values()):
            self.hide(secret)
        observer = Observer(
            settings=settings,
            argocd=clusters.argocd,
            cluster=clusters.workloads,
            send=make_send(settings, clusters.workloads, headers, self.environ, self.screen.say),
            headers=headers,
        )
        moment = await observer.read_applications()
        # The first answer is on its way before what judges it is loaded.
        from gate.app.refreshing import make_refresh
        from gate.app.repositories import open_repositories
        from gate.app.watching import Hints, end_task, watch_environment
        from gate.facts.bundle import Asked
        from gate.history import History
        from gate.judge import Judge
        from gate.poll import Poll

        repositories = await open_repositories(self.options, self.run, self._client, moment.applications)
        self.source_name = repositories.source_name
        self.intended = await self._intended(settings, repositories)
        judge = Judge(Asked(self.intended, self.options.environment, settings, self.deadline_at))
        changed, stop = asyncio.Event(), asyncio.Event()
        hints = Hints(changed, stop, self._near)
        watching = asyncio.create_task(watch_environment(clusters, settings, moment, hints))
        stack.push_async_callback(end_task, watching, stop)
        if self._announcer is not None:
            announcing = asyncio.create_task(self._announcer.announce())
            stack.push_async_callback(end_task, announcing, stop)
        history = History(repositories.git, repositories.why)
        refresh = make_refresh(settings, clusters, self.screen.say)
        record = self.recording.begin(judge.asked)
        return await Poll(observer, judge, history, changed, self._hear, refresh=refresh, record=record).run()

    async def _intended(self, settings: Environment, repositories: Repositories) -> str:
        from gate.app.intended import resolve_intended

        reported = self.run.reported if self.run is not None else None
        if reported is None and self.options.revision is None and repositories.source is not None:
            reported = await repositories.source.resolve("HEAD") if self.options.repo is not None else None
        return await resolve_intended(
            self.options.revision, settings, reported, repositories.environment, repositories.source
        )

    def _hear(self, verdict: Verdict) -> None:
        self.verdict = verdict = verdict.without(self.recording.secrets)
        if any(layer.layer is Layer.SYNC and layer.outcome is Outcome.PASSED for layer in verdict.layers):
            self._near.set()
        self.screen.hear(verdict)
        if self._announcer is not None:
            self._announcer.hear(verdict)

    async def _end(self, verdict: Verdict) -> ExitCode:
        """Evidence, the screen, then GitHub, then the exit code."""
        self._keep(verdict)
        publication = self.publication
        if self._announcer is not None and publication is not None:
            results = await self._announcer.end(verdict, publication)
            self.unpublished = verdict.word is VerdictWord.PASSED and any(result.failed for result in results)
        await self.recording.keep(self.options, self.run, self._client, self.screen.say)
        return ExitCode.COULD_NOT_PUBLISH if self.unpublished else verdict.exit_code

    async def _end_now(self, error: GateError) -> ExitCode:
        """The last word of a run that has only seconds left, or that failed at its own end."""
        verdict = self._ended_by(error).without(self.recording.secrets)
        publication = self.publication
        try:
            if self._announcer is not None and publication is not None:
                await self._announcer.end_now(verdict, publication)
            self._keep(verdict)
        except Exception as fault:  # noqa: BLE001  # nothing may hide why the run ended
            self.screen.say(fault_of(fault, self.environ).diagnostics())
        return error.exit_code

    def _keep(self, verdict: Verdict) -> None:
        """Remember, show and record the verdict. A disk that is full is said, and takes no verdict away."""
        self.verdict = verdict
        self.screen.end(verdict)
        try:
            written = self.recording.write(verdict, self.options.evidence, self.run)
        except OSError as error:
            self.screen.say(f"The evidence file could not be written: {error.strerror}.")
            return
        if written is not None:
            self.evidence = written.path
            if not written.follows:
                self.screen.say("The evidence file does not show why the verdict is so: that is a fault of the gate.")

    @property
    def publication(self) -> Publication | None:
        """Where the verdict's links lead; None outside of a workflow."""
        from gate.app.ending import publication_of

        made = None if self.run is None else publication_of(self.run, self.environ, self.source_name)
        told = {"refused": self.unpublished, "evidence_kept": self.recording.kept_where}
        return made if made is None else made.model_copy(update=told)
