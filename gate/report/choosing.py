"""Which stored verdicts a report is about: by a commit that was named, or the latest recovery. Pure."""

from collections.abc import Iterable
from typing import NamedTuple

from gate.catalogue import load_catalogue
from gate.errors import UsageError
from gate.evidence.entries import Entry
from gate.facts.upstream import is_full_id
from gate.outcomes import VerdictWord
from gate.reasons import Reason
from gate.render.report.subject import Role
from gate.render.words import short_id

_BROKEN = (VerdictWord.FAILED, VerdictWord.HELD)
_WANTED: dict[Role, tuple[VerdictWord, ...]] = {
    "good": (VerdictWord.PASSED,),
    "bad": _BROKEN,
    "recovered": (VerdictWord.PASSED,),
}
_SHORTEST = 7

_NOT_DEPLOYED = {reason.value for reason, told in load_catalogue().items() if told.layer == "intent"} - {
    Reason.PIN_MOVED_BACK.value
}
"""Reasons of verdicts on a commit that was not pinned: a re-check of what somebody would like to promote, say."""


class Chosen(NamedTuple):
    """The three entries, and what has to be said about how they were chosen."""

    good: Entry
    bad: Entry
    recovered: Entry
    notes: tuple[str, ...] = ()


def is_commit(given: str) -> bool:
    """Whether something looks like a commit id, full or short."""
    short = _SHORTEST <= len(given) < 64 and all(letter in "0123456789abcdef" for letter in given)
    return short or is_full_id(given)


def choose_commit(entries: Iterable[Entry], role: Role, given: str) -> Entry:
    """The newest verdict of the commit that a full or short id names: of the word that its role wants, if there is one.

    Raises UsageError for an id that names none of the stored commits, or several.
    """
    found = [one for one in entries if one.commit != "" and one.commit.startswith(given)]
    commits = sorted({one.commit for one in found})
    if len(commits) != 1:
        raise UsageError(
            f"{given} names no commit with a stored verdict."
            if not commits
            else f"{given} is ambiguous: it can mean {', '.join(commits)}.",
            means="no verdict about it was stored for this environment, or the id is misspelt."
            if not commits
            else "several commits start with it.",
            change="see `gate history` for what is there, or give the full commit id.",
        )
    return next((one for one in found if one.word in _WANTED[role]), found[0])


def choose_latest(entries: Iterable[Entry], environment: str) -> Chosen:
    """The latest recovery in a store: the newest pass right after a verdict that failed or was held.

    ``entries`` are newest first. Verdicts that judged nothing are passed over, and those on a commit that was not
    pinned. Raises UsageError where there is none.
    """
    judged = [one for one in entries if one.word is VerdictWord.PASSED or _is_broken(one)]
    judged = [one for one in judged if one.commit != ""]
    for number, one in enumerate(judged):
        if one.word is not VerdictWord.PASSED:
            continue
        before = [other for other in judged[number + 1 :] if other.commit != one.commit]
        if not before or not _is_broken(before[0]):
            continue
        return _recovery(one, before, environment)
    passed = any(one.word is VerdictWord.PASSED for one in judged)
    raise _none(
        environment,
        "no pass came after a verdict that failed or was held"
        if passed
        else "none of the stored verdicts is passed"
        if judged
        else "no verdict is stored",
    )


def _is_broken(entry: Entry) -> bool:
    """Whether it tells of a release that was deployed and not well, as far as its store can tell."""
    return entry.word in _BROKEN and entry.reason not in _NOT_DEPLOYED


def _recovery(recovered: Entry, before: list[Entry], environment: str) -> Chosen:
    bad = before[0]
    rest = [other for other in before[1:] if other.commit != bad.commit]
    good = next((other for other in rest if other.word is VerdictWord.PASSED), None)
    if good is None:
        raise _none(environment, f"no pass is stored from before {short_id(bad.commit)}, so that nothing is good")
    others = dict.fromkeys(other.commit for other in rest[: rest.index(good)])
    named = ", ".join(short_id(commit) for commit in others)
    note = f"Between the good and the bad commit others failed or were held as well: {named}."
    return Chosen(good, bad, recovered, (note,) if others else ())


def _none(environment: str, why: str) -> UsageError:
    return UsageError(
        f"There is no recovery of {environment} to report: {why}.",
        means="nothing went wrong there, it is still so, or its verdicts were not stored.",
        change="see `gate history` for what is there, or name the three with --good, --bad and --recovered.",
    )
