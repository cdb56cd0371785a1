"""What became of something published. A failure is a value: it must not hide the verdict."""

from enum import StrEnum

from gate.adapters.failures import Cause, ReadFailed
from gate.adapters.github.answer import NotConfirmed, Refused
from gate.errors import PublishError
from gate.observed import Frozen


class PublishOutcome(StrEnum):
    """Every way in which publishing can end."""

    PUBLISHED = "published"
    UNCHANGED = "unchanged"
    """The same stands there already."""
    DEFERRED = "deferred"
    """Not now: the one before is less than a minute old."""
    NEWER_STANDS = "newer-stands"
    """A run for a newer commit has written there; it is left alone."""
    NOT_ATTEMPTED = "not-attempted"
    """Nothing was sent, for a reason known before."""
    READ_ONLY_TOKEN = "read-only-token"  # noqa: S105 - an outcome
    BAD_TOKEN = "bad-token"  # noqa: S105 - an outcome
    UNKNOWN_COMMIT = "unknown-commit"
    NOT_FOUND = "not-found"
    TOO_MANY_STATUSES = "too-many-statuses"
    TOO_LONG = "too-long"
    REFUSED = "refused"
    RATE_LIMITED = "rate-limited"
    UNREACHABLE = "unreachable"


_FINE = frozenset({PublishOutcome.PUBLISHED, PublishOutcome.UNCHANGED, PublishOutcome.NEWER_STANDS})
_NOT_NEEDED = frozenset({PublishOutcome.DEFERRED, PublishOutcome.NOT_ATTEMPTED})

_ADVICE = {
    PublishOutcome.READ_ONLY_TOKEN: (
        "the token may not write; pull requests from forks get a read-only token.",
        "grant the job statuses: write and pull-requests: write; for a fork, read the job's log and summary.",
    ),
    PublishOutcome.BAD_TOKEN: (
        "the token is wrong, was revoked, or outlived its hour.",
        "pass github-token, or leave it out and use the job's own; for a GitHub App, correct its id and key.",
    ),
    PublishOutcome.UNKNOWN_COMMIT: (
        "the commit is not in this repository, or the token does not reach it.",
        "give the commit that was pushed here.",
    ),
    PublishOutcome.NOT_FOUND: (
        "the pull request is not in this repository, or the token does not reach it.",
        "check the number, and grant pull-requests: write.",
    ),
    PublishOutcome.TOO_MANY_STATUSES: (
        "1000 statuses of this name stand on this commit already, and GitHub takes no more.",
        "push a new commit.",
    ),
    PublishOutcome.RATE_LIMITED: (
        "this token, or what shares its budget, made too many requests.",
        "run fewer workflows at a time, or use a token with a budget of its own.",
    ),
    PublishOutcome.UNREACHABLE: (
        "GitHub is down, or cannot be reached from this runner.",
        "run the job again; the evidence file has the verdict.",
    ),
}

_OTHERWISE = (
    "GitHub, or a rule of this repository, takes none of it; what it said stands above.",
    "see whether GitHub has trouble and run the job again; if it stays, report it.",
)


class PublishResult(Frozen):
    """What became of one attempt to publish ``what``.

    ``detail`` is one line for a person and holds no secret; ``url`` leads to what was published.
    """

    what: str
    outcome: PublishOutcome
    detail: str = ""
    url: str | None = None

    @property
    def published(self) -> bool:
        """Whether GitHub shows what was to be shown, or something newer."""
        return self.outcome in _FINE

    @property
    def failed(self) -> bool:
        """Whether GitHub was to take it and did not."""
        return self.outcome not in _FINE and self.outcome not in _NOT_NEEDED

    def as_error(self) -> PublishError:
        """The error for a run whose verdict could not be published."""
        means, change = _ADVICE.get(self.outcome, _OTHERWISE)
        return PublishError(f"The {self.what} was not published: {self.detail}.", means=means, change=change)


def not_published(what: str, failure: Refused | ReadFailed | NotConfirmed) -> PublishResult:
    """The result that this failure makes."""
    if isinstance(failure, Refused):
        said = f"HTTP {failure.status}, {failure.says}" if failure.says else f"HTTP {failure.status}"
        return PublishResult(what=what, outcome=_refusal(failure), detail=said)
    cause = failure.failure if isinstance(failure, NotConfirmed) else failure
    limited = cause.cause is Cause.THROTTLED
    outcome = PublishOutcome.RATE_LIMITED if limited else PublishOutcome.UNREACHABLE
    return PublishResult(what=what, outcome=outcome, detail=cause.error)


def _refusal(refused: Refused) -> PublishOutcome:
    """GitHub's words, and the status where the words are not known."""
    words = " ".join([refused.says, *(str(error.get("message", "")) for error in refused.errors)]).lower()
    if refused.status == 401:
        return PublishOutcome.BAD_TOKEN
    if refused.status == 403:
        read_only = "not accessible by" in words or "must have" in words
        return PublishOutcome.READ_ONLY_TOKEN if read_only else PublishOutcome.REFUSED
    if refused.status == 404:
        return PublishOutcome.NOT_FOUND
    if "no commit found" in words:
        return PublishOutcome.UNKNOWN_COMMIT
    if "maximum number of statuses" in words:
        return PublishOutcome.TOO_MANY_STATUSES
    if "too long" in words:
        return PublishOutcome.TOO_LONG
    return PublishOutcome.REFUSED
