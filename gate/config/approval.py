"""What stored evidence has to be like for an approval to rest on it."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from gate.config.duration import OLDEST, Age, Between
from gate.config.shapes import Configured

_SHORTEST = timedelta(minutes=1)


class Approval(Configured):
    """Whether there has to be one, how old the evidence may be, how long the release has to have stood."""

    required: bool = Field(
        default=False,
        description="Whether what promotes from here needs gate approve: no check or re-check gives it a success then.",
    )
    max_age: Annotated[Age, Between(_SHORTEST, OLDEST)] = Field(
        default=timedelta(hours=24),
        description="How old the passed verdict may be that an approval rests on; 1m to 90d.",
    )
    soak: Annotated[Age, Between(timedelta(seconds=1), OLDEST)] | None = Field(
        default=None,
        description="How long the commit has to have passed, from its first passed verdict on and with none since that "
        "is not; at most 90d. Default: no such time.",
    )
