"""Layer 4 as a whole: every sample of every configured request. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from gate.config.model import Allow, Request
from gate.config.templates import Unresolved
from gate.facts.bundle import Asked, Facts
from gate.facts.endpoints import Service
from gate.facts.moment import RawResponse, SeenBody
from gate.facts.release import Release, selects, service_of
from gate.layers.finding import Answer, Clock, Finding, Missing, ask, choose, held, pending, seen, unreadable
from gate.layers.request.faults import said_by_api_server, status_fault, transport_fault
from gate.layers.request.identity import release_values
from gate.layers.request.match import Check, match_body, see_body
from gate.observed import Present
from gate.outcomes import Outcome
from gate.reasons import Reason
from gate.verdict import Evidence

Values = dict[str, str | None]

_OLDEST = timedelta(seconds=60)
_SKEW = timedelta(seconds=5)


@dataclass(frozen=True)
class _Sample:
    """One sample judged: its fault (None when it matches) and what was compared."""

    fault: Finding | None
    checks: tuple[Check, ...] = ()


def _behind(facts: Facts, request: Request, releases: tuple[Release, ...]) -> tuple[Release, ...]:
    """The releases that the request reaches, as layer 3 has shown them."""
    if request.workload is not None:
        found = tuple(one for one in releases if one.what == f"Deployment {request.workload}")
        if not found:
            raise Missing(
                held(Reason.IDENTITY_UNRESOLVED, f"request {request.name}: no judged Deployment is {request.workload}")
            )
        return found
    place = service_of(request)
    if place is None:
        raise Missing(held(Reason.IDENTITY_UNRESOLVED, f"request {request.name} names no workload"))
    namespace, name, _ = place
    service = seen(facts.cluster.one(Service, namespace, name), Reason.SERVICE_ABSENT)
    found = tuple(one for one in releases if selects(service, one))
    if not found:
        raise Missing(
            held(
                Reason.IDENTITY_UNRESOLVED,
                f"request {request.name}: Service {namespace}/{name} selects no Deployment of the gated Applications",
            )
        )
    return found


def _fresh(response: RawResponse, question: "_Question", name: str) -> Finding | None:
    finished_at, clock, now = question.finished_at, question.clock, question.facts.now
    at = response.at
    if at is None:
        return held(Reason.EVIDENCE_MISSING, f"request {name}: an answer does not say when it came")
    too_old = at < now - _OLDEST or (finished_at is not None and at <= finished_at)
    if too_old or at > now + _SKEW or (clock.previous is not None and at <= clock.previous):
        return held(Reason.STALE_ANSWER, f"request {name}: an answer is of {at.isoformat()}, not of this moment")
    return None


def see_answer(request: Request, response: RawResponse, values: Mapping[str, str | None]) -> SeenBody | None:
    """What is to be seen of an answer's body for this request; None for an answer without one."""
    if response.seen is not None or response.body is None:
        return response.seen
    seen = see_body(request.expect, response.body, values)
    return seen.model_copy(update={"server_said": said_by_api_server(response)})


def _body(request: Request, response: RawResponse, values: Mapping[str, str | None]) -> _Sample:
    seen = see_answer(request, response, values)
    if seen is None:
        return _Sample(held(Reason.EVIDENCE_MISSING, f"request {request.name}: an answer has no body"))
    try:
        checks = tuple(match_body(request.expect, seen, values))
    except (Unresolved, ValueError) as error:
        return _Sample(held(Reason.IDENTITY_UNRESOLVED, f"request {request.name}: {error}"))
    wrong = next((check for check in checks if not check.matches), None)
    if wrong is None:
        return _Sample(None, checks)
    message = (
        f"request {request.name} by {response.route}: {wrong.field} is {wrong.observed!r}; expected {wrong.expected!r}"
    )
    key = f"request|{request.name}|{wrong.reason}"
    return _Sample(replace(pending(wrong.reason, message, bad=True), twice=key), checks)


def _sample(request: Request, response: RawResponse, values: Mapping[str, str | None]) -> _Sample:
    fault = transport_fault(request, response) or status_fault(request, response)
    return _Sample(fault) if fault is not None else _body(request, response, values)


def _mixed(samples: list[_Sample], name: str) -> Finding | None:
    """One finding over all samples of a request: a fault seen in only some of them is not final."""
    faults = [sample.fault for sample in samples if sample.fault is not None]
    if not faults:
        return None
    first = faults[0]
    if len(faults) == len(samples) and all(fault.reason is first.reason for fault in faults):
        return first
    return pending(
        Reason.MIXED_ANSWERS,
        f"request {name}: {len(faults)} of {len(samples)} samples are wrong: {first.message}",
        bad=any(fault.bad for fault in faults),
    )


