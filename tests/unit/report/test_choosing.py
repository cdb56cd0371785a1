"""Which stored verdicts a report is about: the latest recovery, or commits that were named."""

from datetime import UTC, datetime, timedelta

import pytest

from gate.errors import UsageError
from gate.evidence.entries import Entry
from gate.outcomes import VerdictWord
from gate.render.report.subject import Role
from gate.report.choosing import choose_commit, choose_latest, is_commit

_WORDS = {
    "+": VerdictWord.PASSED,
    "-": VerdictWord.FAILED,
    "~": VerdictWord.HELD,
    "s": VerdictWord.SUPERSEDED,
    "c": VerdictWord.CANCELLED,
    "n": VerdictWord.COULD_NOT_RUN,
    "?": None,
    "p": VerdictWord.HELD,
    "m": VerdictWord.HELD,
}
_REASONS = {"p": "NotPinned", "m": "PinMovedBack"}


def stored(history: str) -> list[Entry]:
    """Entries, newest first, of a history in words of a commit's letter and a verdict, oldest first."""
    entries = [
        Entry(
            environment="staging",
            commit=word[0] * 40,
            run=f"{number}-1",
            recorded_at=datetime(2026, 5, 4, tzinfo=UTC) + timedelta(minutes=number),
            word=_WORDS[word[1]],
            reason=_REASONS.get(word[1], ""),
            path=f"staging/{word[0] * 40}/{number}-1.json",
        )
        for number, word in enumerate(history.split())
    ]
    return entries[::-1]


@pytest.mark.parametrize(
    ("history", "chosen"),
    [
        ("a+ b- c+", "a0 b1 c2"),
        ("a+ b~ c+", "a0 b1 c2"),
        ("a+ b- c+ d+ e+", "a0 b1 c2"),
        ("a+ b- c+ d- e+", "c2 d3 e4"),
        ("a+ b- c+ d-", "a0 b1 c2"),
        ("a+ b- b- c+", "a0 b2 c3"),
        ("a+ b- c- d+", "a0 c2 d3"),
        ("a+ b- c~ c+", "a0 b1 c3"),
        ("a+ b- cs dc en f+", "a0 b1 f5"),
        ("a+ b+ b- c+", "a0 b2 c3"),
        ("a+ a- c+ d- e+", "c2 d3 e4"),
        ("a+ b- ?? c+", "a0 b1 c3"),
        ("a+ b- c+ dp c+", "a0 b1 c4"),  # somebody would have liked to promote d
        ("a+ bm c+", "a0 b1 c2"),
    ],
)
def test_the_latest_recovery(history: str, chosen: str) -> None:
    found = choose_latest(stored(history.replace("??", "d?")), "staging")
    told = [f"{one.commit[0]}{one.run.partition('-')[0]}" for one in (found.good, found.bad, found.recovered)]
    assert " ".join(told) == chosen


@pytest.mark.parametrize(
    ("history", "why"),
    [
        ("", "no verdict is stored"),
        ("a-", "none of the stored verdicts is passed"),
        ("ac an", "no verdict is stored"),
        ("a+ b+", "no pass came after"),
        ("a+ b-", "no pass came after"),
        ("a+ bp c+", "no pass came after"),
        ("b- c+", "no pass is stored from before bbbbbbb"),
        ("a- a+", "no pass came after"),
        ("b+ b- c+", "no pass is stored from before bbbbbbb"),
    ],
)
def test_there_is_none(history: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as raised:
        choose_latest(stored(history), "staging")
    assert "There is no recovery of staging to report" in raised.value.happened


def test_others_that_went_wrong_in_between_are_named() -> None:
    [note] = choose_latest(stored("a+ b- c- d+"), "staging").notes
    assert "bbbbbbb" in note
    assert "ccccccc" not in note
    assert choose_latest(stored("a+ b- c+"), "staging").notes == ()


@pytest.mark.parametrize(
    ("role", "history", "run"),
    [
        ("good", "a+ a- b-", "0"),
        ("bad", "a- a+ b-", "0"),
        ("bad", "a~ a- a+", "1"),
        ("recovered", "a- a+ a+", "2"),
        ("good", "a- a~", "1"),
    ],
)
def test_a_commit_that_was_named_gives_the_verdict_its_place_wants(role: Role, history: str, run: str) -> None:
    assert choose_commit(stored(history), role, "a" * 7).run == f"{run}-1"


def test_a_name_for_none_or_several() -> None:
    entries = stored("a+ b-")
    alike = [entries[0].model_copy(update={"commit": "a" * 39 + "b"}), *entries]
    with pytest.raises(UsageError, match="names no commit with a stored verdict"):
        choose_commit(entries, "good", "c" * 7)
    with pytest.raises(UsageError, match=r"is ambiguous: it can mean a{40}, a{39}b"):
        choose_commit(alike, "good", "a" * 7)
    assert choose_commit(alike, "good", "a" * 40).commit == "a" * 40


@pytest.mark.parametrize(
    ("given", "is_one"),
    [("a" * 7, True), ("0" * 40, True), ("f" * 64, True), ("a" * 6, False), ("g" * 7, False), ("A" * 40, False),
     ("a" * 65, False), ("", False), ("a" * 7 + " ", False)],
)  # fmt: skip
def test_what_looks_like_a_commit(given: str, is_one: bool) -> None:
    assert is_commit(given) is is_one
