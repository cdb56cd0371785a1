"""One moment's raw evidence: what a poll read, exactly as the APIs returned it.

The live observer and ``gate replay`` make the same model, so both are judged by the same code.
"""

from datetime import datetime
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

from gate.observed import kebab

Raw = dict[str, Any]


def _time(value: object) -> object:
    if isinstance(value, str | datetime):
        return value
    raise ValueError("expected an RFC 3339 time as text")


Time = Annotated[AwareDatetime, Field(strict=False), BeforeValidator(_time)]
"""A time with a zone: a datetime, or RFC 3339 text."""


class Recorded(BaseModel):
    """Base of the recorded-evidence models: frozen, no unknown keys, kebab-case names."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        hide_input_in_errors=True,
        alias_generator=kebab,
        populate_by_name=True,
    )


class SeenValue(Recorded):
    """What one JSONPath selected in a body: how many values and, of a single one, its text in short and its digest."""

    count: Annotated[int, Field(ge=0)]
    text: str = ""
    digest: str = ""


class SeenBody(Recorded):
    """What a body came to when it was looked at: all that is judged of it, and all that evidence keeps.

    ``digest`` is ``sha256:`` of the whole body. ``json_values`` are the values at the expected paths, None
    where the body is not JSON. ``pattern`` is the expression that was looked for and ``found`` what came of
    it (None: there was none to look for). ``server_said`` is set where the API server answered itself.
    """

    digest: str
    characters: Annotated[int, Field(ge=0)]
    json_values: dict[str, SeenValue] | None = None
    pattern: str | None = None
    found: bool | None = None
    server_said: str | None = None


class RawResponse(Recorded):
    """One sample of one request. Either ``status`` with ``body``, or ``error``.

    ``request`` is the configured name, ``route`` how it went out, ``at`` when the answer (or the
    error) was there. ``headers`` hold only what the gate keeps (content type, date, location).
    ``took`` is in seconds. ``truncated``: the body was longer than 1 MiB and cut. ``seen`` stands in
    place of the body in what comes from an evidence file.
    """

    request: str
    route: str
    at: Time | None = None
    status: int | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    body: str | None = None
    error: str | None = None
    took: float | None = None
    truncated: bool = False
    seen: SeenBody | None = None


class UnreadableRead(Recorded):
    """A read that failed. ``what``: a kind, ``Kind namespace/name``, ``request NAME`` or ``commit``."""

    what: str
    error: str
    status: int | None = None


class Moment(Recorded):
    """One poll: Application read, objects, requests, Application read again.

    ``applications`` and ``applications_again`` hold raw Application objects; ``objects`` any
    other kind; ``objects_again`` workloads that were read a second time after the requests.
    ``deadline`` says that time is up at this moment. Of both ``..._again`` None means: not read.
    """

    now: Time
    applications: tuple[Raw, ...] = Field(default=(), strict=False)
    applications_again: tuple[Raw, ...] | None = Field(default=None, strict=False)
    objects: tuple[Raw, ...] = Field(default=(), strict=False)
    objects_again: tuple[Raw, ...] | None = Field(default=None, strict=False)
    responses: tuple[RawResponse, ...] = Field(default=(), strict=False)
    unreadable: tuple[UnreadableRead, ...] = Field(default=(), strict=False)
    deadline: bool = False


class RawCommit(Recorded):
    """A commit as Git knows it. ``parents``: full ids, empty for a root commit."""

    tree: str
    parents: tuple[str, ...] = Field(strict=False)
    message: str
    author: str = ""
    committed_at: Time | None = None
    files: tuple[str, ...] | None = Field(default=None, strict=False)


class GitRecord(Recorded):
    """What Git said: commits by full id, refs, and relations that an API answered.

    ``relations`` maps ``BASE...HEAD`` to the relation of HEAD to BASE (``ahead``, ``behind``,
    ``identical``, ``diverged``), for histories whose commits were not all read. ``files`` maps it to
    the paths that differ between the two, where HEAD is ahead and all of them, and all commits, are known.
    """

    commits: dict[str, RawCommit] = Field(default_factory=dict)
    refs: dict[str, str] = Field(default_factory=dict)
    relations: dict[str, str] = Field(default_factory=dict)
    files: dict[str, Annotated[tuple[str, ...], Field(strict=False)]] = Field(default_factory=dict)
