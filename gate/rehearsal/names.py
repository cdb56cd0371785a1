"""The made-up commits, times and values of a rehearsal, and how one release is told from another. Pure."""

import string
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from uuid import NAMESPACE_URL, uuid5

INTENDED = "2a3b4c5d6e7f8091" * 2 + "2a3b4c5d"
PREVIOUS = "1f2e3d4c5b6a7980" * 2 + "1f2e3d4c"
NEWER = "3b4c5d6e7f809123" * 2 + "3b4c5d6e"
"""Commits: the one that is meant, the one deployed before it, and one that comes after it."""

START = datetime(2026, 1, 5, 10, 0, tzinfo=UTC)
STARTED, FINISHED, READY = (timedelta(seconds=-seconds) for seconds in (60, 55, 50))
"""When the first bundle is read, and before it: when the operation began and ended, and Pods were ready."""

_OTHER = str.maketrans(
    string.digits + string.ascii_lowercase + string.ascii_uppercase,
    "1234567890" + "bcdefa" + "hijklmnopqrstuvwxyzg" + "BCDEFA" + "HIJKLMNOPQRSTUVWXYZG",
)


def rfc3339(at: datetime) -> str:
    """The time as the APIs write it; whole seconds where it is one."""
    text = at.astimezone(UTC).isoformat(timespec="microseconds" if at.microsecond else "seconds")
    return text.replace("+00:00", "Z")


def uid(*parts: str) -> str:
    """A uid of the usual shape, always the same for the same parts."""
    return str(uuid5(NAMESPACE_URL, "/".join(parts)))


def other_text(text: str) -> str:
    """A text of the same shape in which every letter and digit is another one; hex digits stay hex digits."""
    return text.translate(_OTHER)


def other_values(values: Mapping[str, str | None]) -> dict[str, str | None]:
    """What a release calls itself that has nothing in common with this one."""
    made = {key: None if value is None else other_text(value) for key, value in values.items()}
    revision = made.get("revision")
    return made if revision is None else {**made, "short-revision": revision[:7]}
