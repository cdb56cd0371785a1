"""A recording that passes, to be judged again and again with something in it spoiled."""

import copy
from typing import Any

from gate.errors import UsageError
from gate.evidence.recording import parse_moment, parse_recording
from gate.judge import Judge
from gate.outcomes import VerdictWord
from gate.reasons import Reason
from tests.support.bundles import Json
from tests.support.mutations import Path, copy_of, put

Spoiling = tuple[tuple[Path, Any], ...]
"""Paths of a moment with what to put there, in order."""


class Prepared:
    """A recording that passes, judged up to its last moment once and for all."""

    def __init__(self, raw: Json) -> None:
        self.raw = raw
        self.parsed = parse_recording(raw)
        self.before = Judge(self.parsed.asked, self.parsed.git)
        for moment in self.parsed.moments[:-1]:
            self.before.consider(moment)

    def passes_with(self, spoil: Spoiling, *, everywhere: bool) -> bool:
        """Whether it still passes when paths are spoiled, in the last moment or in all of them.

        A pass needs two bundles that agree, so that what is no pass in the last but one moment is
        none in the last (``test_properties`` shows it): then the last one is not judged.
        Raises LookupError or TypeError where a moment has not got the path.
        """
        judge = Judge(self.parsed.asked, self.parsed.git) if everywhere else copy.copy(self.before)
        word = VerdictWord.PENDING
        for poll in self.raw["polls"] if everywhere else self.raw["polls"][-1:]:
            made = copy_of(poll)
            for path, value in spoil:
                put(made, path, value)
            try:
                verdict = judge.consider(parse_moment(made, "the moment"))
            except (UsageError, ValueError):
                return False
            word = verdict.word
            if len(self.raw["polls"]) == 2 and verdict.reason is not Reason.SETTLING:
                break
        return word is VerdictWord.PASSED
