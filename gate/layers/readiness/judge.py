"""Layer 3 as a whole, for one Application. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from gate.facts.application import Application
from gate.facts.bundle import ApplicationFacts, Asked, Facts
from gate.facts.endpoints import Service
from gate.facts.release import Release, selects, service_of
from gate.facts.workload import Deployment, Event
from gate.layers.applied import Applied
from gate.layers.finding import Answer, Clock, Finding, Missing, ask, choose, held, need, pending, seen
from gate.layers.readiness.deployment import check_counters, check_standing, read_release
from gate.layers.readiness.endpoints import check_backends, check_service
from gate.layers.readiness.evidence import release_evidence
from gate.layers.readiness.health import check_health
from gate.layers.readiness.kinds import JUDGED, check_kind, managed
from gate.layers.readiness.pods import check_images, check_pods, check_troubles
from gate.observed import Present
from gate.outcomes import Outcome
from gate.reasons import Reason

_AFTER_OPERATION = timedelta(seconds=1)


@dataclass(frozen=True)
class Readiness:
    """The layer's answer, and the releases it rests on (for the request layer's identity)."""

    answer: Answer
    releases: tuple[Release, ...] = ()


@dataclass(frozen=True)
class _Question:
    """What this layer is asked about: one Application in one moment."""

    facts: Facts
    asked: Asked
    one: ApplicationFacts
    app: Application
    sync: Applied

    @property
    def what(self) -> str:
        return self.one.what


def _releases(question: _Question) -> tuple[list[Release], list[Finding]]:
    """The Application's Deployments as they live, and findings for those that cannot be read."""
    releases: list[Release] = []
    found: list[Finding] = []
    applied = _applied(question) if question.sync.running_at_intended else None
    for entry in managed(question.app):
        if (entry.group or "", entry.kind or "") not in JUDGED:
            continue
        try:
            namespace = need(entry.namespace, question.what, "status.resources[].namespace")
            name = need(entry.name, question.what, "status.resources[].name")
            if applied is not None and (entry.kind, namespace, name) not in applied:
                continue
            what = f"Deployment {namespace}/{name}"
            deployment = seen(question.facts.cluster.one(Deployment, namespace, name), Reason.WORKLOAD_ABSENT)
            releases.append(read_release(question.facts.cluster, deployment, what))
        except Missing as missing:
            found.append(missing.finding)
    return releases, found


def _applied(question: _Question) -> set[tuple[str | None, str | None, str | None]]:
    """What the running operation has applied already."""
    status = question.app.status
    state = None if status is None else status.operation_state
    result = None if state is None else state.sync_result
    entries = (None if result is None else result.resources) or ()
    return {(one.kind, one.namespace, one.name) for one in entries if one.status == "Synced" and one.hook_type is None}


def _events(question: _Question, release: Release) -> tuple[Event, ...]:
    """Events only explain, so that a refused list of them keeps nothing from passing."""
    namespace = release.deployment.metadata.namespace or ""
    events = question.facts.cluster.all_of(Event, namespace)
    return events.value if isinstance(events, Present) else ()


def _workload(question: _Question, release: Release) -> Iterator[Finding]:
    yield from check_standing(release, question.sync.started_at)
    yield from check_troubles(release, _events(question, release))
    yield from check_counters(release)
    if release.deployment.spec.replicas is not None and release.new is not None:
        yield from check_pods(release, release.deployment.spec.replicas)
        yield from check_images(release)


def _services(question: _Question, releases: tuple[Release, ...]) -> Iterator[tuple[Service, str | None, str]]:
    """The Services to judge: those that requests name, and managed ones that select a release.

    Where there are several Applications, a Service that leads to another one's release is that one's to judge.
    """
    asked: dict[tuple[str, str], list[str]] = {}
    for request in question.asked.settings.requests:
        place = service_of(request)
        if place is not None:
            asked.setdefault(place[:2], []).append(place[2])
    namespaces = {release.deployment.metadata.namespace for release in releases}
    for (namespace, name), ports in asked.items():
        if namespace in namespaces:
            what = f"Service {namespace}/{name}"
            service = seen(question.facts.cluster.one(Service, namespace, name), Reason.SERVICE_ABSENT)
            ours = len(question.facts.applications) == 1 or any(selects(service, release) for release in releases)
            for port in ports if ours else ():
                yield service, port, what
    for entry in managed(question.app):
        if entry.kind == "Service" and (entry.group or "") == "" and (entry.namespace, entry.name) not in asked:
            what = f"Service {entry.namespace}/{entry.name}"
            service = seen(
                question.facts.cluster.one(Service, entry.namespace or "", entry.name or ""), Reason.SERVICE_ABSENT
            )
            if any(selects(service, release) for release in releases):
                yield service, None, what


