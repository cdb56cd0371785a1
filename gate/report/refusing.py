"""Why three evidence files show no recovery: every reason, each a sentence. Pure."""

from collections.abc import Iterator
from itertools import combinations

from gate.evidence.record import EvidenceFile
from gate.outcomes import VerdictWord
from gate.render.report.subject import KIND_WORDS, Kind, Relations, Role
from gate.render.words import full_time, proven, short_id
from gate.report.kinds import DOES_NOT_REPAIR, kind_of_verdict

Files = dict[Role, EvidenceFile]
"""The three files, by what they are offered as."""

_AGAIN = ": a commit that was deployed again is no new one, and Git says what it said before"
_BAD_WORDS = (VerdictWord.FAILED, VerdictWord.HELD)


def _commits(files: Files) -> Iterator[str]:
    for role, file in files.items():
        if file.verdict.intended == "":
            yield f"The {role} file names no commit."
    for one, other in combinations(files, 2):
        commit = files[one].verdict.intended
        if commit != "" and commit == files[other].verdict.intended:
            yield f"The {one} and the {other} commit are the same, {commit}{_AGAIN if other == 'recovered' else ''}."


def _same_subject(files: Files) -> Iterator[str]:
    repositories = {role: (file.run.repository or "").lower() for role, file in files.items()}
    if len(set(repositories.values()) - {""}) > 1:
        said = "; ".join(f"{role}: {value or 'not known'}" for role, value in repositories.items())
        yield f"The three are not about one repository: {said}."
    environments = {role: file.verdict.environment for role, file in files.items()}
    applications = {role: ", ".join(sorted(file.verdict.applications)) for role, file in files.items()}
    for what, told in (("environment", environments), ("set of Applications", applications)):
        said = "; ".join(f"{role}: {value or 'none'}" for role, value in told.items())
        if len(set(told.values())) > 1:
            yield f"The three are not about one {what}: {said}."
        elif set(told.values()) == {""}:
            yield f"The three are about no {what}."


def _verdicts(files: Files) -> Iterator[str]:
    for role in ("good", "recovered"):
        verdict = files[role].verdict
        if verdict.word is not VerdictWord.PASSED:
            yield f"The {role} verdict is {verdict.word.value} ({verdict.reason.value}); expected passed."
            kind = kind_of_verdict(verdict)
            if role == "recovered" and kind is not None:
                yield (
                    f"What the {role} file shows is this: {KIND_WORDS[kind]}. It does not repair what Git says: "
                    f"{DOES_NOT_REPAIR[kind]}."
                )
        elif verdict.nothing_to_gate or not proven(verdict) or len(files[role].polls) == 0:
            yield (
                f"The {role} file lacks evidence of a layer: a pass that judged nothing ({verdict.reason.value}) shows "
                "nothing."
            )
    bad = files["bad"].verdict
    if bad.word not in _BAD_WORDS:
        yield f"The bad verdict is {bad.word.value} ({bad.reason.value}); expected failed or held."
    elif not files["bad"].was_pinned:
        yield (
            f"The bad file does not show that its commit was ever pinned ({bad.reason.value}): from a release that was "
            "not deployed nothing recovers."
        )


def _order(files: Files) -> Iterator[str]:
    good, bad, recovered = (files[role].verdict.at for role in ("good", "bad", "recovered"))
    if good >= bad:
        yield f"The good verdict ({full_time(good)}) is not older than the bad one ({full_time(bad)})."
    if recovered <= bad:
        yield f"The recovered verdict ({full_time(recovered)}) is not newer than the bad one ({full_time(bad)})."


def _by_git(relations: Relations, files: Files) -> Iterator[str]:
    if relations.bad_to_recovered == "behind":
        recovered, bad = (short_id(files[role].verdict.intended) for role in ("recovered", "bad"))
        yield (
            f"The recovered commit {recovered} is older than the bad one {bad}, its ancestor: "
            f"{DOES_NOT_REPAIR[Kind.PIN_MOVED_BACK]}."
        )


def refusals(files: Files, relations: Relations) -> tuple[str, ...]:
    """Every reason why these show no recovery; none where they do."""
    return (
        *_commits(files),
        *_same_subject(files),
        *_verdicts(files),
        *_order(files),
        *_by_git(relations, files),
    )
