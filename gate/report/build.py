"""Three verified evidence files to a recovery report, or to the reasons why they show no recovery. Pure."""

from collections.abc import Iterator
from datetime import datetime

from gate import __version__
from gate.evidence.soak import applications_of
from gate.notes import SCOPE
from gate.reasons import Reason
from gate.render.report.subject import NOT_COVERED, REPAIRS, Duration, RefusedReport, Relations, Report, Told
from gate.report.commits import GitFacts, relate
from gate.report.kinds import detours, kind_by_git
from gate.report.refusing import Files, refusals
from gate.report.telling import tell


def _length(start: datetime, end: datetime, measured: str) -> Duration:
    return Duration(seconds=max(round((end - start).total_seconds()), 0), measured=measured)


def _detected(bad: Told) -> Duration:
    until = "until the verdict about it"
    if bad.began_at is not None:
        return _length(bad.began_at, bad.verdict_at, f"from the first operation seen at the bad commit {until}")
    if bad.committed_at is not None:
        return _length(bad.committed_at, bad.verdict_at, f"from when the bad commit was committed {until}")
    start = bad.first_look_at or bad.verdict_at
    return _length(start, bad.verdict_at, f"from the first look {until}; when it was deployed is not known")


def _notes(files: Files, relations: Relations) -> Iterator[str]:
    digests = {role: file.asked.settings_digest for role, file in files.items()}
    if len(set(digests.values())) > 1:
        said = ", ".join(f"{role} {digest[:19]}" for role, digest in digests.items())
        yield f"The three were judged by different settings: {said}. What passed by one need not pass by another."
    if relations.same_tree == "yes":
        yield "The recovered commit has the tree of the good one. That is noted, and proves nothing by itself."
    if relations.same_tree == "unknown" or relations.bad_to_recovered == "unknown":
        yield "Git did not tell all: give a clone of the deployed repository (--repo) to have the rest looked up."
    if len({tuple(sorted(applications_of(file).items())) for file in files.values()}) > 1:
        yield (
            "The Applications are not the same objects in all three (metadata.uid): one was made anew in between, or "
            "stands in another cluster."
        )
    if files["recovered"].verdict.reason is Reason.NO_OP:
        yield "The recovered commit changes nothing for this Application: no operation ran at it."
    for note in dict.fromkeys(note for file in files.values() for note in file.verdict.notes if note != SCOPE):
        yield f"{', '.join(role for role, file in files.items() if note in file.verdict.notes)}: {note}"
    yield from detours(files)


def build_report(files: Files, git: GitFacts, more_notes: tuple[str, ...] = ()) -> Report | RefusedReport:
    """The report of three files that verify; ``git`` holds at least what they recorded (``recorded_git``)."""
    commits = [files[role].verdict.intended for role in ("good", "bad", "recovered")]
    relations = relate(git, *commits)
    reasons = refusals(files, relations)
    if reasons:
        return RefusedReport(reasons=reasons)
    good, bad, recovered = (tell(role, files[role], git.record) for role in ("good", "bad", "recovered"))
    kind, words = kind_by_git(relations, bad.commit)
    verdict = files["recovered"].verdict
    return Report(
        environment=verdict.environment,
        applications=verdict.applications,
        kind=kind,
        kind_message=words,
        repairs_intent=REPAIRS[kind],
        relations=relations,
        good=good,
        bad=bad,
        recovered=recovered,
        time_to_detect=_detected(bad),
        time_to_recover=_length(
            bad.verdict_at, recovered.verdict_at, "from the bad verdict to the recovered one's pass"
        ),
        notes=(*more_notes, *_notes(files, relations)),
        not_covered=NOT_COVERED,
        gate=__version__,
    )
