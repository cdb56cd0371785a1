"""Judging a run of moments in order, as the poll loop would. Pure."""

from collections.abc import Iterable

from gate.decide import decide
from gate.facts.bundle import Asked, read_facts
from gate.facts.moment import GitRecord, Moment
from gate.memory import Memory
from gate.verdict import Verdict


class Judge:
    """Judges one moment after another and remembers in between what the next may know."""

    def __init__(self, asked: Asked, git: GitRecord | None = None) -> None:
        self._asked = asked
        self._memory = Memory()
        self.git = GitRecord() if git is None else git

    def consider(self, moment: Moment) -> Verdict:
        """The verdict of this moment. Raises ValueError when it is older than the one before."""
        if self._memory.previous is not None and moment.now < self._memory.previous:
            raise ValueError("moments are out of order: each must be no earlier than the one before")
        decision = decide(read_facts(self._asked, moment, self.git), self._asked, self._memory)
        self._memory = decision.memory
        return decision.verdict


def judge_moments(asked: Asked, git: GitRecord, moments: Iterable[Moment]) -> Verdict:
    """The verdict of a recorded run: the first final one, else that of the last moment.

    Raises ValueError for no moments, or moments out of order.
    """
    judge = Judge(asked, git)
    verdict: Verdict | None = None
    for moment in moments:
        verdict = judge.consider(moment)
        if verdict.final:
            return verdict
    if verdict is None:
        raise ValueError("there is no moment to judge")
    return verdict
