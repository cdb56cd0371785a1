"""What was seen of one thing: present, absent (asked, not there) or unreadable (could not ask).

A failed read is a value and never a zero, an empty list or an exception in the core, so that
no layer can mistake "we could not look" for "there is nothing".
"""

from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict

T = TypeVar("T")

DENIED = (401, 403)
"""The HTTP statuses by which access is refused."""


def kebab(name: str) -> str:
    """How a Python name is written in files: ``promotes_to`` is ``promotes-to``."""
    return name.replace("_", "-")


class Frozen(BaseModel):
    """Base of every model of ours: immutable, no unknown keys, no coercion between types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)


@dataclass(frozen=True)
class Present(Generic[T]):
    """It was read, and this is what it said."""

    value: T


@dataclass(frozen=True)
class Absent:
    """It was asked for and is not there. ``what`` names the object, ``field`` the field in it."""

    what: str
    field: str = ""


@dataclass(frozen=True)
class Unreadable:
    """It could not be asked for, or the answer could not be understood.

    ``status`` is the HTTP status when an API refused, ``error`` one line for a person.
    """

    what: str
    error: str
    field: str = ""
    status: int | None = None


Observed = Present[T] | Absent | Unreadable
"""One of the three, for a value of type T."""
