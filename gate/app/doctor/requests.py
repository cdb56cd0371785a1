"""Whether each request answers now, and whether what is expected of it can tell releases apart. Pure."""

from collections.abc import Iterator, Mapping

from gate.config.model import Environment, Request
from gate.errors import UsageError
from gate.facts.application import Application
from gate.facts.bundle import Asked, Facts
from gate.facts.release import Release
from gate.facts.workload import Deployment
from gate.layers.finding import Clock, Missing
from gate.layers.readiness.deployment import read_release
from gate.layers.readiness.kinds import managed
from gate.layers.request.judge import judge_requests
from gate.observed import Present
from gate.outcomes import Outcome
from gate.reasons import Reason
from gate.render.findings import Finding, ok, problem, warning

_TREE = "tree"


def missing_variables(request: Request, environ: Mapping[str, str]) -> Iterator[Finding]:
    """A problem for each variable that a header's value should come from."""
    for header, variable in request.headers.items():
        if environ.get(variable, "") == "":
            yield problem(
                f"request {request.name}",
                f"The environment variable {variable} is not set here, for the header {header}.",
                "env:",
                f"  {variable}: ${{{{ secrets.{variable} }}}}",
                to="add to the step that uses the action",
            )


def releases_of(facts: Facts) -> tuple[Release, ...]:
    """The Deployments of all Applications, with what belongs to them, as far as they can be read."""
    found: list[Release] = []
    for one in facts.applications:
        if isinstance(one.first, Present):
            found += _of(one.first.value, facts)
    return tuple(found)


def _of(app: Application, facts: Facts) -> Iterator[Release]:
    for one in managed(app):
        if (one.group, one.kind) != ("apps", "Deployment"):
            continue
        fact = facts.cluster.one(Deployment, one.namespace or "", one.name or "")
        if not isinstance(fact, Present):
            continue
        try:
            yield read_release(facts.cluster, fact.value, f"Deployment {one.namespace}/{one.name}")
        except Missing:
            continue  # what cannot be read of it is told by the requests that go there


def examine_requests(asked: Asked, facts: Facts, skipped: frozenset[str]) -> list[Finding]:
    """What each request's answers of this moment come to; ``skipped`` names those that could not be sent."""
    releases, policy = releases_of(facts), asked.settings.policy
    clock = Clock(facts.now, {}, policy.degraded_grace, policy.settle)
    if not asked.settings.requests:
        line = "requests: [{name: version, service: NAMESPACE/NAME:PORT, path: /version, expect: {...}}]"
        return [problem("requests", "None is configured, so nothing can pass (NoRequest).", line, to=_to(asked))]
    findings = []
    for request in asked.settings.requests:
        if request.name not in skipped:
            alone = asked.settings.model_copy(update={"requests": (request,)})
            narrowed = Asked(asked.intended, asked.environment, alone, asked.deadline_at)
            findings.append(_examine(request, narrowed, facts, releases, clock))
    return findings


def _to(asked: Asked) -> str:
    return f"add to promotion-gate.yaml, to environments.{asked.environment}"


def _examine(request: Request, asked: Asked, facts: Facts, releases: tuple[Release, ...], clock: Clock) -> Finding:
    about = f"request {request.name}"
    if asked.intended == "":
        return warning(about, "It cannot be judged while no Application says which commit is deployed.")
    found = judge_requests(facts, asked, releases, None, clock).finding
    if found.outcome is Outcome.PASSED:
        return ok(about, f"{found.reason.value}: {found.message}.")
    tree = any(template.name == _TREE for template in request.expect.templates)
    if found.reason is Reason.IDENTITY_UNRESOLVED and tree:
        return warning(about, f"{found.message}: the tree is known to a check only, which reads Git.")
    return problem(about, f"{found.reason.value}: {found.message}.", f"gate explain {found.reason.value}", to="run")


def examine_identity(name: str, settings: Environment) -> list[Finding]:
    """Whether the configuration refuses what it must, by a rehearsal that is made up from it alone."""
    from gate.rehearsal.passing import generate
    from gate.rehearsal.rehearse import rehearse

    command = f"gate rehearse --environment {name}"
    try:
        rehearsal = rehearse(generate(settings, name), "generated", settings)
    except UsageError as error:
        return [warning("rehearsal", f"It cannot be made up: {error.happened}", f"{command} --live", to="run")]
    findings = [problem("rehearsal", advice) for advice in rehearsal.advice]
    findings += [warning("rehearsal", said) for said in rehearsal.warnings]
    tried, passing = len(rehearsal.alterations), rehearsal.passing
    if passing or not rehearsal.passed_unaltered:
        said = f"{len(passing)} of {tried} alterations pass that must be refused" if passing else "it does not pass"
        return [*findings, problem("rehearsal", f"{said}.", command, to="run")]
    if rehearsal.not_tried:
        said = f"{len(rehearsal.not_tried)} of the alterations could not be tried"
        return [*findings, problem("rehearsal", f"{said}.", command, to="run")]
    if rehearsal.advice:
        return findings
    return [*findings, ok("rehearsal", f"All {tried} alterations of made-up evidence are refused.")]
