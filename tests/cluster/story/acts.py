"""What an act is: a change of the world, the true answer about it, and what the gate must say."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from tests.cluster.harness import Harness
from tests.cluster.story import seeing
from tests.cluster.story.stage import Stage

Truth = Literal["pass", "fail", "hold", "superseded"]


class Target(NamedTuple):
    """The commit that is asked about, and the one on which the answer is reported."""

    intended: str
    reported: str


@dataclass(frozen=True)
class Expected:
    """What the gate must say, written by hand. ``says``: texts that its message must hold.

    ``timed_out``: only the deadline ends the waiting.
    """

    verdict: str
    reason: str
    layer: str = ""
    says: tuple[str, ...] = ()
    timed_out: bool = False


@dataclass(frozen=True)
class Act:
    """One situation.

    ``name`` is that of its recording. ``do`` changes the world and names the commit to ask about
    (the one to report on as well, unless it gives a Target). ``timeout`` is the gate's, in seconds.
    ``recorded_when``: the state that is recorded, two moments of it, the settle time apart;
    ``moments`` of 0 records nothing, ``live`` of False asks nobody.
    """

    name: str
    situation: str
    do: Callable[[Stage], str | Target]
    truth: Truth
    expected: Expected
    timeout: int = 60
    recorded_when: Callable[[Stage, str], bool] = seeing.is_quiet
    moments: int = 2
    live: bool = True

    def target(self, stage: Stage) -> Target:
        """Play the act; what to ask about."""
        found = self.do(stage)
        return found if isinstance(found, Target) else Target(found, found)


def _begin(stage: Stage) -> None:
    stage.begin()


@dataclass(frozen=True)
class Tale:
    """Acts that follow each other on one stage. ``begin`` is what there is before the first one.

    ``as_action``: the gate is started as the runner starts the action, else as `gate check`.
    """

    name: str
    acts: tuple[Act, ...]
    begin: Callable[[Stage], object] = field(default=_begin)
    policy: str = "{}"
    pin: str = ""
    as_action: bool = False

    def stage(self, harness: Harness) -> Stage:
        """A new stage, with the beginning played; it is taken down again where that fails."""
        stage = Stage(harness, self.name, self.policy, self.pin)
        try:
            self.begin(stage)
        except BaseException:
            stage.end()
            raise
        return stage


PASSED = Expected("passed", "AllLayersAgree")
NO_OP = Expected("passed", "NoOp")
