"""Layer 1: is the intended commit what the live Application is told to deploy? Pure.

What it does not prove: that the commit was applied.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from gate.facts.application import Application
from gate.facts.bundle import ApplicationFacts, Asked, Facts
from gate.facts.commit import changes_since, relation
from gate.facts.upstream import is_full_id
from gate.layers.finding import Answer, Clock, Finding, Missing, ask, choose, held, need, seen
from gate.layers.sources import Sources, check_pins, not_pinned, read_sources
from gate.outcomes import Outcome
from gate.reasons import Reason
from gate.verdict import Changes, CommitSummary, Evidence


@dataclass(frozen=True)
class Intent:
    """The layer's answer, and what the next layers need of it."""

    answer: Answer
    pinned: bool = False
    newer: str | None = None


def _owner(app: Application) -> str | None:
    """Who writes the Application's spec, as it names them; None where it names nobody."""
    owners = app.metadata.owner_references or ()
    names = [f"{owner.kind} {owner.name}" for owner in owners]
    tracking = app.metadata.annotation("argocd.argoproj.io/tracking-id")
    label = (app.metadata.labels or {}).get("app.kubernetes.io/instance")
    if tracking is not None:
        names.append(f"the parent Application {tracking.partition(':')[0]}")
    elif label is not None and label != app.metadata.name:
        names.append(f"the parent Application {label} (by its label app.kubernetes.io/instance)")
    return " and ".join(names) or None


def _superseded(facts: Facts, asked: Asked, sources: Sources, what: str) -> Finding | None:
    for source in sources.gated:
        if source.pin != asked.intended and relation(facts.git, asked.intended, source.pin) == "ahead":
            return Finding(
                Outcome.SUPERSEDED,
                Reason.NEWER_COMMIT_PINNED,
                f"{what} is pinned to {source.pin}, a descendant of the intended {asked.intended}",
                final=True,
            )
    return None


def _identity(app: Application, what: str) -> Finding | None:
    need(app.metadata.uid, what, "metadata.uid")
    if app.metadata.deletion_timestamp is not None:
        return held(Reason.APPLICATION_DELETING, f"{what} is being deleted (metadata.deletionTimestamp is set)")
    hydrator = app.spec.source_hydrator
    if hydrator is not None and len(hydrator) > 0:
        return held(
            Reason.HYDRATOR_NOT_SUPPORTED,
            f"{what} uses spec.sourceHydrator, whose synced revisions are not the intended commits",
            final=True,
        )
    return None


def _pin(facts: Facts, asked: Asked, sources: Sources, app: Application, what: str, before: bool) -> Iterator[Finding]:
    loose = check_pins(sources, what)
    if loose is not None:
        yield loose
        return
    newer = _superseded(facts, asked, sources, what)
    other = not_pinned(sources, asked.intended, what)
    if newer is not None:
        yield newer
    elif other is not None and before:
        yield held(
            Reason.PIN_MOVED_BACK,
            f"{other.message}; it was pinned to it earlier, and is written back by"
            f" {_owner(app) or 'nothing that the Application names'}",
        )
    elif other is not None:
        owner = _owner(app)
        who = "nothing that it names writes its spec" if owner is None else f"its spec is written by {owner}"
        yield replace(other, message=f"{other.message}; {who}")


def _commit(commit: CommitSummary) -> tuple[Evidence, ...]:
    what = f"commit {commit.id}"
    values = (("tree", commit.tree), ("parents", " ".join(commit.parents) or "none"), ("subject", commit.subject))
    return tuple(Evidence(label="declared", subject=what, field=name, value=value) for name, value in values)


def judge_intent(facts: Facts, asked: Asked, one: ApplicationFacts, clock: Clock, *, pinned_before: bool) -> Intent:
    """Judge one Application's pin against the intended commit."""
    what = one.what
    evidence: tuple[Evidence, ...] = ()
    found: list[Finding] = []
    pinned, newer = False, None
    try:
        app = seen(one.first, Reason.APPLICATION_ABSENT)
        sources = read_sources(app, one.source, asked.intended, what)
        evidence = tuple(
            Evidence(
                label="declared",
                subject=what,
                field=sources.field(source),
                value=source.pin,
                expected=asked.intended if source.gated else None,
            )
            for source in sources.items
        )
        found = ask(
            (
                lambda: _identity(app, what),
                lambda: _pin(facts, asked, sources, app, what, pinned_before),
                lambda: _known(facts),
            )
        )
        pinned = all(source.pin == asked.intended for source in sources.gated)
        newer = next(
            (source.pin for source in sources.gated if any(one.outcome is Outcome.SUPERSEDED for one in found)), None
        )
    except Missing as missing:
        found = [missing.finding]
    passed = Finding(Outcome.PASSED, Reason.PINNED_TO_INTENDED, f"{what} is pinned to {asked.intended}")
    return Intent(choose(found, passed, clock, evidence), pinned, newer)


def _known(facts: Facts) -> Finding | None:
    seen(facts.commit, Reason.COMMIT_UNKNOWN)
    return None


def commit_evidence(facts: Facts) -> tuple[Evidence, ...]:
    """The intended commit as evidence; empty while Git has not said anything about it."""
    try:
        return _commit(seen(facts.commit))
    except Missing:
        return ()


def deployed_before(one: ApplicationFacts, asked: Asked) -> str | None:
    """The revision deployed before the intended one, as the Application's history tells; None if it does not."""
    try:
        app = seen(one.first)
        sources = read_sources(app, one.source, asked.intended, one.what)
    except Missing:
        return None
    index = sources.gated[0].index
    history = (app.status.history if app.status is not None else None) or ()
    for entry in reversed(history):
        several = entry.revisions or ()
        revision = entry.revision if not sources.many else (several[index] if index < len(several) else None)
        if revision is not None and revision not in ("", asked.intended):
            return revision
    return None


def changes(facts: Facts, asked: Asked) -> Changes | None:
    """What changed since the revision deployed before; None where no earlier one is known."""
    for one in facts.applications:
        before = deployed_before(one, asked)
        if before is not None:
            return changes_since(facts.git, before, asked.intended)
    return None


def unknown_relations(facts: Facts, asked: Asked) -> tuple[tuple[str, str], ...]:
    """The pairs (base, head) of commits whose relation Git has not told yet and the layer could use.

    The intended commit to every other pin (is it newer?), and the revision deployed before to
    the intended commit (what changed?).
    """
    pairs: list[tuple[str, str]] = []
    for one in facts.applications:
        try:
            sources = read_sources(seen(one.first), one.source, asked.intended, one.what)
        except Missing:
            continue
        pairs += [(asked.intended, source.pin) for source in sources.gated if source.pin != asked.intended]
        before = deployed_before(one, asked)
        if before is not None:
            pairs.append((before, asked.intended))
    full = [pair for pair in dict.fromkeys(pairs) if is_full_id(pair[0]) and is_full_id(pair[1])]
    return tuple(pair for pair in full if relation(facts.git, *pair) == "unknown")
