"""``spec.ignoreDifferences``: what is not looked at when a wanted object is held against a live one. Pure."""

import copy
from fnmatch import fnmatchcase
from typing import Any

from gate.lab.argocd.annotations import resource_key
from gate.lab.cluster.store import Object

_GONE = object()


def as_ignored(app: Object, target: Object, live: Object) -> Object:
    """The wanted object, with the live one's values wherever the Application ignores differences.

    Only ``jsonPointers`` are understood, not jq expressions or field managers.
    """
    rules = [one for one in app["spec"].get("ignoreDifferences") or () if _matches(one, target)]
    pointers = [pointer for rule in rules for pointer in rule.get("jsonPointers") or ()]
    if not pointers:
        return target
    made = copy.deepcopy(target)
    for pointer in pointers:
        path = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
        _take(made, path, _at(live, path))
    return made


def _matches(rule: Object, body: Object) -> bool:
    key = resource_key(body)
    named = rule.get("name") in (None, "", key.name) and rule.get("namespace") in (None, "", key.namespace)
    return named and fnmatchcase(key.group, rule.get("group") or "") and fnmatchcase(key.kind, rule.get("kind") or "*")


def _step(found: Any, part: str) -> Any:
    if isinstance(found, dict):
        return found.get(part, _GONE)
    if isinstance(found, list) and part.isdigit() and int(part) < len(found):
        return found[int(part)]
    return _GONE


def _at(body: Any, path: list[str]) -> Any:
    for part in path:
        body = _step(body, part)
    return body


def _take(body: Any, path: list[str], value: Any) -> None:
    *way, last = path
    holder = _at(body, way)
    if isinstance(holder, dict):
        if value is _GONE:
            holder.pop(last, None)
        else:
            holder[last] = copy.deepcopy(value)
    elif isinstance(holder, list) and last.isdigit() and int(last) < len(holder) and value is not _GONE:
        holder[int(last)] = copy.deepcopy(value)
