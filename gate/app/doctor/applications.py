"""Whether the Applications are there, pinned, synced by themselves, and hold nothing that cannot be judged. Pure."""

from collections.abc import Iterator

from gate.facts.application import Application
from gate.facts.bundle import ApplicationFacts, Facts
from gate.facts.project import AppProject
from gate.layers.finding import Missing
from gate.layers.readiness.kinds import check_kind, managed
from gate.layers.sources import check_pins, read_sources
from gate.observed import Absent, Present, Unreadable
from gate.reasons import Reason
from gate.render.findings import Finding, ok, problem, warning

_FILE = "add to promotion-gate.yaml, to the environment"
_MANIFEST = "write into the Application's manifest in Git"


def examine_applications(facts: Facts, unjudged: tuple[str, ...]) -> list[Finding]:
    """Everything about every Application; ``unjudged`` are the kinds that the configuration leaves unjudged."""
    if not facts.applications:
        return [problem("Applications", "None is configured or selected.")]
    return [finding for one in facts.applications for finding in _examine(one, facts, unjudged)]


def _examine(one: ApplicationFacts, facts: Facts, unjudged: tuple[str, ...]) -> Iterator[Finding]:
    if isinstance(one.first, Absent):
        change = "applications: [{name: NAME}]   # and argocd: {namespace: NAMESPACE}"
        yield problem(one.what, "It is not there.", change, to="correct in promotion-gate.yaml")
        return
    if isinstance(one.first, Unreadable):
        yield problem(one.what, f"It cannot be read: {one.first.error}.")
        return
    app = one.first.value
    yield from _pins(one, app)
    yield from _syncing(one.what, app)
    yield from _project(one.what, app, facts)
    yield from _kinds(one.what, app, unjudged)


def _pins(one: ApplicationFacts, app: Application) -> Iterator[Finding]:
    try:
        sources = read_sources(app, one.source, "the intended commit", one.what)
    except Missing as missing:
        lines = ("source: 0   # or the name of the source that is promoted",)
        chosen = missing.finding.reason in (Reason.SOURCE_NOT_CHOSEN, Reason.SOURCE_ABSENT)
        yield problem(one.what, _said(missing.finding.message), *(lines if chosen else ()), to=f"{_FILE}'s application")
        return
    moving = check_pins(sources, one.what)
    if moving is None:
        pins = ", ".join(f"{sources.field(source)} {source.pin}" for source in sources.gated)
        yield ok(one.what, f"Pinned by a full commit id: {pins}.")
        return
    line = "targetRevision: FULL_COMMIT_ID   # all 40 digits, as `git rev-parse` prints them"
    yield problem(one.what, f"{Reason.PIN_NOT_A_COMMIT.value}: {_said(moving.message)}", line, to=_MANIFEST)


def _syncing(what: str, app: Application) -> Iterator[Finding]:
    automated = app.spec.automated
    if automated is None:
        said = "Automated sync is off: each release waits for a person, and the gate ends as held until there was one."
        yield warning(what, said, "syncPolicy: {automated: {prune: true, selfHeal: true}}", to=_MANIFEST)
        return
    off = [name for name, on in (("prune", automated.prune), ("selfHeal", automated.self_heal)) if on is not True]
    if not off:
        yield ok(what, "Synced by Argo CD itself, with prune and selfHeal.")
        return
    costs = {
        "prune": "what a commit removes stays, and the gate ends as held then",
        "selfHeal": "what a hand changes in the cluster stays changed, and the gate ends as held then",
    }
    lines = (f"syncPolicy: {{automated: {{{', '.join(f'{name}: true' for name in off)}}}}}",)
    yield warning(what, f"{' and '.join(off)} off: {'; '.join(costs[name] for name in off)}.", *lines, to=_MANIFEST)


def _project(what: str, app: Application, facts: Facts) -> Iterator[Finding]:
    name, namespace = app.spec.project or "default", app.metadata.namespace or ""
    found = facts.cluster.one(AppProject, namespace, name)
    if isinstance(found, Present):
        windows = found.value.spec.sync_windows or ()
        said = f", with {len(windows)} sync window{'' if len(windows) == 1 else 's'}" if windows else ""
        yield ok(what, f"Its project {name} can be read{said}.")
    elif isinstance(found, Absent):
        yield problem(what, f"Its project {name} is not there: Argo CD syncs nothing for it.")
    else:
        yield warning(what, f"Its project {name} cannot be read ({found.error}): sync windows stay unknown.")


def _kinds(what: str, app: Application, unjudged: tuple[str, ...]) -> Iterator[Finding]:
    resources = managed(app)
    if not resources:
        yield problem(what, "status.resources is empty: it has deployed nothing yet, or was never compared.")
        return
    kinds: dict[str, Finding] = {}
    for one in resources:
        found = check_kind(one, unjudged, what)
        if found is None:
            continue
        kind = f"{one.kind}.{one.group}" if one.group else str(one.kind)
        lines = (f"policy: {{unjudged-kinds: [{kind}]}}   # its state is then not looked at",)
        fits = found.reason is Reason.NO_READINESS_RULE
        said = f"{found.reason.value}: {_said(found.message)}"
        kinds.setdefault(kind, problem(what, said, *(lines if fits else ()), to=_FILE if fits else ""))
    yield from kinds.values()
    if not kinds:
        names = ", ".join(dict.fromkeys(str(one.kind) for one in resources))
        yield ok(what, f"There is a rule for every kind that it manages: {names}.")


def _said(message: str) -> str:
    return f"{message}."
