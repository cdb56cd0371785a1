"""Three evidence files of a recovery, made from recordings of a real cluster, and altered ones."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from functools import cache
from typing import Any

from gate.evidence.record import EvidenceFile
from gate.facts.moment import GitRecord, RawCommit
from gate.render.report.subject import RefusedReport, Report, Role
from gate.report.build import build_report
from gate.report.commits import GitFacts, Patch, recorded_git
from gate.report.refusing import Files
from tests.support.kept import made_of
from tests.support.storing import of_run, state

RECREATE = ("story-recreate-normal", "story-recreate-broken", "story-recreate-recovered")
ROLLING = ("story-rolling-normal", "story-rolling-broken-deadline", "story-rolling-recovered")
ROLES: tuple[Role, ...] = ("good", "bad", "recovered")


@cache
def evidence_of(name: str) -> EvidenceFile:
    """The evidence file of a recorded state, written when its verdict was given; the states' order makes the run."""
    made = made_of(state(name))
    assert made.follows
    return of_run(made.evidence, f"{name}-1", made.evidence.verdict.at)


def story(names: tuple[str, str, str] = RECREATE) -> Files:
    """Good, bad and recovered as they were recorded."""
    return dict(zip(ROLES, map(evidence_of, names), strict=True))


def altered(files: Files, role: Role, **verdict: Any) -> Files:
    """The files with something else in one verdict; they are taken to be verified."""
    file = files[role]
    return {**files, role: file.model_copy(update={"verdict": file.verdict.model_copy(update=verdict)})}


def moved(files: Files, role: Role, seconds: float) -> Files:
    """The files with one verdict given at another time."""
    return altered(files, role, at=files[role].verdict.at + timedelta(seconds=seconds))


def report(files: Files, git: GitFacts | None = None) -> Report | RefusedReport:
    """What is made of them, by what they recorded of Git unless that is given."""
    return build_report(files, GitFacts(recorded_git(files.values()), {}) if git is None else git)


def shown(files: Files, git: GitFacts | None = None) -> Report:
    """The report of three that show a recovery."""
    made = report(files, git)
    assert isinstance(made, Report), made
    return made


def refused(files: Files, git: GitFacts | None = None) -> tuple[str, ...]:
    """The reasons of three that show none."""
    made = report(files, git)
    assert isinstance(made, RefusedReport)
    return made.reasons


def commits(**raws: tuple[str, tuple[str, ...], str]) -> GitRecord:
    """Git's record of commits by a letter each: tree, parents and message; ids are the letter forty times."""
    return GitRecord(
        commits={
            name * 40: RawCommit(tree=tree * 40, parents=tuple(one * 40 for one in parents), message=message)
            for name, (tree, parents, message) in raws.items()
        }
    )


def facts(record: GitRecord, patches: Mapping[str, Patch] | None = None) -> GitFacts:
    """Git facts; patches by the commit's letter."""
    return GitFacts(record, {name * 40: patch for name, patch in (patches or {}).items()})
