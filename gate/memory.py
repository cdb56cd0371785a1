"""What one moment leaves behind for the next: first sights, the run of agreeing bundles, the timeline.

Pure values. Nothing here is a pass: a pass is never remembered, only since when bundles agree.
"""

from datetime import datetime, timedelta

from pydantic import Field, field_serializer

from gate.outcomes import Layer, Outcome
from gate.reasons import Reason
from gate.verdict import Answered, LayerResult, Transition

_LONGEST_TIMELINE = 200


class Memory(Answered):
    """State between two moments.

    ``first_seen``: when each watched key was first seen without a break since.
    ``agreeing_since`` / ``fingerprint``: since when every bundle passed and agreed.
    ``denied``: how many moments in a row were refused with 401 or 403.
    ``pinned``: the Applications whose pin was the intended commit in an earlier moment.
    """

    previous: datetime | None = None
    first_seen: dict[str, datetime] = Field(default_factory=dict)
    agreeing_since: datetime | None = None
    fingerprint: str = ""
    denied: int = 0
    pinned: frozenset[str] = frozenset()
    timeline: tuple[Transition, ...] = ()

    @field_serializer("pinned")
    def _in_order(self, names: frozenset[str]) -> tuple[str, ...]:
        return tuple(sorted(names))

    def since(self, layer: Layer, outcome: Outcome, reason: Reason, now: datetime) -> datetime:
        """Since when this layer has given this answer."""
        last = next((one for one in reversed(self.timeline) if one.layer is layer), None)
        if last is not None and (last.outcome, last.reason) == (outcome, reason):
            return last.at
        return now

    def with_answers(self, layers: tuple[LayerResult, ...], now: datetime) -> tuple[Transition, ...]:
        """The timeline with every answer that changed; it keeps the newest 200."""
        added = tuple(
            Transition(at=now, layer=one.layer, outcome=one.outcome, reason=one.reason)
            for one in layers
            if self.since(one.layer, one.outcome, one.reason, now) == now
        )
        return (*self.timeline, *added)[-_LONGEST_TIMELINE:]

    def settled(self, fingerprint: str, now: datetime, settle: timedelta) -> bool:
        """Whether an unbroken run of bundles with this fingerprint has lasted for ``settle``."""
        return (
            self.agreeing_since is not None and self.fingerprint == fingerprint and now - self.agreeing_since >= settle
        )
