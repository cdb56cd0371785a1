"""Lists: selectors, pages, and what a list was at an older resourceVersion."""

import base64
import json

from gate.lab.cluster.kinds import Kind
from gate.lab.cluster.refusals import Refused, bad_request, refusal
from gate.lab.cluster.selectors import Chooses, field_selector, label_selector
from gate.lab.cluster.store import Expired, Object, Store

_TOKEN_VERSION = "meta.k8s.io/v1"  # noqa: S105 - the version of its format
_TOO_OLD = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without "
    "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. "
    "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or "
    "deleted between the time the first chunk was returned and now may show up in the list."
)


def chosen_by(kind: Kind, query: dict[str, str]) -> Chooses:
    """What the label and field selector of a query choose; raises BadSelector."""
    labels = label_selector(query.get("labelSelector", ""))
    fields = field_selector(kind.name, query.get("fieldSelector", ""))
    return lambda body: labels(body) and fields(body)


def list_objects(store: Store, kind: Kind, namespace: str | None, query: dict[str, str]) -> Object:
    """The list that a query asks for; raises BadSelector and Refused (400, 410)."""
    chooses = chosen_by(kind, query)
    version, start = store.version, ""
    if query.get("continue"):
        version, start = _parse_token(query["continue"])
    elif query.get("resourceVersionMatch") == "Exact":
        version = parse_version(query.get("resourceVersion", ""))
    objects = _objects_at(store, kind, namespace, version, start)
    items = [body for body in objects if _place(body) > start and chooses(body)]
    limit = _number(query, "limit")
    page = items[:limit] if limit else items
    metadata: Object = {"resourceVersion": str(store.version if version < 0 else version)}
    custom = kind.group == "argoproj.io"
    if custom:
        metadata["continue"] = ""
    if len(page) < len(items):
        metadata["continue"] = _token(version, _place(page[-1]))
        if not query.get("labelSelector") and not query.get("fieldSelector"):
            metadata["remainingItemCount"] = len(items) - len(page)
    shown = page if custom else [_bare(body) for body in page]
    return {"kind": f"{kind.name}List", "apiVersion": kind.api_version, "metadata": metadata, "items": shown}


def parse_version(text: str) -> int:
    """A resourceVersion; raises Refused as the API server, which has no reason for it."""
    if not text.isascii() or not text.isdecimal():
        words = f'resourceVersion: Invalid value: "{text}": strconv.ParseUint: parsing "{text}": invalid syntax'
        raise Refused(refusal(500, "", words))
    return int(text)


def _objects_at(store: Store, kind: Kind, namespace: str | None, version: int, start: str) -> list[Object]:
    """The objects as they were; ``start`` is where a page begins, which a refusal names in a token of its own."""
    objects = store.objects(kind.name, namespace)
    if version in (-1, store.version):
        return sorted(objects, key=_place)
    found = {_place(body): body for body in objects}
    try:
        changes = store.changes_since(version)
    except Expired:
        if start == "":
            text = "The resourceVersion for the provided list is too old."
            raise Refused(refusal(410, "Expired", text)) from None
        raise Refused(refusal(410, "Expired", _TOO_OLD, metadata={"continue": _token(-1, start)})) from None
    for change in reversed(changes):
        if change.kind == kind.name and namespace in (None, change.key[1]):
            if change.before is None:
                found.pop(_place(change.body), None)
            else:
                found[_place(change.body)] = change.before
    return [found[place] for place in sorted(found)]


def _place(body: Object) -> str:
    """Where an object stands in a list."""
    metadata = body["metadata"]
    return f"{metadata.get('namespace', '')}/{metadata['name']}"


def _bare(body: Object) -> Object:
    """As an item of a list of a built-in kind, which names its kind once."""
    return {name: value for name, value in body.items() if name not in ("kind", "apiVersion")}


def _number(query: dict[str, str], name: str) -> int:
    text = query.get(name) or "0"
    if not text.isascii() or not text.isdecimal():
        raise bad_request(f'strconv.ParseInt: parsing "{text}": invalid syntax')
    return int(text)


def _token(version: int, start: str) -> str:
    token = {"v": _TOKEN_VERSION, "rv": version, "start": f"{start}\0"}
    return base64.urlsafe_b64encode(json.dumps(token, separators=(",", ":")).encode()).decode().rstrip("=")


def _parse_token(text: str) -> tuple[int, str]:
    """The version and the last object that was given; raises Refused."""
    try:
        token = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        return int(token["rv"]), str(token["start"]).rstrip("\0")
    except (ValueError, KeyError, TypeError) as error:
        raise bad_request(f"invalid continue token: continue key is not valid: {error}") from None
