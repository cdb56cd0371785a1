"""The evidence file of one verdict: what was asked, every look that changed something, and the verdict.

Recording is by allow-list. The verdict follows from what is recorded: whoever has the file can decide
again. The digest shows damage; it does not show forgery, for whoever changes the file can compute it anew.
"""

import hashlib
import json
from datetime import datetime, timedelta
from typing import Annotated, Any, Final, Literal

from pydantic import ConfigDict, Field, StringConstraints, ValidationError

from gate.config.model import Environment
from gate.errors import UsageError
from gate.facts.moment import GitRecord, Raw, SeenBody, UnreadableRead
from gate.memory import Memory
from gate.outcomes import Layer, Outcome
from gate.verdict import Answered, Verdict

SCHEMA: Final = "promotion-gate/evidence/v2"

HIDDEN = "***"
"""Stands in place of what must not be kept."""

Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0)]


class RunFacts(Answered):
    """The run that gave the verdict. ``id`` tells runs for one commit apart; outside of a workflow it names a time.

    ``reported_commit`` is the commit that the status went to, ``pull_request`` the number the comment went to.
    ``approves`` is the digest of the evidence that an approval rests on; None for every other run.
    ``versions`` are those of the gate, of Python and of the libraries that read the evidence.
    """

    id: str
    url: str | None = None
    repository: str | None = None
    reported_commit: str | None = None
    pull_request: int | None = None
    approves: Digest | None = None
    versions: dict[str, str]


class AskedFacts(Answered):
    """What was asked: the environment's settings in force, by the configuration's own keys, and when time is up.

    ``settings_digest`` is the SHA-256 of the settings as they were in force. Query values of requests and
    secrets of the run are hidden in ``settings`` (``***``), so that the digest cannot be made again then.
    """

    settings: Raw
    settings_digest: Digest
    deadline_at: datetime | None = None

    @property
    def hidden(self) -> bool:
        """Whether something is hidden in the settings."""
        return HIDDEN in json.dumps(self.settings)


class Sample(Answered):
    """One sample of one request: never its headers or its body, only what was seen of it.

    ``took`` is in seconds. ``redirected_to`` is the scheme and host that a redirect led to.
    """

    request: str
    route: str
    at: datetime | None = None
    status: int | None = None
    error: str | None = None
    took: float | None = None
    truncated: bool = False
    redirected_to: str | None = None
    seen: SeenBody | None = None


class Poll(Answered):
    """One look that changed something. Numbers are places in the file's ``objects``.

    ``git`` is what Git had told since the look before. ``repeated`` looks after this one changed nothing.
    """

    now: datetime
    applications: tuple[Count, ...] = ()
    applications_again: tuple[Count, ...] | None = None
    objects: tuple[Count, ...] = ()
    objects_again: tuple[Count, ...] | None = None
    responses: tuple[Sample, ...] = ()
    unreadable: tuple[UnreadableRead, ...] = ()
    git: GitRecord | None = None
    deadline: bool = False
    repeated: Count = 0


class Cut(Answered):
    """``polls`` looks after the first one were left off; ``memory`` is what they left behind for those that follow."""

    polls: Annotated[int, Field(ge=1)]
    since: datetime
    until: datetime
    git: GitRecord
    memory: Memory


class EvidenceFile(Answered):
    """``evidence/<environment>/<commit>/<run>.json``.

    ``objects`` are upstream objects, each once, with the fields that the gate reads. ``digest`` is the
    SHA-256 of the canonical JSON of everything else (keys sorted, no blanks, UTF-8).
    """

    model_config = ConfigDict(title="Evidence of the promotion gate")

    schema_name: Literal["promotion-gate/evidence/v2"] = Field(alias="schema")
    recorded_at: datetime
    run: RunFacts
    asked: AskedFacts
    verdict: Verdict
    objects: tuple[Raw, ...]
    polls: tuple[Poll, ...]
    cut: Cut | None
    digest: Digest

    @property
    def environment(self) -> Environment:
        """The settings as a model; raises ValidationError where they are none."""
        return Environment.model_validate(self.asked.settings)

    @property
    def was_pinned(self) -> bool:
        """Whether its commit was seen pinned at some time: only then does it tell of that commit deployed."""
        said = [(one.layer, one.outcome) for one in self.verdict.layers]
        turned = [(one.layer, one.outcome) for one in self.verdict.timeline]
        return (Layer.INTENT, Outcome.PASSED) in said + turned

    @property
    def plain(self) -> Raw:
        """The file's content as plain data."""
        return self.model_dump(mode="json", by_alias=True)


