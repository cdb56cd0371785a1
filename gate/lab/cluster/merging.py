"""How a body is merged into the object that is there: apply, merge patch, strategic merge patch. Pure.

Lists of built-in kinds are merged by the key that Kubernetes has for them; those of custom resources,
and lists without a key, are replaced as a whole.
"""

import copy
from collections.abc import Sequence
from typing import Any

from gate.lab.cluster.store import Object

_KEYS: dict[str, tuple[str, ...]] = {
    "containers": ("name",),
    "initContainers": ("name",),
    "ephemeralContainers": ("name",),
    "env": ("name",),
    "volumes": ("name",),
    "volumeMounts": ("mountPath",),
    "volumeDevices": ("devicePath",),
    "imagePullSecrets": ("name",),
    "hostAliases": ("ip",),
    "topologySpreadConstraints": ("topologyKey", "whenUnsatisfiable"),
    "ownerReferences": ("uid",),
    "conditions": ("type",),
    "podIPs": ("ip",),
    "secrets": ("name",),
}
_Key = tuple[Any, ...]
_DIRECTIVE = "$patch"
_ABSENT: Any = object()


def keys_of(kind: str, field: str, items: Sequence[Any]) -> tuple[str, ...]:
    """The fields that tell the items of this list apart; none where the list is replaced as a whole."""
    if field != "ownerReferences" and kind in ("Application", "AppProject", "ApplicationSet", "EndpointSlice"):
        return ()
    if not all(isinstance(item, dict) for item in items):
        return ()
    if field == "ports":
        port = "port" if kind == "Service" else "containerPort"
        return (port, "protocol") if all(port in item for item in items) else ()
    return _KEYS.get(field, ())


def merge_applied(kind: str, live: Object, given: Object, owned: Object, others: Sequence[Object]) -> Object:
    """The live object with what is applied: ``given`` wins, what only ``owned`` (applied before) had goes.

    What one of ``others`` (applied by other field managers) has too stays.
    """
    merged: Object = _applied(kind, "", live, given, owned, others)
    if kind == "Deployment" and "spec" in given:
        _drop_old_strategy(merged["spec"], given["spec"])
    return merged


def _drop_old_strategy(spec: Object, given: Object) -> None:
    """The defaults of another strategy go, as kubectl's and Argo CD's apply ask for with ``$retainKeys``."""
    if given.get("strategy", {}).get("type") == "Recreate" and "rollingUpdate" not in given["strategy"]:
        spec["strategy"].pop("rollingUpdate", None)


