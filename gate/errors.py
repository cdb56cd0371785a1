"""Every error that ends a run, with its exit code.

GateError                     the base; each class below has the exit code beside it, or that of its parent
|- UsageError           64    input, configuration or usage is wrong; nothing was judged
|  |- ConfigurationError      the configuration file cannot be used
|  |- AccessError             cluster or Git access cannot be set up at all
|     |- CommitError          a change could not be committed to Git
|- Superseded            3    a newer commit than the intended one stands in Git already
|- PublishError         65    the verdict is ``passed`` and GitHub refused to take it
|- InternalError        70    a fault of the gate itself
|- Cancelled            129/130/143

Each error says what happened, what it usually means and what to change. What happened may quote text from outside,
and is made sound.
"""

from enum import IntEnum

from gate.secrecy import sound


class ExitCode(IntEnum):
    """Exit codes of the program; documented in the README and kept for good."""

    PASSED = 0
    FAILED = 1
    HELD = 2
    SUPERSEDED = 3
    PENDING = 4
    COULD_NOT_RUN = 64
    COULD_NOT_PUBLISH = 65
    INTERNAL_ERROR = 70
    HUNG_UP = 129
    INTERRUPTED = 130
    TERMINATED = 143


class GateError(Exception):
    """Base: ``happened``, ``means`` (what it usually means) and ``change`` (what to change)."""

    exit_code: ExitCode = ExitCode.INTERNAL_ERROR
    reason = "InternalError"

    def __init__(self, happened: str, *, means: str = "", change: str = "") -> None:
        super().__init__(sound(happened))
        self.happened = sound(happened)
        self.means = means
        self.change = change

    def diagnostics(self) -> str:
        """The whole text for a person: one line for each part that is known."""
        parts = [self.happened]
        if self.means:
            parts.append(f"This usually means: {self.means}")
        if self.change:
            parts.append(f"What to change: {self.change}")
        return "\n".join(parts)


class UsageError(GateError):
    """Input or usage is wrong, so that nothing could be judged."""

    exit_code = ExitCode.COULD_NOT_RUN
    reason = "BadInput"


class ConfigurationError(UsageError):
    """The configuration file is missing, malformed or contradicts itself."""

    reason = "BadConfiguration"


class AccessError(UsageError):
    """Access to the cluster, Argo CD or Git cannot be set up from what was given."""

    reason = "BadAccess"


class CommitError(AccessError):
    """A change could not be committed to the environment repository."""


class Superseded(GateError):
    """A newer commit than the intended one is pinned in Git already, so that nothing was written."""

    exit_code = ExitCode.SUPERSEDED
    reason = "NewerCommitPinned"


class PublishError(GateError):
    """GitHub did not take the verdict."""

    exit_code = ExitCode.COULD_NOT_PUBLISH
    reason = "NotPublished"


class InternalError(GateError):
    """A fault of the gate itself."""


class Cancelled(GateError):
    """The run was told to end by a signal (its number is ``signal``)."""

    reason = "Cancelled"

    def __init__(self, signal: int) -> None:
        super().__init__(f"The run was cancelled by signal {signal}.")
        self.signal = signal
        self.exit_code = ExitCode(128 + signal)
