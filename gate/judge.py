"""Judging a run of moments in order, as the poll loop would. Pure."""

from collections.abc import Iterable
from datetime import datetime
from enum import Enum, auto

from gate.decide import Decision, decide
from gate.decide.asking import BEHIND_SYNC
from gate.facts.bundle import Asked, read_facts
from gate.facts.moment import GitRecord, Moment
from gate.layers.intent import unknown_relations
from gate.memory import Memory
from gate.outcomes import Outcome
from gate.reasons import Reason
from gate.verdict import Verdict


class Wants(Enum):
    """What a moment that holds only Applications lacks for its verdict."""

    NOTHING = auto()
    PROJECTS = auto()
    BUNDLE = auto()


class Judge:
    """Judges one moment after another and remembers in between what the next may know.

    ``memory`` is what earlier moments left, where those are not judged here. ``decision`` is the latest one.
    """

    def __init__(self, asked: Asked, git: GitRecord | None = None, memory: Memory | None = None) -> None:
        self._asked = asked
        self._memory = Memory() if memory is None else memory
        self.git = GitRecord() if git is None else git
        self.decision: Decision | None = None

    def consider(self, moment: Moment) -> Verdict:
        """The verdict of this moment. Raises ValueError when it is older than the one before."""
        if self._memory.previous is not None and moment.now < self._memory.previous:
            raise ValueError("moments are out of order: each must be no earlier than the one before")
        decision = decide(read_facts(self._asked, moment, self.git), self._asked, self._memory)
        self._memory = decision.memory
        self.decision = decision
        return decision.verdict

    @property
    def asked(self) -> Asked:
        """What is asked."""
        return self._asked

    def settles_in(self, now: datetime) -> float:
        """Seconds until the running run of agreeing bundles has lasted for ``settle``; 0 without one."""
        since = self._memory.agreeing_since
        settle = self._asked.settings.policy.settle
        return 0.0 if since is None else max((since + settle - now).total_seconds(), 0.0)

    def unknown_relations(self, moment: Moment) -> tuple[tuple[str, str], ...]:
        """The pairs (base, head) of commits that Git should be asked about for this moment."""
        return unknown_relations(read_facts(self._asked, moment, self.git), self._asked)

    def wants(self, moment: Moment) -> Wants:
        """What to read beside the Applications of this moment. Nothing is remembered of it.

        While layer 1 or 2 is pending only the Applications matter; a sync that has not started
        may be kept from it by a sync window, which stands in the AppProject.
        """
        verdict = decide(read_facts(self._asked, moment, self.git), self._asked, self._memory).verdict
        intent, sync, readiness, _ = verdict.layers
        if intent.outcome is not Outcome.PASSED:
            return Wants.NOTHING
        if sync.outcome is Outcome.PASSED or readiness.message != BEHIND_SYNC:
            return Wants.BUNDLE
        return Wants.PROJECTS if sync.reason is Reason.SYNC_NOT_STARTED else Wants.NOTHING

    def wants_requests(self, moment: Moment) -> bool:
        """Whether requests matter yet: layers 1 to 3 pass on what was read so far. Nothing is remembered of it.

        Where that is final already they are sent as well, once: what the bad release answers is evidence.
        """
        verdict = decide(read_facts(self._asked, moment, self.git), self._asked, self._memory).verdict
        return verdict.final or all(one.outcome is Outcome.PASSED for one in verdict.layers[:-1])


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