def merge_patched(live: Any, patch: Any) -> Any:
    """RFC 7386: null removes, objects are merged, everything else replaces."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    merged = dict(live) if isinstance(live, dict) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = merge_patched(merged.get(name), value)
    return merged


def merge_strategic(kind: str, live: Any, patch: Any, field: str = "") -> Any:
    """As a merge patch, but lists with a key are merged by it; ``$patch`` replaces or deletes."""
    if isinstance(patch, dict):
        return _strategic_object(kind, live, patch)
    if isinstance(patch, list):
        return _strategic_list(kind, field, live, patch)
    return patch


def _applied(kind: str, field: str, live: Any, given: Any, owned: Any, others: Sequence[Any]) -> Any:
    if isinstance(live, dict) and isinstance(given, dict):
        return _applied_object(kind, live, given, owned if isinstance(owned, dict) else {}, others)
    if isinstance(live, list) and isinstance(given, list):
        keys = keys_of(kind, field, [*live, *given])
        if keys:
            return _applied_list(kind, keys, live, given, owned if isinstance(owned, list) else [], others)
        if field == "finalizers":
            return [*given, *(one for one in live if one not in given and one not in (owned or ()))]
    return copy.deepcopy(given)


def _applied_object(kind: str, live: Object, given: Object, owned: Object, others: Sequence[Any]) -> Object:
    merged = {}
    for name in [*live, *(name for name in given if name not in live)]:
        theirs = [other[name] for other in others if isinstance(other, dict) and name in other]
        if name in given:
            merged[name] = _applied(kind, name, live.get(name), given[name], owned.get(name), theirs)
        elif name not in owned or theirs:
            merged[name] = live[name]
        elif (rest := _released(kind, name, live[name], owned[name])) is not _ABSENT:
            merged[name] = rest
    return merged


def _applied_list(
    kind: str, keys: tuple[str, ...], live: list[Any], given: list[Any], owned: list[Any], others: Sequence[Any]
) -> list[Any]:
    there, before, wanted = _by_key(keys, live), _by_key(keys, owned), _by_key(keys, given)
    theirs = [_by_key(keys, other) for other in others if isinstance(other, list)]
    merged = []
    for key in _order(list(there), list(wanted)):
        beside = [other[key] for other in theirs if key in other]
        if key in wanted:
            merged.append(_applied(kind, "", there.get(key, {}), wanted[key], before.get(key), beside))
        elif key not in before or beside:
            merged.append(there[key])
    return merged


def _order(live: list[_Key], given: list[_Key]) -> list[_Key]:
    """What is given in its order, and what is only there where it was among it."""
    order: list[_Key] = []
    rest = list(given)
    for key in live:
        if key not in given:
            order.append(key)
        while key in rest:
            order.append(rest.pop(0))
    return [*order, *rest]


def _released(kind: str, field: str, live: Any, owned: Any) -> Any:
    """What is left of a field that is no longer applied: what others wrote into it."""
    if isinstance(live, dict) and isinstance(owned, dict) and owned:
        rest = _applied_object(kind, live, {}, owned, ())
        return rest or _ABSENT
    if isinstance(live, list) and isinstance(owned, list) and (keys := keys_of(kind, field, [*live, *owned])):
        return _applied_list(kind, keys, live, [], owned, ()) or _ABSENT
    return _ABSENT


def _by_key(keys: tuple[str, ...], items: Sequence[Any]) -> dict[_Key, Any]:
    return {tuple(item.get(key, _DEFAULTS.get(key)) for key in keys): item for item in items}


_DEFAULTS = {"protocol": "TCP"}


def _strategic_object(kind: str, live: Any, patch: Object) -> Any:
    directive = patch.get(_DIRECTIVE)
    if directive == "replace":
        return {name: value for name, value in patch.items() if name != _DIRECTIVE}
    merged = dict(live) if isinstance(live, dict) else {}
    for name, value in patch.items():
        if name == "$retainKeys":
            merged = {kept: merged[kept] for kept in merged if kept in value}
        elif name.startswith("$deleteFromPrimitiveList/"):
            at = name.partition("/")[2]
            merged[at] = [one for one in merged.get(at, ()) if one not in value]
        elif value is None:
            merged.pop(name, None)
        elif not name.startswith("$"):
            merged[name] = merge_strategic(kind, merged.get(name), value, name)
    for name, order in patch.items():
        at = name.partition("$setElementOrder/")[2]
        if isinstance(merged.get(at), list):
            merged[at] = _ordered(kind, at, merged[at], order)
    return merged


def _ordered(kind: str, field: str, items: list[Any], order: list[Any]) -> list[Any]:
    """The items in the order that ``$setElementOrder`` asks for, those that it does not name at the end."""
    keys = keys_of(kind, field, items)[:1]
    wanted = list(_by_key(keys, order)) if keys else order
    found = _by_key(keys, items) if keys else {item: item for item in items}
    return [
        found[key] for key in [*(key for key in wanted if key in found), *(key for key in found if key not in wanted)]
    ]


def _strategic_list(kind: str, field: str, live: Any, patch: list[Any]) -> list[Any]:
    there = live if isinstance(live, list) else []
    if any(isinstance(item, dict) and item.get(_DIRECTIVE) == "replace" for item in patch):
        return [item for item in patch if item.get(_DIRECTIVE) != "replace"]
    keys = keys_of(kind, field, [*there, *patch])
    if field == "finalizers":
        return [*there, *(one for one in patch if one not in there)]
    if not keys:
        return copy.deepcopy(patch)
    # A strategic merge patch knows ports by their number alone.
    keys = keys[:1]
    live_by_key = _by_key(keys, there)
    merged = {}
    for key, item in _by_key(keys, patch).items():
        before = live_by_key.pop(key, None)
        if item.get(_DIRECTIVE) != "delete":
            merged[key] = merge_strategic(kind, before, item)
    return [*merged.values(), *live_by_key.values()]