class EvidenceRefused(UsageError):
    """An evidence file that was read, and proves nothing."""


def canonical(values: Raw) -> bytes:
    """JSON that is the same for the same values: sorted keys, no blanks, UTF-8."""
    return json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def sha256(content: bytes) -> str:
    """``sha256:`` and 64 hex digits."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def digest_of(values: Raw) -> str:
    """The digest of an evidence file as plain data; its own ``digest`` does not count."""
    return sha256(canonical({key: value for key, value in values.items() if key != "digest"}))


NO_DIGEST = f"sha256:{'0' * 64}"
"""Stands in a file whose content is not complete yet."""


def with_digest(evidence: EvidenceFile) -> EvidenceFile:
    """The evidence file with the digest of its content."""
    return evidence.model_copy(update={"digest": digest_of(evidence.plain)})


def is_evidence(raw: object) -> bool:
    """Whether a parsed document says that it is an evidence file."""
    return isinstance(raw, dict) and isinstance(raw.get("schema"), str) and "verdict" in raw


def _has_null(value: Any) -> bool:
    """Whether a recorded object holds a null: what is not there is left out."""
    if isinstance(value, dict | list):
        return any(map(_has_null, value.values() if isinstance(value, dict) else value))
    return value is None


def _zones(evidence: EvidenceFile) -> set[timedelta | None]:
    """How far the times that the gate itself wrote down are from UTC; None for one that does not say."""
    polls, cut, until = evidence.polls, evidence.cut, evidence.asked.deadline_at
    times = [evidence.recorded_at, evidence.verdict.at, *(poll.now for poll in polls)]
    times += [] if cut is None else [cut.since, cut.until]
    return {at.utcoffset() for at in (times if until is None else [*times, until])}


def _check_version(raw: Any) -> None:
    """Raise EvidenceRefused for a file of another version of the schema, whatever else stands in it."""
    named = raw.get("schema") if isinstance(raw, dict) else None
    if named != SCHEMA and isinstance(named, str) and named.startswith(SCHEMA.rpartition("/")[0]):
        raise EvidenceRefused(
            f"The evidence file is of the schema {named[:60]}; this version of the gate reads {SCHEMA}.",
            means="another version of the gate wrote it",
            change="use the version that its run.versions.gate names",
        )


def parse_evidence(raw: Any) -> EvidenceFile:
    """A parsed evidence file whose digest fits; whether its verdict follows is ``redecide``'s question.

    Raises EvidenceRefused for a file that is damaged or of another schema.
    """
    _check_version(raw)
    try:
        evidence = EvidenceFile.model_validate_json(json.dumps(raw))
        fits, whole = evidence.digest == digest_of(raw), canonical(evidence.plain) == canonical(raw)
        whole = whole and not any(map(_has_null, evidence.objects))
    except (ValidationError, TypeError, ValueError, RecursionError) as error:
        where = ""
        if isinstance(error, ValidationError):
            first = error.errors(include_url=False, include_input=False)[0]
            where = f": {'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
        raise refused(f"The evidence file cannot be read{where}") from error
    if not fits:
        raise refused("The evidence file's digest does not fit its content")
    if not whole:
        raise refused("The evidence file lacks keys, or holds something that is not written as the gate writes it")
    if _zones(evidence) != {timedelta()}:
        raise refused("The evidence file holds times that are not in UTC")
    return evidence


def refused(happened: str) -> EvidenceRefused:
    """The error for an evidence file that proves nothing."""
    return EvidenceRefused(
        f"{happened}.",
        means="it was changed or cut after it was written, or is of another version",
        change="take the file as the run wrote it",
    )
