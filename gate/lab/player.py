"""Plays scenarios: the world is changed, the gate is asked, and what it said is held against what it had to say.

The gate runs as in a workflow on the promotion pull request: the same code, with a kubeconfig and
an address of GitHub that lead into the laboratory.
"""

import asyncio
import itertools
import shlex
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from pydantic import SecretStr

from gate.app.approve import Approve
from gate.app.check import Check
from gate.app.options import ApproveOptions, CheckOptions, ClusterOptions
from gate.app.signals import cancel_on_signals
from gate.config.event import parse_run
from gate.config.payload import BranchPart, Payload, PullRequestPart, RepositoryPart
from gate.errors import Cancelled, ExitCode, InternalError, UsageError
from gate.lab.display import Display
from gate.lab.reporting import Reported, report_recovery
from gate.lab.repository import RepositoryError
from gate.lab.scenarios.act import Act, ReportAct, Scenario
from gate.lab.stage import ENVIRONMENT, PRODUCTION, REPOSITORY, SERVER_URL, Stage
from gate.lab.told import Told
from gate.lab.world import Laboratory
from gate.outcomes import VerdictWord

PREFIX = "promotion-gate-lab-"
"""How the temporary folders are called."""
BARE = Scenario("bare", "a first release, and nothing happens to it", ())
_BEGINNING = 30.0
_REPOSITORY_ID = 100


@dataclass
class Player:
    """``speed``: how much faster than real the models move. ``port``: of the API server, 0 for a free one.

    ``hear`` is told every verdict; ``played`` is what came of the acts so far, in order.
    """

    display: Display
    evidence: Path
    speed: float = 1.0
    port: int = 0
    hear: Callable[[Told], None] = lambda _: None
    played: list[Told | Reported] = field(default_factory=list)
    _runs: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def told(self) -> list[Told]:
        """The verdicts so far, in order."""
        return [one for one in self.played if isinstance(one, Told)]

    async def play_all(self, scenarios: Sequence[Scenario], *, stay: bool = False) -> None:
        """Play scenarios, each in a laboratory of its own; with ``stay`` keep the last one up until cancelled.

        Without any scenario only a first release is deployed. Raises Cancelled where a signal ends
        it, and UsageError where it cannot be set up or its files cannot be written.
        """
        task = _this_task()
        cancelled = cancel_on_signals(task)
        try:
            for scenario in scenarios or (BARE,):
                await self._play(scenario, stay=stay)
        except asyncio.CancelledError:
            raise Cancelled(cancelled() or signal.SIGINT) from None

    async def _play(self, scenario: Scenario, *, stay: bool) -> None:
        with _files_written(RepositoryError), ExitStack() as held:
            with _files_written(OSError):
                folder = Path(held.enter_context(tempfile.TemporaryDirectory(prefix=PREFIX)))
                lab = held.enter_context(Laboratory(folder, speed=self.speed, port=self.port))
                stage = Stage(lab, scenario.settings, self.display.typed)
                held.enter_context(stage.github)
            await self._on(stage, scenario)
            if stay:
                self.display.served(stage)
                await lab.failing()

    async def _on(self, stage: Stage, scenario: Scenario) -> None:
        self.display.scenario(scenario)
        first = scenario.begin(stage)
        if first is not None:
            await stage.lab.until(lambda: stage.is_there(first), _BEGINNING, "the first release to be there")
        for number, act in enumerate(scenario.acts, start=1):
            self.display.act(scenario, number)
            if isinstance(act, ReportAct):
                reported = await report_recovery(scenario, act, self.told, self.display.typed)
                self.played.append(reported)
                self.display.reported(reported)
            else:
                await self._judge(stage, scenario, act)

    async def _judge(self, stage: Stage, scenario: Scenario, act: Act) -> None:
        told = await self._ask(stage, scenario, act)
        # The check had the signals for itself.
        cancel_on_signals(_this_task())
        if told.verdict.word is VerdictWord.CANCELLED:
            raise Cancelled(told.code - 128)
        self.played.append(told)
        self.display.told(told)
        self.hear(told)

    async def _ask(self, stage: Stage, scenario: Scenario, act: Act) -> Told:
        commit = act.do(stage)
        number, before = stage.pull_request(), len(stage.github.statuses(commit))
        environ = self._environ(stage)
        run = parse_run(environ, _event(number, commit))
        if act.approval:
            self.display.typed(f"gate approve --environment {ENVIRONMENT} --evidence {shlex.quote(str(self.evidence))}")
        with self.display.screen(lambda: check.deadline_at) as screen:
            options = _options(stage, act, self.evidence)
            check = (
                Approve(options, environ, screen, run, approval=ApproveOptions(self.evidence))
                if act.approval
                else Check(options, environ, screen, run)
            )
            began = time.monotonic()
            code = await check.go()
        if check.verdict is None:
            raise InternalError("The check ended without a verdict.")
        comments = stage.github.comments(number)
        return Told(
            scenario=scenario,
            act=act,
            commit=commit,
            verdict=check.verdict,
            code=ExitCode(code),
            statuses=tuple((one["state"], one["description"] or "") for one in stage.github.statuses(commit)[before:]),
            comment=str(comments[-1]["body"]).partition("\n")[2].lstrip() if comments else "",
            evidence=check.evidence,
            seconds=time.monotonic() - began,
        )

    def _environ(self, stage: Stage) -> dict[str, str]:
        """What a workflow's runner would say; nothing of the real environment is passed on."""
        return {
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_SERVER_URL": SERVER_URL,
            "GITHUB_API_URL": stage.github.url,
            "GITHUB_RUN_ID": str(next(self._runs)),
            "GITHUB_RUN_ATTEMPT": "1",
            "HOME": str(stage.lab.folder),
        }


@contextmanager
def _files_written(refused: type[Exception]) -> Iterator[None]:
    """Make a UsageError of a laboratory whose own files cannot be written."""
    try:
        yield
    except refused as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(
            f"The laboratory's files could not be written: {why or 'no reason is known'}.",
            means="the disk that takes temporary files is full, or Git is too old.",
            change="make room there, or name another folder in the variable TMPDIR.",
        ) from error


def _this_task() -> asyncio.Task[object]:
    task = asyncio.current_task()
    if task is None:
        raise InternalError("The laboratory was played outside of a task.")
    return task


def _options(stage: Stage, act: Act, evidence: Path) -> CheckOptions:
    return CheckOptions(
        environment=ENVIRONMENT,
        cluster=ClusterOptions(kubeconfig=SecretStr(str(stage.lab.kubeconfig))),
        timeout=timedelta(seconds=act.timeout),
        evidence=evidence,
        github_token=SecretStr(stage.github.token),
        paced=False,
    )


def _event(number: int, commit: str) -> Payload:
    """What GitHub says when a commit is pushed to the promotion pull request."""
    repository = RepositoryPart(id=_REPOSITORY_ID)
    head = BranchPart(ref="main", sha=commit, repo=repository)
    base = BranchPart(ref=PRODUCTION, sha="e" * 40, repo=repository)
    pull = PullRequestPart(number=number, head=head, base=base)
    return Payload(repository=repository, pull_request=pull)