def _endpoints(question: _Question, releases: tuple[Release, ...]) -> Iterator[Finding]:
    policy = question.asked.settings.policy
    judged = list(_services(question, releases))
    addressed = {f"Deployment {one.workload}" for one in question.asked.settings.requests if one.workload is not None}
    for release in releases:
        if release.what in addressed and not any(selects(service, release) for service, _, _ in judged):
            message = (
                f"{release.what}: no Service of {question.what} leads to it, so no endpoints show which Pods answer"
            )
            yield held(Reason.NO_READY_ENDPOINTS, message)
    for service, port, what in judged:
        found = list(check_service(service, what, policy))
        yield from found
        if not found:
            yield from check_backends(question.facts.cluster, service, port, releases, what)


def check_expected(asked: Asked, what: str, releases: tuple[Release, ...]) -> Iterator[Finding]:
    """What the configuration says must exist, among all releases of the environment."""
    for wanted in asked.settings.workloads:
        matches = [one for one in releases if one.deployment.metadata.name == wanted.name]
        matches = [one for one in matches if wanted.namespace in (None, one.deployment.metadata.namespace)]
        if not matches:
            yield held(
                Reason.EXPECTED_WORKLOAD_ABSENT, f"{what}: {wanted.kind} {wanted.name} is expected, and not managed"
            )
        for one in matches:
            if wanted.replicas is not None and one.deployment.spec.replicas != wanted.replicas:
                yield held(
                    Reason.REPLICAS_NOT_AS_EXPECTED,
                    f"{one.what}: spec.replicas is {one.deployment.spec.replicas}; expected {wanted.replicas}",
                )


def _early(question: _Question) -> Finding | None:
    finished = question.sync.finished_at
    if finished is None or question.facts.now < finished + _AFTER_OPERATION:
        shown = "not there" if finished is None else finished.isoformat()
        return pending(
            Reason.READ_TOO_EARLY, f"{question.what}: objects were read within 1 s of the operation's end ({shown})"
        )
    return None


def _kinds(question: _Question) -> Iterator[Finding]:
    entries = managed(question.app)
    unjudged = question.asked.settings.policy.unjudged_kinds
    for entry in entries:
        finding = check_kind(entry, unjudged, question.what)
        if finding is not None:
            yield finding
    if not any((entry.group or "", entry.kind or "") in JUDGED for entry in entries):
        yield held(Reason.NO_WORKLOAD, f"{question.what} manages no Deployment, so nothing shows that a release runs")


def judge_readiness(facts: Facts, asked: Asked, one: ApplicationFacts, sync: Applied, clock: Clock) -> Readiness:
    """Judge one Application's live objects. While its operation runs, it may fail and never pass."""
    app = seen(one.first, Reason.APPLICATION_ABSENT)
    question = _Question(facts, asked, one, app, sync)
    releases, found = _releases(question)
    kept = tuple(releases)
    evidence = [item for release in kept for item in release_evidence(release, _events(question, release))]
    for release in kept:
        found += ask((lambda release=release: _workload(question, release),))  # type: ignore[misc]  # early binding
    if sync.running_at_intended:
        waiting = pending(
            Reason.AWAITING_SYNC, f"{one.what}: the operation that applies the intended commit is running"
        )
        grave = [finding for finding in found if finding.outcome is Outcome.FAILED or finding.grace is not None]
        return Readiness(choose([*grave, waiting], waiting, clock, evidence), kept)
    found += ask((lambda: _kinds(question),))
    if len(facts.applications) == 1:
        found += check_expected(asked, one.what, kept)
    found += ask((lambda: _endpoints(question, kept), lambda: check_health(app, one.what), lambda: _early(question)))
    passed = Finding(
        Outcome.PASSED,
        Reason.REPLICAS_READY,
        "; ".join(
            f"{release.what}: {len(release.ready)} of {release.deployment.spec.replicas} replicas ready"
            for release in kept
        ),
    )
    return Readiness(choose(found, passed, clock, evidence), kept)
