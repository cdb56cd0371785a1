"""A branch as a store, by what its log says: order, commits of others, and a path that is claimed twice."""

import asyncio
from datetime import timedelta

import pytest

from gate.evidence.branch import BranchStore
from gate.evidence.entries import Entry
from gate.evidence.messages import render_message
from tests.support.bundles import OLD
from tests.support.kept import AT, evidence
from tests.support.storing import of_run

ONE = evidence()
COMMIT = ONE.verdict.intended


def kept(run: int, minutes: float | None = None, commit: str = COMMIT) -> str:
    """The message of the commit that stores a verdict recorded so many minutes after half past ten."""
    at = AT + timedelta(minutes=run if minutes is None else minutes)
    verdict = ONE.verdict.model_copy(update={"intended": commit})
    one = of_run(ONE.model_copy(update={"verdict": verdict}), f"{run}-1", at)
    return render_message(one, f"staging/{commit}/{run}-1.json")


class Log:
    """A branch that is nothing but its log, newest first."""

    what = "branch gate-evidence"

    def __init__(self, *messages: str) -> None:
        self.messages = messages
        self.asked: list[int] = []

    async def read_log(self, path: str, most: int) -> tuple[str, ...]:
        """As GitHub does: of that path only."""
        self.asked.append(most)
        return tuple(one for one in self.messages if f"Evidence: {path}/" in one or "Evidence:" not in one)[:most]

    async def read_text(self, path: str) -> str | None:
        """Nothing is read here."""
        raise NotImplementedError(path)


def listed(log: Log, *, commit: str | None = None, most: int = 1000) -> list[Entry]:
    return list(asyncio.run(BranchStore(log).list("staging", commit=commit, most=most)))


def runs(log: Log, *, commit: str | None = None, most: int = 1000) -> list[str]:
    return [one.run for one in listed(log, commit=commit, most=most)]


def test_verdicts_are_in_the_order_in_which_they_were_recorded() -> None:
    """Whoever was slower to store goes on top of whoever was faster."""
    assert runs(Log(kept(1), kept(3), kept(2))) == ["3-1", "2-1", "1-1"]


@pytest.mark.parametrize("others", [0, 99, 100, 101, 1500])
def test_commits_of_others_take_no_verdicts_place(others: int) -> None:
    log = Log(*["by hand"] * others, kept(2), *["by hand"] * others, kept(1))
    assert runs(log, most=2) == runs(log) == ["2-1", "1-1"]


def test_no_more_of_the_log_is_read_than_was_asked_for() -> None:
    log = Log(*(kept(number) for number in range(500, 0, -1)))
    assert len(listed(log, most=20)) == 20
    assert log.asked == [100]
    endless = Log(*["by hand"] * 20_000)
    assert listed(endless) == []
    assert endless.asked == [1000, 10_000]


def test_of_a_path_that_is_claimed_twice_the_first_commit_counts() -> None:
    first, again = kept(1, 1), kept(1, 9)
    for log in (Log(again, kept(2), first), Log(kept(2), again, first)):
        found = listed(log)
        assert [one.run for one in found] == ["2-1", "1-1"]
        assert found[1].recorded_at == AT + timedelta(minutes=1)


def test_a_commit_has_its_own_verdicts() -> None:
    log = Log(kept(2, commit=OLD), kept(1))
    assert runs(log, commit=OLD) == ["2-1"]
    assert runs(log, commit=COMMIT) == ["1-1"]
