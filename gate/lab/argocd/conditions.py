"""``status.conditions`` of an Application: set for the types that were looked at, kept for the others. Pure."""

from collections.abc import Collection, Iterable

from gate.lab.cluster.store import Object

COMPARED = frozenset({"ComparisonError", "SharedResourceWarning", "RepeatedResourceWarning", "ExcludedResourceWarning"})
SPEC = frozenset({"InvalidSpecError", "UnknownError"})
SYNC = frozenset({"SyncError"})


def set_conditions(status: Object, found: Iterable[tuple[str, str]], looked_at: Collection[str], at: str) -> None:
    """Put these conditions (type and message) in the place of those of the types looked at.

    One that says the same as before keeps its time.
    """
    before = status.get("conditions") or []
    kept = [one for one in before if one["type"] not in looked_at]
    for type_, message in found:
        old: Object = next((one for one in before if one["type"] == type_), {})
        same = old.get("message") == message
        kept.append(old if same else {"type": type_, "message": message, "lastTransitionTime": at})
    kept.sort(key=lambda one: (one["type"], one["message"], one["lastTransitionTime"]))
    if kept:
        status["conditions"] = kept
    else:
        status.pop("conditions", None)
