"""Refusals of the API server as ``Status`` objects, in its own words."""

import json
import re

from gate.lab.cluster.admission import BadBody, Invalid
from gate.lab.cluster.apply import NamespaceEnds
from gate.lab.cluster.kinds import Kind
from gate.lab.cluster.selectors import BadSelector
from gate.lab.cluster.store import AlreadyExists, Conflict, Expired, NotFound, Object, StoreError
from gate.lab.http import Reply

JSON = {"Content-Type": "application/json", "Cache-Control": "no-cache, private"}
TEXT = {"Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-cache, private"}
PAGE_NOT_FOUND = Reply(404, b"404 page not found\n", TEXT)
TOO_MANY_REQUESTS = Reply(429, b"Too many requests, please try again later.\n", {**TEXT, "Retry-After": "1"})
_CODES: dict[type[StoreError], tuple[int, str]] = {
    NotFound: (404, "NotFound"),
    AlreadyExists: (409, "AlreadyExists"),
    Conflict: (409, "Conflict"),
    Expired: (410, "Expired"),
    BadBody: (400, "BadRequest"),
    NamespaceEnds: (403, "Forbidden"),
}


class Refused(Exception):
    """A request that is refused; ``status`` is the Status that says so."""

    def __init__(self, status: Object) -> None:
        super().__init__(status["message"])
        self.status = status


def refusal(
    code: int, reason: str, message: str, details: Object | None = None, metadata: Object | None = None
) -> Object:
    """A ``Status`` of a failure."""
    status: Object = {"kind": "Status", "apiVersion": "v1", "metadata": metadata or {}, "status": "Failure"}
    status["message"] = message
    if reason:
        status["reason"] = reason
    if details is not None:
        status["details"] = details
    return {**status, "code": code}


def bad_request(message: str) -> Refused:
    """400: what was asked cannot be understood."""
    return Refused(refusal(400, "BadRequest", message))


def unknown_resource() -> Refused:
    """404: a group that is served has no such resource."""
    return Refused(refusal(404, "NotFound", "the server could not find the requested resource", {}))


def not_allowed() -> Refused:
    """405: the resource does not know this verb."""
    text = "the server does not allow this method on the requested resource"
    return Refused(refusal(405, "MethodNotAllowed", text, {}))


def unsupported_media() -> Refused:
    """415: a body of a kind that is not read here."""
    return Refused(refusal(415, "UnsupportedMediaType", "415: Unsupported Media Type", {}))


def unavailable(message: str) -> Refused:
    """503: what stands behind the API server does not answer."""
    return Refused(refusal(503, "ServiceUnavailable", message))


def refusal_of(error: StoreError | BadSelector, kind: Kind) -> Object:
    """The Status for what the store or a selector refused about an object of this kind, or about its namespace."""
    if isinstance(error, BadSelector):
        return refusal(400, "BadRequest", str(error))
    if isinstance(error, Invalid):
        causes = [{"reason": one.reason, "message": one.message, "field": one.field} for one in error.causes]
        return refusal(422, "Invalid", str(error), {**details(kind, error.name, kind.name), "causes": causes})
    code, reason = _CODES[type(error)]
    if isinstance(error, Expired | BadBody):
        return refusal(code, reason, str(error))
    named = re.search(r'([a-z]+)(?:\.([a-z0-9.]+))? "([^"]*)"', str(error))
    resource, group, name = named.groups() if named is not None else (kind.plural, kind.group, "")
    found: Object = {"name": name, "group": group, "kind": resource}
    return refusal(code, reason, str(error), {key: value for key, value in found.items() if value})


def details(kind: Kind, name: str, word: str) -> Object:
    """The details of a Status about one object."""
    found: Object = {"name": name}
    if kind.group:
        found["group"] = kind.group
    return {**found, "kind": word}


def reply(body: Object, code: int = 200) -> Reply:
    """An object as it is sent; a Status with its own code."""
    status = int(body.get("code", code)) if body.get("kind") == "Status" else code
    return Reply(status, json.dumps(body, separators=(",", ":")).encode() + b"\n", JSON)
