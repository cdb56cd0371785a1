"""The rehearsal: every alteration of evidence that passes, judged by the decision as it is. Pure."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from gate.config.model import Environment
from gate.facts.moment import GitRecord, Moment
from gate.outcomes import VerdictWord
from gate.rehearsal.alterations.applications import APPLICATIONS
from gate.rehearsal.alterations.fields import APPLICATION_FIELDS, REQUEST_FIELDS, SERVICE_FIELDS, WORKLOAD_FIELDS
from gate.rehearsal.alterations.older import OLDER
from gate.rehearsal.alterations.requests import IDENTITY, REQUESTS
from gate.rehearsal.alterations.services import SERVICES
from gate.rehearsal.alterations.whole import BETWEEN, MOVED, WHOLE
from gate.rehearsal.alterations.workloads import WORKLOADS
from gate.rehearsal.identity import judge_identity, opted_in
from gate.rehearsal.passing import Passing, judge_run, shortest_pass, verdict_of
from gate.rehearsal.results import NotTried, Rehearsal, Start, Tried, in_short
from gate.rehearsal.scene import Alteration, NotApplicable, Scene
from gate.rehearsal.subjects import Subjects, find_subjects

MOST = 2
"""Subjects of a kind that are altered in turn; of more the first ones."""


@dataclass(frozen=True)
class Case:
    """One alteration of one subject; None where it is of the whole run."""

    alteration: Alteration[Any]
    subject: Any

    @property
    def what(self) -> str:
        """The subject's name, empty where it is the whole run."""
        return "" if self.subject is None else str(self.subject.what)


def cases(subjects: Subjects) -> Iterator[Case]:
    """Every alteration with what it alters: answers of every request, fields of one subject, else the first two."""
    reached = {one.what for service in subjects.services if service.asked or service.only for one in service.releases}
    services = sorted(subjects.services, key=lambda one: (not one.asked, not one.only))
    workloads = sorted(subjects.workloads, key=lambda one: one.what not in reached)
    several: tuple[tuple[Iterable[Alteration[Any]], tuple[Any, ...]], ...] = (
        (WHOLE, (None,)),
        ((*APPLICATIONS, *BETWEEN), subjects.applications[:MOST]),
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
    """Evidence that passes, as text, so that each alteration gets a copy of its own."""

    def __init__(self, passing: Passing, subjects: Subjects) -> None:
        self._passing, self._subjects = passing, subjects
        moments = [one.model_dump(mode="json", by_alias=True) for one in passing.moments]
        self._text = json.dumps([passing.git.model_dump(mode="json", by_alias=True), moments])
        self._parsed = json.loads(self._text)

    def try_out(self, case: Case) -> Tried | NotTried:
        """Alter a copy and judge it. What could not be altered, or was left as it was, is not tried."""
        git, moments = json.loads(self._text)
        scene = Scene(self._passing.asked, git, moments, self._subjects)
        alteration = case.alteration
        group = alteration.group or alteration.name
        try:
            alteration.change(scene, case.subject)
            why = "" if [scene.git, scene.moments] != self._parsed else "there is nothing of the kind"
        except NotApplicable as none:
            why = str(none)
        except (LookupError, TypeError, ValueError, StopIteration) as error:
            why = f"this evidence has another shape than what is altered: {type(error).__name__} {error}"
        if why:
            named = {"name": alteration.name, "subject": case.what, "about": alteration.about, "group": group}
            return NotTried(**named, why=why)
        altered = replace(
            self._passing,
            git=GitRecord.model_validate(scene.git),
            moments=tuple(Moment.model_validate(one) for one in scene.moments),
        )
        verdict = verdict_of(altered)
        return Tried(
            **dict(in_short(verdict)),
            name=alteration.name,
            subject=case.what,
            about=alteration.about,
            group=group,
            refused=verdict.word is not VerdictWord.PASSED
            and (alteration.settling or verdict.failed_layer is not None),
        )


def _try_all(passing: Passing) -> tuple[Subjects, list[Tried | NotTried]]:
    decision = judge_run(passing.asked, passing.git, passing.moments).decision
    if decision is None:
        raise AssertionError("a moment was judged without a decision")
    subjects = find_subjects(decision, passing.asked)
    unaltered = Unaltered(passing, subjects)
    return subjects, [unaltered.try_out(case) for case in cases(subjects)]


def rehearse(passing: Passing, start: Start, configured: Environment) -> Rehearsal:
    """Judge the evidence unaltered, then altered in one thing at a time.

    ``configured`` are the settings as they are in the file. Nothing is tried where the unaltered evidence does
    not pass: that the altered is refused then would show nothing. Raises UsageError as ``generate`` does.
    """
    shortest = shortest_pass(passing)
    unaltered = verdict_of(passing if shortest is None else shortest)
    warnings = tuple(opted_in(configured))
    made = Rehearsal(
        environment=passing.asked.environment,
        start=start,
        passed_unaltered=shortest is not None,
        unaltered=in_short(unaltered),
        notes=passing.smaller,
    )
    if shortest is None:
        advice, allowed = judge_identity(configured, ())
        return made.model_copy(update={"advice": advice, "warnings": (*allowed, *warnings)})
    subjects, results = _try_all(shortest)
    advice, allowed = judge_identity(configured, subjects.requests)
    return made.model_copy(
        update={
            "alterations": tuple(one for one in results if isinstance(one, Tried)),
            "not_applicable": tuple(one for one in results if isinstance(one, NotTried)),
            "advice": advice,
            "warnings": (*allowed, *warnings),
        }
    )
