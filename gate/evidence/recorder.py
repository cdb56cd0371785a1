"""Hears every look of a run and keeps those that changed something, within bounds."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from gate.decide import Decision
from gate.evidence.moments import Keeper, Kept, sample_of
from gate.evidence.record import Cut, Poll, canonical
from gate.facts.bundle import Asked
from gate.facts.moment import GitRecord, Moment, Raw
from gate.judge import Judge
from gate.memory import Memory
from gate.verdict import Verdict

MOST_POLLS = 40
"""Looks that are kept after the first one; older ones are cut."""

_State = tuple[Verdict, Memory]


def _state(decision: Decision) -> _State:
    """What a look came to, apart from its time."""
    memory = decision.memory.model_copy(update={"previous": None})
    return decision.verdict.model_copy(update={"at": None}), memory


def merged(before: GitRecord, learned: GitRecord | None) -> GitRecord:
    """What Git had told by then."""
    if learned is None:
        return before
    return GitRecord(
        commits={**before.commits, **learned.commits},
        relations={**before.relations, **learned.relations},
        files={**before.files, **learned.files},
    )


def _learned(before: GitRecord, now: GitRecord) -> GitRecord | None:
    """What Git told since; None when it told nothing."""
    fresh = GitRecord(
        commits={key: value for key, value in now.commits.items() if before.commits.get(key) != value},
        relations={key: value for key, value in now.relations.items() if before.relations.get(key) != value},
        files={key: value for key, value in now.files.items() if before.files.get(key) != value},
    )
    return None if fresh == GitRecord() else fresh


class Recorder:
    """Keeps the first look and the newest ``MOST_POLLS`` that changed something.

    Those in between are judged once more when they are cut, for what they leave behind; so what is kept
    can be judged from there on. ``clean`` makes a text from outside fit to be kept.
    """

    def __init__(self, asked: Asked, clean: Callable[[str], str], most: int = MOST_POLLS) -> None:
        self.asked = asked
        self._keeper = Keeper(asked, clean)
        self._most = most
        self._first: Kept | None = None
        self._kept: list[Kept] = []
        self._state: _State | None = None
        self._known: dict[bytes, Raw] = {}
        self._past = Judge(asked)
        self._cut: Cut | None = None

    def hear(self, moment: Moment, decision: Decision) -> None:
        """A moment as it was judged, and the decision about it."""
        state = _state(decision)
        if state == self._state:
            if self._latest is not None:
                self._replace_latest(replace(self._latest, repeated=self._latest.repeated + 1))
            return
        self._state = state
        kept = self._shared(self._keeper.keep(moment, decision))
        if self._first is None:
            self._first = kept
            return
        self._kept.append(kept)
        while len(self._kept) > self._most:
            self.cut_oldest()

    def _replace_latest(self, kept: Kept) -> None:
        if self._kept:
            self._kept[-1] = kept
        else:
            self._first = kept

    def _shared(self, kept: Kept) -> Kept:
        """The look with the objects of the look before in place of equal ones: each is held once."""
        known: dict[bytes, Raw] = {}

        def share(raws: tuple[Raw, ...] | None) -> tuple[Raw, ...] | None:
            if raws is None:
                return None
            keys = [canonical(raw) for raw in raws]
            return tuple(known.setdefault(key, self._known.get(key, raw)) for key, raw in zip(keys, raws, strict=True))

        names = ("applications", "applications_again", "objects", "objects_again")
        moment = kept.moment.model_copy(update={name: share(getattr(kept.moment, name)) for name in names})
        self._known = known
        return replace(kept, moment=moment)

    @property
    def heard(self) -> bool:
        """Whether there was a look at all."""
        return self._first is not None

    @property
    def applications(self) -> tuple[Raw, ...]:
        """The Applications of the newest look that is kept."""
        return () if self._latest is None else self._latest.moment.applications

    @property
    def _latest(self) -> Kept | None:
        return self._kept[-1] if self._kept else self._first

    @property
    def length(self) -> int:
        """How many looks are kept after the first one."""
        return len(self._kept)

    def cut_oldest(self) -> None:
        """Leave off the oldest look after the first one; what it leaves behind is kept."""
        if self._cut is None and self._first is not None:
            self._leave(self._first)
        gone = self._kept.pop(0)
        memory = self._leave(gone)
        self._cut = Cut(
            polls=(0 if self._cut is None else self._cut.polls) + 1 + gone.repeated,
            since=gone.moment.now if self._cut is None else self._cut.since,
            until=gone.moment.now,
            git=GitRecord() if self._cut is None else self._cut.git,
            memory=memory,
        )

    def _leave(self, kept: Kept) -> Memory:
        self._past.git = kept.git
        self._past.consider(kept.moment)
        decision = self._past.decision
        if decision is None:
            raise AssertionError("a moment was considered without a decision")
        return decision.memory

    def polls(self) -> tuple[tuple[Raw, ...], tuple[Poll, ...], Cut | None]:
        """The objects, each once, the looks that refer to them, and what was cut."""
        pool: dict[bytes, int] = {}
        objects: list[Raw] = []

        def numbered(raws: Iterable[Raw] | None) -> tuple[int, ...] | None:
            if raws is None:
                return None
            numbers = []
            for raw in raws:
                key = canonical(raw)
                if key not in pool:
                    pool[key] = len(objects)
                    objects.append(raw)
                numbers.append(pool[key])
            return tuple(numbers)

        git, polls, cut = GitRecord(), list[Poll](), self._cut
        for kept in ([] if self._first is None else [self._first]) + self._kept:
            moment = kept.moment
            if len(polls) == 1 and cut is not None:
                git = merged(git, self._past.git)
                cut = cut.model_copy(update={"git": _learned(polls[0].git or GitRecord(), git) or GitRecord()})
            polls.append(
                Poll(
                    now=moment.now,
                    applications=numbered(moment.applications) or (),
                    applications_again=numbered(moment.applications_again),
                    objects=numbered(moment.objects) or (),
                    objects_again=numbered(moment.objects_again),
                    responses=tuple(sample_of(one) for one in moment.responses),
                    unreadable=moment.unreadable,
                    git=_learned(git, kept.git),
                    deadline=moment.deadline,
                    repeated=kept.repeated,
                )
            )
            git = merged(git, kept.git)
        return tuple(objects), tuple(polls), cut
