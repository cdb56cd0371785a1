"""What GitHub answers: content, or a refusal with its reasons."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gate.adapters.failures import ReadFailed, one_line


@dataclass(frozen=True)
class Answer:
    """An answer below 400. ``headers`` have lower-case names, ``body`` is None where there was none."""

    status: int
    headers: Mapping[str, str]
    body: Any


class Refused(Exception):
    """GitHub answered, and repeating the request would not help.

    ``says`` is GitHub's own message, ``errors`` its list of details; both are text from outside.
    """

    def __init__(self, what: str, status: int, says: str, errors: tuple[Mapping[str, Any], ...] = ()) -> None:
        super().__init__(f"{what}: HTTP {status}, {says}")
        self.what = what
        self.status = status
        self.says = says
        self.errors = errors


class LoginRefused(Refused):
    """GitHub did not let a GitHub App in: ``says`` names the App, what GitHub said, and what to look at."""


class NotConfirmed(Exception):
    """The request may or may not have been carried out (``failure`` is what was seen instead)."""

    def __init__(self, failure: ReadFailed) -> None:
        super().__init__(str(failure))
        self.failure = failure


def parsed(text: str) -> Any:
    """A body as JSON; None for none and for what is no JSON."""
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None


def refusal(body: Any) -> tuple[str, tuple[Mapping[str, Any], ...]]:
    """GitHub's message as one line, and its details, from the body of a refusal."""
    if not isinstance(body, dict):
        return "", ()
    message, errors = body.get("message"), body.get("errors")
    details = tuple(item for item in errors if isinstance(item, dict)) if isinstance(errors, list) else ()
    return one_line(message) if isinstance(message, str) else "", details


def graphql_refusal(body: Any) -> tuple[str, tuple[Mapping[str, Any], ...]]:
    """As ``refusal``, from the body of a GraphQL answer: its messages in one line, and its errors."""
    errors = body.get("errors") if isinstance(body, dict) else None
    details = tuple(item for item in errors if isinstance(item, dict)) if isinstance(errors, list) else ()
    return one_line("; ".join(str(item.get("message", "")) for item in details)), details


def has_next_page(answer: Answer) -> bool:
    """Whether the Link header names a next page."""
    return 'rel="next"' in answer.headers.get("link", "")
