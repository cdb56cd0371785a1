"""Evidence that should pass: the run of moments that a rehearsal alters, generated or read. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from gate.config.model import Environment, Request
from gate.config.templates import Unresolved
from gate.decide import Decision
from gate.errors import UsageError
from gate.facts.bundle import Asked
from gate.facts.moment import GitRecord, Moment, RawCommit, RawResponse
from gate.judge import Judge
from gate.layers.finding import Missing
from gate.layers.request.judge import identity_values
from gate.outcomes import VerdictWord
from gate.rehearsal.answers import bodies
from gate.rehearsal.applications import make_application
from gate.rehearsal.names import INTENDED, NEWER, PREVIOUS, START
from gate.rehearsal.plan import made_smaller, plan_applications
from gate.rehearsal.workloads import make_objects

_JUST_BEFORE = timedelta(milliseconds=200)


@dataclass(frozen=True)
class Passing:
    """A run of moments with what was asked of it. ``smaller`` says what of the configuration was made smaller."""

    asked: Asked
    git: GitRecord
    moments: tuple[Moment, ...]
    smaller: tuple[str, ...] = ()


def judge_run(asked: Asked, git: GitRecord, moments: Iterable[Moment]) -> Judge:
    """The judge after these moments, of which the last is the one at which time is up.

    It stops at the first final verdict, as the poll does. Raises ValueError for moments out of order, or none.
    """
    judge, listed = Judge(replace(asked, deadline_at=None), git), tuple(moments)
    if not listed:
        raise ValueError("there is no moment to judge")
    for moment in (*listed[:-1], listed[-1].model_copy(update={"deadline": True})):
        if judge.consider(moment).final:
            break
    return judge


def shortest_pass(passing: Passing) -> Passing | None:
    """The last moments that pass, cut so that none is there in vain; None where none do.

    Moments are judged in order, and anew after each verdict that is final. Raises ValueError for moments out of order.
    """
    asked = replace(passing.asked, deadline_at=None)
    found, first, judge = None, 0, Judge(asked, passing.git)
    for index, moment in enumerate(passing.moments):
        verdict = judge.consider(moment)
        if not verdict.final:
            continue
        judge, before, first = Judge(asked, passing.git), first, index + 1
        if verdict.word is VerdictWord.PASSED:
            found, first = _cut(passing, before, index), index
            judge.consider(moment)  # it may be the first of the next ones that pass
    return found


def _cut(passing: Passing, first: int, last: int) -> Passing:
    """As few of these moments as still pass at the last one of them."""
    settle, end = passing.asked.settings.policy.settle, passing.moments[last].now
    settled = (index for index in range(last, first, -1) if end - passing.moments[index].now >= settle)
    return replace(passing, moments=passing.moments[next(settled, first) : last + 1])


def decided(passing: Passing) -> Decision:
    """The decision on a run, with its verdict."""
    decision = judge_run(passing.asked, passing.git, passing.moments).decision
    if decision is None:
        raise AssertionError("a moment was judged without a decision")
    return decision


def _git() -> GitRecord:
    line = {PREVIOUS: (), INTENDED: (PREVIOUS,), NEWER: (INTENDED,)}
    words = {PREVIOUS: "The release before", INTENDED: "The intended release", NEWER: "A newer release"}
    commits = {
        commit: RawCommit(tree=commit[::-1], parents=parents, message=words[commit], files=("apps/app.yaml",))
        for commit, parents in line.items()
    }
    return GitRecord(commits=commits, refs={"refs/heads/main": NEWER})


def _objects(settings: Environment) -> tuple[tuple[dict[str, Any], ...], tuple[dict[str, Any], ...]]:
    """(Applications, all other objects)."""
    planned = plan_applications(settings)
    objects: list[dict[str, Any]] = []
    first = 2
    for workload in (workload for one in planned for workload in one.workloads):
        objects += make_objects(workload, first)
        first += workload.replicas
    return tuple(make_application(one) for one in planned), tuple(objects)


def _answer(request: Request, asked: Asked, judge: Judge) -> str:
    """A body that the intended release would give; raises UsageError where none can be made."""
    decision = judge.decision
    try:
        if decision is None:
            raise AssertionError("a moment was judged without a decision")
        values = identity_values(request, decision.facts, asked, decision.releases)
        made = bodies(request.expect, values)
    except (Missing, Unresolved):
        return ""  # the verdict says what has no value
    if not made:
        raise _cannot_answer(request)
    return made[0]


def _cannot_answer(request: Request) -> UsageError:
    """What to say where no body is found: of several things that are expected one may rule out another."""
    means = "its regular expression or JSONPath asks for more than a generator can make."
    change = "rehearse with --from and a recording that passes, or with --live."
    if len(request.expect.texts) > 1:
        means = f"what it expects contradicts itself, so that no answer can ever satisfy it; or {means}"
        change = f"look first whether its keys and paths (json, regex, body) contradict each other. If not, {change}"
    return UsageError(
        f"No answer can be made up that satisfies the expectation of request {request.name}.",
        means=means,
        change=change,
    )


def generate(settings: Environment, environment: str) -> Passing:
    """Two moments that should pass, made from the configuration alone.

    Raises UsageError where an expectation cannot be satisfied by anything that can be made up.
    """
    settings, smaller = made_smaller(settings)
    asked, git = Asked(INTENDED, environment, settings), _git()
    applications, objects = _objects(settings)
    again = tuple(one for one in objects if one["kind"] == "Deployment")
    read = Moment(
        now=START, applications=applications, applications_again=applications, objects=objects, objects_again=again
    )
    judge = judge_run(asked, git, (read,))
    answers = {request.name: _answer(request, asked, judge) for request in settings.requests}
    moments = []
    for at in (START, START + settings.policy.settle):
        responses = tuple(
            RawResponse(
                request=one.name,
                route=one.by_route,
                at=at - _JUST_BEFORE,
                status=one.expect.status,
                body=answers[one.name],
            )
            for one in settings.requests
            for _ in range(one.samples)
        )
        moments.append(read.model_copy(update={"now": at, "responses": responses}))
    return Passing(asked, git, tuple(moments), smaller)
