"""What stored evidence has to be like for an approval to rest on it."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field, model_validator

from gate.config.duration import Between, Duration
from gate.config.shapes import Configured, Misplaced

_SHORTEST = timedelta(minutes=1)


class Approval(Configured):
    """Whether there has to be one, how old the evidence may be, how long the release has to have stood."""

    required: bool = Field(
        default=False,
        description="Whether what promotes from here needs gate approve: no check or re-check gives it a success then.",
    )
    max_age: Annotated[Duration, Between(_SHORTEST)] = Field(
        default=timedelta(hours=24),
        description="How old the passed verdict may be that an approval rests on; at least 1m.",
    )
    soak: Annotated[Duration, Between(timedelta(seconds=1))] | None = Field(
        default=None,
        description="How long the commit has to have passed, from its first passed verdict on and with none since that "
        "is not; shorter than max-age. Default: no such time.",
    )

    @model_validator(mode="after")
    def _can_be_met(self) -> "Approval":
        if self.soak is not None and self.soak >= self.max_age:
            raise Misplaced("must be shorter than approval.max-age, or nothing can be approved", "soak")
        return self