@dataclass(frozen=True)
class _Question:
    """What all requests of one moment are judged against."""

    facts: Facts
    asked: Asked
    releases: tuple[Release, ...]
    finished_at: datetime | None
    clock: Clock


def identity_values(request: Request, facts: Facts, asked: Asked, releases: tuple[Release, ...]) -> Values:
    """What the intended release calls itself, for this request; raises Missing where that is not known."""
    summary = facts.commit.value if isinstance(facts.commit, Present) else None
    behind = _behind(facts, request, releases)
    values = release_values(behind[0], asked.intended, summary)
    for other in behind[1:]:
        theirs = release_values(other, asked.intended, summary)
        values = {name: value for name, value in values.items() if theirs.get(name) == value}
    return values


def _request(request: Request, question: _Question, evidence: list[Evidence]) -> Iterator[Finding]:
    facts, name = question.facts, request.name
    if not request.expect.identity and not question.asked.settings.policy.allows(Allow.ANSWERS_WITHOUT_IDENTITY):
        yield held(
            Reason.NO_RELEASE_IDENTITY,
            f"request {name}: nothing in its expectation tells releases apart",
            final=True,
        )
    refused = facts.refused_requests.get(name)
    if refused is not None:
        yield unreadable(refused)
    responses = [one for one in facts.responses if one.request == name]
    if len(responses) < request.samples:
        yield held(
            Reason.TOO_FEW_SAMPLES, f"request {name}: {len(responses)} samples; expected at least {request.samples}"
        )
        return
    stray = next((one.route for one in responses if one.route != request.by_route), None)
    if stray is not None:
        yield held(Reason.WRONG_ROUTE, f"request {name}: an answer came by {stray}; expected {request.by_route}")
    for response in responses:
        stale = _fresh(response, question, name)
        if stale is not None:
            yield stale
            return
    values = identity_values(request, facts, question.asked, question.releases)
    samples = [_sample(request, response, values) for response in responses]
    evidence.extend(_rows(request, responses, samples))
    fault = _mixed(samples, name)
    if fault is not None:
        yield fault if fault.twice is None else replace(fault, twice=f"{fault.twice}|{_rollouts(question.releases)}")


def _rollouts(releases: tuple[Release, ...]) -> str:
    """Which rollouts answered: two bundles agree on a wrong answer only where these did not change."""
    workloads = [one.deployment.metadata for one in releases]
    return " ".join(f"{one.uid}.{one.generation}" for one in workloads)


def _rows(request: Request, responses: list[RawResponse], samples: list[_Sample]) -> Iterator[Evidence]:
    subject = f"request {request.name} by {request.by_route}"
    statuses = sorted({str(one.status if one.error is None else one.error) for one in responses})
    yield Evidence(
        label="observed",
        subject=subject,
        field="status",
        value=", ".join(statuses),
        expected=str(request.expect.status),
    )
    matching = sum(1 for sample in samples if sample.fault is None)
    yield Evidence(
        label="observed", subject=subject, field="samples that match", value=str(matching), expected=str(len(samples))
    )
    checks = {(check.field, check.observed, check.expected) for sample in samples for check in sample.checks}
    for field, observed, expected in sorted(checks):
        yield Evidence(label="observed", subject=subject, field=field, value=observed, expected=expected)


def judge_requests(
    facts: Facts, asked: Asked, releases: tuple[Release, ...], finished_at: datetime | None, clock: Clock
) -> Answer:
    """Judge every request of the environment against the releases that layer 3 has shown."""
    requests = asked.settings.requests
    question = _Question(facts, asked, releases, finished_at, clock)
    evidence: list[Evidence] = []
    found = ask(tuple(lambda one=one: _request(one, question, evidence) for one in requests))  # type: ignore[misc]
    if not requests:
        found.append(held(Reason.NO_REQUEST, "no request is configured, so nothing shows what users get", final=True))
    shown = ", ".join(f"{one.name} by {one.by_route}" for one in requests)
    blind = not any(one.expect.identity for one in requests)
    said = "answers, but does not tell releases apart" if blind else "every sample is of the intended release"
    passed = Finding(
        Outcome.PASSED,
        Reason.ANSWERS_WITHOUT_IDENTITY if blind else Reason.EXPECTED_ANSWER,
        f"{shown}: {said}",
    )
    return choose(found, passed, clock, evidence)
