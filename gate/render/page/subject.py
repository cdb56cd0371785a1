"""What a page is about: the verdict, and the looks it rests on, as an evidence file keeps them."""

from dataclasses import dataclass
from datetime import datetime

from gate.config.model import Environment
from gate.facts.moment import Moment, Raw
from gate.verdict import Verdict


@dataclass(frozen=True)
class Subject:
    """One evidence file, read. ``objects`` and ``looks`` are its raw facts; ``moments`` the looks as judged.

    ``cut`` says in words what was left off, and is empty where nothing was.
    ``approves`` is the digest of the evidence that an approval rests on.
    """

    verdict: Verdict
    settings: Environment
    moments: tuple[Moment, ...]
    objects: tuple[Raw, ...]
    looks: tuple[Raw, ...]
    raw_settings: Raw
    settings_digest: str
    cut: str
    run: str
    run_url: str | None
    recorded_at: datetime
    versions: tuple[tuple[str, str], ...]
    digest: str
    approves: str | None = None
