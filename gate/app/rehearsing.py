"""Where a rehearsal's evidence comes from: a file, or a release that stands in the cluster now. Writes nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from gate.config.load import DEFAULT_FILE, named_environment, read_configuration, with_timeout
from gate.config.model import Environment
from gate.errors import UsageError
from gate.facts.bundle import Asked
from gate.facts.moment import GitRecord, Moment
from gate.rehearsal.passing import Passing

if TYPE_CHECKING:  # what only --live needs is imported there
    from gate.adapters.github.client import GitHubClient
    from gate.app.options import CheckOptions
    from gate.decide import Decision
    from gate.verdict import Verdict

_BEYOND_SETTLING = timedelta(seconds=30)
_LATE = 15.0


def configured(config: str | None, name: str | None) -> tuple[str, Environment]:
    """The environment of a configuration file; raises ConfigurationError or UsageError."""
    return named_environment(read_configuration(Path(DEFAULT_FILE if config is None else config)), name)


def read_saved(path: Path, config: str | None, name: str | None) -> Passing:
    """The run in a recording or an evidence file, asked what the configuration asks.

    Without ``config`` that is what the file itself was asked. Raises UsageError for a file that cannot be used.
    """
    from gate.evidence.documents import load_documents
    from gate.evidence.record import is_evidence

    try:
        documents = load_documents(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        said = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UsageError(f"{path} cannot be read: {said}.") from error
    if len(documents) != 1:
        raise UsageError(f"{path} holds {len(documents)} documents.", change="give a file with one recording in it.")
    saved = _evidence(documents[0]) if is_evidence(documents[0]) else _recording(documents[0], config, name)
    if any(later.now < before.now for before, later in pairwise(saved.moments)):
        raise UsageError(f"{path}: its moments are out of order.", change="put each after the one before it, by now.")
    if config is None and name in (None, saved.asked.environment):
        return saved
    if config is None:
        raise UsageError(
            f"{path} is of the environment {saved.asked.environment}, not of {name}.",
            change="leave --environment out, or give --config as well.",
        )
    known, settings = configured(config, name)
    return Passing(Asked(saved.asked.intended, known, settings), saved.git, saved.moments)


def _recording(raw: object, config: str | None, name: str | None) -> Passing:
    from gate.evidence.recording import parse_recording

    recording = parse_recording(raw)
    asked = recording.asked
    if config is None and isinstance(raw, dict) and raw.get("config") is None:
        known, settings = configured(None, name)
        asked = Asked(asked.intended, known, settings)
    return Passing(asked, recording.git, recording.moments)


def _evidence(raw: object) -> Passing:
    from gate.evidence.moments import moment_of
    from gate.evidence.record import parse_evidence
    from gate.evidence.recorder import merged
    from gate.evidence.redecide import asked_of, check_verdict

    evidence = parse_evidence(raw)
    check_verdict(evidence)
    git = GitRecord() if evidence.cut is None else evidence.cut.git
    for poll in evidence.polls:
        git = merged(git, poll.git)
    objects = dict(enumerate(evidence.objects))
    return Passing(asked_of(evidence), git, tuple(moment_of(poll, objects) for poll in evidence.polls))


@dataclass
class _Kept:
    """The moments of a poll."""

    moments: list[Moment] = field(default_factory=list)

    def record(self, moment: Moment, _decision: Decision) -> None:
        """Keep one."""
        self.moments.append(moment)

    def tell(self, _verdict: Verdict) -> None:
        """Nobody waits for verdicts here."""


def _live_pin(moment: Moment, settings: Environment) -> str:
    """What the first Application that can be read is pinned to."""
    from gate.facts.bundle import read_facts
    from gate.layers.finding import Missing, seen
    from gate.layers.sources import read_sources

    facts = read_facts(Asked("", "", settings), moment, GitRecord())
    for one in facts.applications:
        try:
            return read_sources(seen(one.first), one.source, "", one.what).gated[0].pin
        except Missing:
            continue
    said = "; ".join(f"{read.what}: {read.error}" for read in moment.unreadable[:3])
    raise UsageError(
        f"No Application of the configuration can be read{f' ({said})' if said else ''}.",
        means="it is not there, is called otherwise, or access is not granted.",
        change="look at applications in the configuration, and at argocd.namespace.",
    )


def _github(options: CheckOptions, environ: Mapping[str, str]) -> GitHubClient | None:
    """GitHub, to read Git facts from, where there is a token and no clone."""
    if not options.has_github or options.repo is not None:
        return None
    from gate.app.connecting import connect_github

    return connect_github(options, None, environ)


async def read_live(options: CheckOptions, settings: Environment, environ: Mapping[str, str]) -> Passing:
    """The moments of a release that stands there now, until they pass or time is up.

    Without a revision what is pinned live is meant. Raises AccessError or UsageError. Nothing is written: the
    one refresh that a configuration may allow is not asked for.
    """
    from gate.app.clusters import open_clusters
    from gate.app.intended import resolve_intended
    from gate.app.repositories import open_repositories
    from gate.app.requests import make_send, resolve_headers
    from gate.history import History
    from gate.judge import Judge
    from gate.observe import Observer
    from gate.poll import Poll

    asked_for = settings.policy.settle + _BEYOND_SETTLING if options.timeout is None else options.timeout
    settings = with_timeout(settings, asked_for)
    deadline_at, late = datetime.now(UTC) + asked_for, time.monotonic() + asked_for.total_seconds() + _LATE
    headers, client, kept = resolve_headers(settings, environ), _github(options, environ), _Kept()
    async with AsyncExitStack() as stack:
        if client is not None:
            stack.callback(client.close)
        clusters = await stack.enter_async_context(open_clusters(settings, options.cluster, environ, late))
        send = make_send(settings, clusters.workloads, headers, environ)
        observer = Observer(settings, clusters.argocd, clusters.workloads, send, headers)
        first = await observer.read_applications()
        repositories = await open_repositories(options, None, client, first.applications)
        given = options.revision or _live_pin(first, settings)
        intended = await resolve_intended(given, settings, None, None, repositories.source)
        judge = Judge(Asked(intended, options.environment, settings, deadline_at))
        history = History(repositories.git, repositories.why)
        await Poll(observer, judge, history, asyncio.Event(), kept.tell, record=kept.record).run()
    return Passing(Asked(intended, options.environment, settings), judge.git, tuple(kept.moments))
