"""Asking Git, once for each question, for what the judge could use: the commit, and relations of pins."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from gate.adapters.failures import ReadFailed
from gate.facts.moment import GitRecord, Moment, RawCommit, UnreadableRead

if TYPE_CHECKING:  # whoever only names the protocol does not load the judge
    from gate.judge import Judge

AGAIN_AFTER = 30.0
"""Seconds until a question that Git could not answer is asked again."""

_MOST_QUESTIONS = 6


class Git(Protocol):
    """How Git is read, by whatever way; raises ReadFailed."""

    async def read_commit(self, commit: str) -> RawCommit | None:
        """The commit of this full id; None when Git does not have it."""

    async def read_relation(self, base: str, head: str) -> GitRecord:
        """The relation of ``head`` to ``base``, with the commits and files between them."""


@dataclass
class History:
    """Git's answers, collected into the judge's record.

    ``git`` of None: there is no access to Git at all, which ``why`` explains.
    """

    git: Git | None
    why: str = ""
    clock: Callable[[], float] = time.monotonic
    _tried: dict[str, float] = field(default_factory=dict)
    _failure: UnreadableRead | None = None
    _questions: int = 0

    def _due(self, question: str) -> bool:
        at = self._tried.get(question)
        if at is not None and self.clock() - at < AGAIN_AFTER:
            return False
        self._tried[question] = self.clock()
        return True

    async def learn(self, judge: Judge, moment: Moment) -> Moment:
        """Ask what is not known yet; the judge gets the answers, the moment what could not be read."""
        intended = judge.asked.intended
        if intended not in judge.git.commits and self._due("commit"):
            await self._commit(judge, intended)
        if self.git is not None and intended in judge.git.commits:
            for base, head in judge.unknown_relations(moment):
                if self._questions < _MOST_QUESTIONS and self._due(f"{base}...{head}"):
                    self._questions += 1
                    await self._relation(judge, base, head)
        if self._failure is None:
            return moment
        return moment.model_copy(update={"unreadable": (*moment.unreadable, self._failure)})

    async def _commit(self, judge: Judge, intended: str) -> None:
        if self.git is None:
            self._failure = UnreadableRead(what="commit", error=self.why)
            return
        try:
            raw = await self.git.read_commit(intended)
        except ReadFailed as failure:
            self._failure = UnreadableRead(what="commit", error=failure.error, status=failure.status)
            return
        self._failure = None
        if raw is not None:
            judge.git = judge.git.model_copy(update={"commits": {**judge.git.commits, intended: raw}})

    async def _relation(self, judge: Judge, base: str, head: str) -> None:
        if self.git is None:
            return
        try:
            found = await self.git.read_relation(base, head)
        except ReadFailed:
            return  # the relation stays unknown, which never helps a commit to pass
        judge.git = GitRecord(
            commits={**found.commits, **judge.git.commits},
            refs=judge.git.refs,
            relations={**judge.git.relations, **found.relations},
            files={**judge.git.files, **found.files},
        )
