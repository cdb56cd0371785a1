"""The rehearsal: every alteration of evidence that passes, judged by the decision as it is. Pure."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from gate.config.model import Environment
from gate.decide import Decision
from gate.facts.moment import GitRecord, Moment
from gate.outcomes import VerdictWord
from gate.rehearsal.alterations.applications import APPLICATIONS
from gate.rehearsal.alterations.fields import APPLICATION_FIELDS, REQUEST_FIELDS, SERVICE_FIELDS, WORKLOAD_FIELDS
from gate.rehearsal.alterations.older import OLDER
from gate.rehearsal.alterations.operations import OPERATIONS
from gate.rehearsal.alterations.requests import IDENTITY, REQUESTS
from gate.rehearsal.alterations.services import SERVICES
from gate.rehearsal.alterations.whole import BETWEEN, MOVED, WHOLE
from gate.rehearsal.alterations.workloads import WORKLOADS
from gate.rehearsal.identity import judge_identity, opted_in
from gate.rehearsal.passing import Passing, decided, shortest_pass
from gate.rehearsal.results import NotApplicable, NotTried, Rehearsal, Start, Tried, in_short
from gate.rehearsal.scene import Alteration, CannotTry, DoesNotApply, Json, Scene
from gate.rehearsal.subjects import Subjects, find_subjects
from gate.verdict import Verdict

MOST = 2
"""Subjects of a kind that are altered in turn; of more the first ones."""

_REPORT = "rehearse from nothing, without --from and --live, and report this line as a fault of the gate."


@dataclass(frozen=True)
class Case:
    """One alteration of one subject; None where it is of the whole run."""

    alteration: Alteration[Any]
    subject: Any

    @property
    def what(self) -> str:
        """The subject's name, empty where it is the whole run."""
        return "" if self.subject is None else str(self.subject.what)

    @property
    def group(self) -> str:
        """The line of a table on which it stands."""
        return self.alteration.group or self.alteration.name


def cases(subjects: Subjects) -> Iterator[Case]:
    """Every alteration with what it alters: answers of every request, fields of one subject, else the first two."""
    reached = {one.what for service in subjects.services if service.asked or service.only for one in service.releases}
    services = sorted(subjects.services, key=lambda one: (not one.asked, not one.only))
    workloads = sorted(subjects.workloads, key=lambda one: one.what not in reached)
    several: tuple[tuple[Iterable[Alteration[Any]], tuple[Any, ...]], ...] = (
        (WHOLE, (None,)),
        ((*APPLICATIONS, *OPERATIONS, *BETWEEN), subjects.applications[:MOST]),
        ((*WORKLOADS, *OLDER, *MOVED), tuple(workloads[:MOST])),
        (SERVICES, tuple(services[:MOST])),
        (IDENTITY, subjects.requests),
        (REQUESTS, subjects.requests[:MOST]),
        (APPLICATION_FIELDS, subjects.applications[:1]),
        (WORKLOAD_FIELDS, tuple(workloads[:1])),
        (SERVICE_FIELDS, tuple(services[:1])),
        (REQUEST_FIELDS, subjects.requests[:1]),
    )
    for alterations, altered in several:
        yield from (Case(alteration, subject) for alteration in alterations for subject in altered)


class Unaltered:
    """Evidence that passes, as text, so that each alteration gets a copy of its own; such a copy passes too.

    Raises AssertionError where it does not: then something else than what is altered would refuse.
    """

    def __init__(self, passing: Passing) -> None:
        self._passing = passing
        moments = [one.model_dump(mode="json", by_alias=True) for one in passing.moments]
        self._text = json.dumps([passing.git.model_dump(mode="json", by_alias=True), moments])
        self._parsed = json.loads(self._text)
        decision = self._decided(*self._parsed)
        if decision.verdict.word is not VerdictWord.PASSED:
            raise AssertionError("a copy of evidence that passes does not pass")
        self.subjects = find_subjects(decision, passing.asked)

    def try_out(self, case: Case) -> Tried | NotApplicable | NotTried:
        """Alter a copy and judge it. Whatever goes wrong on the way is told: it may have been refused, or not."""
        alteration = case.alteration
        named: dict[str, Any] = {
            "name": alteration.name,
            "subject": case.what,
            "about": alteration.about,
            "group": case.group,
        }
        try:
            verdict = self._judged(case)
        except DoesNotApply as none:
            return NotApplicable(**named, why=str(none))
        except CannotTry as cannot:
            return NotTried(**named, why=str(cannot), change=cannot.change)
        except Exception as error:  # noqa: BLE001  # evidence of a shape that nobody has thought of
            return NotTried(**named, why=_fault(error), change=_REPORT)
        refused = verdict.word is not VerdictWord.PASSED
        return Tried(
            **dict(in_short(verdict)),
            **named,
            refused=refused and (alteration.settling or verdict.failed_layer is not None),
        )

    def _judged(self, case: Case) -> Verdict:
        """The verdict on an altered copy. Raises LookupError where the alteration has left it as it was.

        An answer that either release may give is no such case: what is judged then is the other release's answer.
        """
        git, moments = json.loads(self._text)
        scene = Scene(self._passing.asked, git, moments, self.subjects)
        case.alteration.change(scene, case.subject)
        if not scene.accepts_both and [scene.git, scene.moments] == self._parsed:
            raise LookupError("nothing was altered")
        return self._decided(scene.git, scene.moments).verdict

    def _decided(self, git: Json, moments: list[Json]) -> Decision:
        parsed = tuple(Moment.model_validate(one) for one in moments)
        return decided(replace(self._passing, git=GitRecord.model_validate(git), moments=parsed))


def _fault(error: Exception) -> str:
    """What went wrong and where, without the exception's text, which may hold anything."""
    step, where = error.__traceback__, ""
    while step is not None:
        module = str(step.tb_frame.f_globals.get("__name__", ""))
        where = f" in {module}, line {step.tb_lineno}" if module.startswith("gate.") else where
        step = step.tb_next
    return f"this evidence has another shape than what is altered: {type(error).__name__}{where}"


def rehearse(passing: Passing, start: Start, configured: Environment) -> Rehearsal:
    """Judge the evidence unaltered, then altered in one thing at a time.

    ``configured`` are the settings as they are in the file. Nothing is tried where the unaltered evidence does
    not pass: that the altered is refused then would show nothing. Raises UsageError as ``generate`` does.
    """
    shortest = shortest_pass(passing)
    unaltered = decided(passing if shortest is None else shortest).verdict
    warnings = tuple(opted_in(configured))
    made = Rehearsal(
        environment=passing.asked.environment,
        start=start,
        passed_unaltered=shortest is not None,
        unaltered=in_short(unaltered),
        notes=passing.smaller,
    )
    if shortest is None:
        advice, allowed = judge_identity(configured, (), start)
        return made.model_copy(update={"advice": advice, "warnings": (*allowed, *warnings)})
    copied = Unaltered(shortest)
    results = [copied.try_out(case) for case in cases(copied.subjects)]
    advice, allowed = judge_identity(configured, copied.subjects.requests, start)
    return made.model_copy(
        update={
            "alterations": tuple(one for one in results if isinstance(one, Tried)),
            "not_tried": tuple(one for one in results if isinstance(one, NotTried)),
            "not_applicable": tuple(one for one in results if isinstance(one, NotApplicable)),
            "advice": advice,
            "warnings": (*allowed, *warnings),
        }
    )
