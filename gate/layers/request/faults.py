"""Faults of an answer that show before its body is read: no answer, another answerer, a wrong status. Pure."""

import json
from dataclasses import replace

from gate.config.model import Request
from gate.facts.moment import RawResponse
from gate.layers.finding import Finding, held, pending
from gate.observed import DENIED
from gate.reasons import Reason

_REDIRECTS = range(300, 400)
_SERVER_ERRORS = range(500, 600)
_LATER = (408, 425, 429)
"""Not now: it says nothing about the release, and the API server or a gateway may have said it."""


def said_by_api_server(response: RawResponse) -> str | None:
    """The message of an answer that the API server itself gave instead of the Service; None otherwise."""
    if response.seen is not None:
        return response.seen.server_said
    if response.route != "service-proxy" or response.body is None or '"Status"' not in response.body:
        return None
    try:
        body = json.loads(response.body)
    except ValueError:
        return None
    if not isinstance(body, dict) or body.get("kind") != "Status" or body.get("apiVersion") != "v1":
        return None
    return str(body.get("message") or body.get("reason") or "no message")


def status_fault(request: Request, response: RawResponse) -> Finding | None:
    """The fault of the status code, if it is not the expected one."""
    status, wanted, name = response.status, request.expect.status, request.name
    key = f"request|{name}"
    if status is None:
        return held(Reason.EVIDENCE_MISSING, f"request {name}: an answer has no status")
    if status == wanted:
        return None
    message = f"request {name} by {response.route}: status {status}; expected {wanted}"
    if status in _SERVER_ERRORS:
        return pending(Reason.SERVER_ERROR, message, bad=True, grace=f"{key}|5xx")
    if status in _LATER:
        return pending(Reason.UNEXPECTED_STATUS, message, bad=True)
    if status in _REDIRECTS:
        target = response.headers.get("location") or response.headers.get("Location") or "nowhere"
        finding = pending(Reason.REDIRECTED, f"{message}; redirected to {target}", bad=True)
    elif status in (404, 410):
        finding = pending(Reason.ROUTE_GONE, message, bad=True)
    else:
        finding = pending(Reason.UNEXPECTED_STATUS, message, bad=True)
    return replace(finding, twice=f"{key}|{finding.reason}")


def transport_fault(request: Request, response: RawResponse) -> Finding | None:
    """The fault of an answer that did not come from the release at all."""
    name = request.name
    if response.error is not None:
        if response.error.startswith("address refused"):
            return held(Reason.ADDRESS_REFUSED, f"request {name}: {response.error}", final=True)
        return pending(Reason.REQUEST_NOT_ANSWERED, f"request {name} by {response.route}: {response.error}")
    said = said_by_api_server(response)
    if said is not None:
        reason = Reason.ACCESS_DENIED if response.status in DENIED else Reason.PROXY_NO_ENDPOINT
        return held(reason, f"request {name}: the API server answered {response.status} itself: {said}")
    if response.truncated:
        return held(Reason.BODY_TOO_LARGE, f"request {name}: the body is longer than 1 MiB")
    return None
