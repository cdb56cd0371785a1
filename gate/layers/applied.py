"""What layer 2 found out about the operation, as the layers behind it need to know. Pure."""

from dataclasses import dataclass
from datetime import datetime

from gate.layers.finding import Answer


@dataclass(frozen=True)
class Applied:
    """Layer 2's answer, and what the later layers need to know of the operation.

    ``running_at_intended``: an operation at the intended commit is running, so that what it
    has applied may be judged bad (and never good). ``no_op``: the commit changed nothing here.
    """

    answer: Answer
    running_at_intended: bool = False
    no_op: bool = False
    started_at: datetime | None = None
    finished_at: datetime | None = None
