"""What acts and scenarios are: a change of the world, and what the gate must say about it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from gate.errors import ExitCode
from gate.lab.stage import Stage
from gate.render.report.subject import Kind, Role


class Target(NamedTuple):
    """The commit that is asked about, and the one on which the answer is reported."""

    intended: str
    reported: str


@dataclass(frozen=True)
class Expected:
    """What the gate must say, written by hand. ``says``: texts that its message must hold.

    ``layer`` is the failed one, empty for none. ``timed_out``: only the deadline ends the waiting.
    ``code`` is the exit code where it is not the verdict's own. ``meanwhile``: reasons that it must have given before.
    """

    verdict: str
    reason: str
    layer: str = ""
    says: tuple[str, ...] = ()
    timed_out: bool = False
    code: ExitCode | None = None
    meanwhile: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Verdict and reason on one line."""
        if self.code is ExitCode.COULD_NOT_PUBLISH:
            return f"{self.verdict}, not published"
        said = self.verdict if self.reason == "AllLayersAgree" else f"{self.verdict}: {self.reason}"
        return f"{said} (timed out)" if self.timed_out else said


PASSED = Expected("passed", "AllLayersAgree")
NO_OP = Expected("passed", "NoOp")


@dataclass(frozen=True)
class Act:
    """One situation. ``do`` changes the world and returns the commit to ask about.

    ``title`` says what has happened, in a few words; ``timeout`` is the gate's, in seconds.
    ``approval``: it is `gate approve` that is asked, on the evidence of the acts before.
    """

    name: str
    title: str
    do: Callable[[Stage], str]
    expected: Expected
    timeout: int = 40
    approval: bool = False


@dataclass(frozen=True)
class ExpectedReport:
    """What a recovery report must show, written by hand. ``says``: texts that it must hold as Markdown."""

    kind: Kind
    says: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """What it must show, on one line."""
        return f"report: {self.kind.value}"


@dataclass(frozen=True)
class ReportAct:
    """A recovery report from the evidence of acts before it, which ``good``, ``bad`` and ``recovered`` name."""

    name: str
    title: str
    good: str
    bad: str
    recovered: str
    expected: ExpectedReport

    @property
    def roles(self) -> dict[Role, str]:
        """Which act each role is taken from."""
        return {"good": self.good, "bad": self.bad, "recovered": self.recovered}


def begin_released(stage: Stage) -> str:
    """A first release, deployed by Argo CD on its own."""
    return stage.create(stage.release("1.0.0", note="first"))


@dataclass(frozen=True)
class Scenario:
    """Acts that follow each other in one laboratory.

    ``begin`` makes what there is before the first act and returns the commit to wait for, None to
    wait for nothing. ``settings`` changes the environment's part of the configuration.
    """

    name: str
    line: str
    acts: tuple[Act | ReportAct, ...]
    begin: Callable[[Stage], str | None] = begin_released
    settings: Mapping[str, object] = field(default_factory=dict)

    @property
    def expectations(self) -> tuple[Expected | ExpectedReport, ...]:
        """What each act expects."""
        return tuple(act.expected for act in self.acts)

    @property
    def asked(self) -> tuple[Act, ...]:
        """The acts that end in a verdict."""
        return tuple(act for act in self.acts if isinstance(act, Act))
