"""All pages of one list, or none: a list that could not be read to its end is not a list."""

from typing import Any

from gate.adapters.failures import Cause, ReadFailed
from gate.adapters.kubernetes.kinds import KINDS
from gate.adapters.kubernetes.transport import Answer, Call, Transport, failure, parse_object
from gate.facts.moment import Raw

PAGE = 500
_MOST_PAGES = 400
_RESTARTS = 2


async def read_list(transport: Transport, kind: str, path: str, query: dict[str, str]) -> tuple[Raw, ...]:
    """Every item of the list; begun again when it expires between two pages. Raises ReadFailed."""
    for restart in range(_RESTARTS + 1):
        try:
            return await _all_pages(transport, kind, path, query)
        except ReadFailed as error:
            if error.cause is not Cause.EXPIRED or restart == _RESTARTS:
                raise
    raise AssertionError  # pragma: no cover - the loop returns or raises


async def _all_pages(transport: Transport, kind: str, path: str, query: dict[str, str]) -> tuple[Raw, ...]:
    items: list[Raw] = []
    room = transport.limits.body
    tokens: set[str] = set()
    asked = {**query, "limit": str(PAGE)}
    for _ in range(_MOST_PAGES):
        answer = await transport.send(Call(kind, path, asked, room=room))
        if answer.status != 200:
            raise _list_failure(kind, path, answer, transport.host)
        room -= len(answer.body)
        raw = parse_object(kind, answer)
        items.extend(_items(kind, raw))
        token = _continue_token(kind, raw)
        if token == "":
            return tuple(items)
        if token in tokens:
            break
        tokens.add(token)
        asked = {**query, "limit": str(PAGE), "continue": token}
    raise ReadFailed(kind, "the list does not end", 200, cause=Cause.MALFORMED)


def _list_failure(kind: str, path: str, answer: Answer, host: str) -> ReadFailed:
    if answer.status == 404:
        text = f"{host} does not serve {kind} ({KINDS[kind].api_version}): the CRD is missing, or the address is wrong"
        return ReadFailed(kind, text, 404, cause=Cause.NOT_SERVED)
    found = failure(kind, answer, host)
    place = path.split("/")[-2]
    return ReadFailed(
        kind,
        f"{found.error} (list in namespace {place})",
        found.status,
        cause=found.cause,
        retry_after=found.retry_after,
    )


def _items(kind: str, raw: Raw) -> list[Raw]:
    items: Any = raw.get("items")
    if raw.get("kind") != f"{kind}List" or not isinstance(items, list):
        raise ReadFailed(kind, f"the answer is no {kind}List with items", 200, cause=Cause.MALFORMED)
    if not all(isinstance(item, dict) for item in items):
        raise ReadFailed(kind, "the list holds something that is no object", 200, cause=Cause.MALFORMED)
    # The API leaves both out in lists of built-in kinds.
    missing = {"apiVersion": KINDS[kind].api_version, "kind": kind}
    return [{**missing, **item} for item in items]


def _continue_token(kind: str, raw: Raw) -> str:
    metadata = raw.get("metadata")
    if not isinstance(metadata, dict):
        raise ReadFailed(
            kind, "the list has no metadata, so it cannot be known to be whole", 200, cause=Cause.MALFORMED
        )
    token = metadata.get("continue", "")
    remaining = metadata.get("remainingItemCount", 0)
    if not isinstance(token, str) or (token == "" and remaining not in (0, None)):
        raise ReadFailed(kind, "the list says that it is not whole, but not how it goes on", 200, cause=Cause.MALFORMED)
    return token
