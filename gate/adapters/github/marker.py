"""The hidden first line of a comment: whose it is, and which run wrote it. Pure."""

import re
from datetime import UTC, datetime
from typing import Annotated

from pydantic import AwareDatetime, Field, StringConstraints

from gate.adapters.github.models import FullId
from gate.observed import Frozen

_DETAILS = re.compile(
    r"commit=(?P<commit>[0-9a-f]{40}|[0-9a-f]{64}):run=(?P<run>[0-9]{1,18}):attempt=(?P<attempt>[0-9]{1,6})"
    r":at=(?P<at>[0-9]{8}T[0-9]{6}Z)"
)
_TIME = "%Y%m%dT%H%M%SZ"


class Marker(Frozen):
    """Which run of which environment wrote a comment: the commit it reported on, and when it began."""

    environment: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]+$")]
    commit: FullId
    run: Annotated[int, Field(ge=0)]
    attempt: Annotated[int, Field(ge=1)]
    began: AwareDatetime

    @property
    def line(self) -> str:
        """The line as it stands in the comment."""
        at = self.began.astimezone(UTC).strftime(_TIME)
        details = f"commit={self.commit}:run={self.run}:attempt={self.attempt}:at={at}"
        return f"{_start(self.environment)}{details} -->"

    def same_run(self, other: "Marker") -> bool:
        """Whether one attempt of one run wrote both."""
        return (self.run, self.attempt) == (other.run, other.attempt)

    def began_after(self, other: "Marker") -> bool:
        """Whether this run began later than the other; in the same second, the higher run id did."""
        ours, theirs = self.began.replace(microsecond=0), other.began.replace(microsecond=0)
        return (ours, self.run, self.attempt) > (theirs, other.run, other.attempt)


def _start(environment: str) -> str:
    return f"<!-- promotion-gate:{environment}:"


def is_marked(body: str, environment: str) -> bool:
    """Whether the first line of a comment is a marker of this environment."""
    return body.startswith(_start(environment)) and body.partition("\n")[0].rstrip("\r").endswith(" -->")


def parse_marker(body: str, environment: str) -> Marker | None:
    """The marker in a comment's first line; None where it is no marker that we could have written."""
    first = body.partition("\n")[0].rstrip("\r")
    found = _DETAILS.fullmatch(first.removeprefix(_start(environment)).removesuffix(" -->"))
    if not is_marked(body, environment) or found is None or int(found["attempt"]) < 1:
        return None
    try:
        began = datetime.strptime(found["at"], _TIME).replace(tzinfo=UTC)
    except ValueError:
        return None
    return Marker(
        environment=environment,
        commit=found["commit"],
        run=int(found["run"]),
        attempt=int(found["attempt"]),
        began=began,
    )
