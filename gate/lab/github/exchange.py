"""What goes in and out: requests, replies, refusals, and the record of an exchange."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from typing import Any

DOCUMENTATION = "https://docs.github.com/rest"


@dataclass(frozen=True)
class Request:
    """One request as received; `path` is relative to the API root and still percent-encoded."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any
    server: str
    prefix: str = ""

    @property
    def api(self) -> str:
        """The API root as this client addresses it (clients refuse other hosts in answers)."""
        return self.server + self.prefix

    def header(self, name: str) -> str:
        """A header by lower-case name, empty when not sent."""
        return self.headers.get(name, "")


@dataclass(frozen=True)
class Reply:
    """One answer; `body` is JSON unless it is bytes, and nothing at all for 204 and 304."""

    status: int = HTTPStatus.OK
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    media_type: str = "application/json; charset=utf-8"


@dataclass(frozen=True)
class Exchange:
    """A request and its answer, kept for assertions; `status` is None when none was sent.

    `template` is the path as the OpenAPI description writes it, None for an
    unknown operation. `fault` names the arranged fault that made the answer.
    """

    method: str
    path: str
    template: str | None
    query: Mapping[str, str]
    request_body: Any
    status: int | None
    response_body: Any
    response_headers: Mapping[str, str]
    at: datetime
    authorization: str | None
    accept: str = ""
    fault: str | None = None


class ApiError(Exception):
    """A refusal in GitHub's error format."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        errors: list[dict[str, Any]] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.errors = errors
        self.headers = dict(headers or {})

    def reply(self) -> Reply:
        """The answer that carries this refusal."""
        body: dict[str, Any] = {"message": self.message}
        if self.errors is not None:
            body["errors"] = self.errors
        body |= {"documentation_url": DOCUMENTATION, "status": str(self.status)}
        return Reply(self.status, body, self.headers)


def not_found(message: str = "Not Found") -> ApiError:
    """404, also for what the caller may not know about."""
    return ApiError(HTTPStatus.NOT_FOUND, message)


def unprocessable(message: str) -> ApiError:
    """422 with one sentence."""
    return ApiError(HTTPStatus.UNPROCESSABLE_ENTITY, message)


def invalid(resource: str, code: str, **details: str) -> ApiError:
    """422 "Validation Failed" with one entry in `errors`."""
    return ApiError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "Validation Failed",
        errors=[{"resource": resource, "code": code, **details}],
    )
