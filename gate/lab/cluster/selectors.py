"""Label and field selectors: as text in a query, and as a ``LabelSelector`` in a spec."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from gate.lab.cluster.store import Object

Chooses = Callable[[Object], bool]

_TERM = re.compile(
    r"\s*(?:(?P<absent>!\s*)(?P<gone>[^\s,=!()]+)"
    r"|(?P<key>[^\s,=!()]+)\s*(?:(?P<sign>==|=|!=)\s*(?P<value>[^\s,()=!]*)"
    r"|(?P<set>in|notin)\s*\((?P<values>[^()]*)\))?)\s*"
)
_FIELDS = {
    "Pod": ("spec.nodeName", "spec.restartPolicy", "spec.serviceAccountName", "status.phase", "status.podIP"),
    "Secret": ("type",),
    "Namespace": ("status.phase",),
    "ReplicaSet": ("status.replicas",),
    "Job": ("status.successful",),
    "Event": (
        "involvedObject.kind",
        "involvedObject.namespace",
        "involvedObject.name",
        "involvedObject.uid",
        "involvedObject.apiVersion",
        "involvedObject.resourceVersion",
        "involvedObject.fieldPath",
        "reason",
        "reportingComponent",
        "source",
        "type",
    ),
}
"""Fields that a field selector may name, beside the name and the namespace that every kind has."""


class BadSelector(ValueError):
    """The selector cannot be understood; the text says why."""


def label_selector(text: str) -> Chooses:
    """What a ``labelSelector`` of a query chooses; raises BadSelector."""
    terms: list[Callable[[Mapping[str, str]], bool]] = []
    at = 0
    while at < len(text):
        found = _TERM.match(text, at)
        end = at if found is None else found.end()
        if found is None or text[end : end + 1] not in ("", ","):
            raise BadSelector(f"unable to parse requirement: found '{text[end : end + 1]}', expected: identifier")
        terms.append(_label_term(found))
        at = end + 1
    return lambda body: all(term(body["metadata"].get("labels") or {}) for term in terms)


def selects_labels(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Whether a ``LabelSelector`` (``matchLabels`` and ``matchExpressions``) matches these labels."""
    matched = all(labels.get(key) == value for key, value in (selector.get("matchLabels") or {}).items())
    return matched and all(_expression(one, labels) for one in selector.get("matchExpressions") or ())


def field_selector(kind: str, text: str) -> Chooses:
    """What a ``fieldSelector`` of a query chooses of a kind; raises BadSelector for a field it does not have."""
    terms = [_field_term(kind, term) for term in text.split(",") if term.strip() != ""]
    return lambda body: all(term(body) for term in terms)


def _label_term(found: re.Match[str]) -> Callable[[Mapping[str, str]], bool]:
    if found["gone"] is not None:
        return lambda labels: found["gone"] not in labels
    key, sign = found["key"], found["sign"]
    if found["set"] is not None:
        values = {value.strip() for value in found["values"].split(",")}
        if found["set"] == "in":
            return lambda labels: labels.get(key) in values
        return lambda labels: labels.get(key) not in values
    if sign is None:
        return lambda labels: key in labels
    if sign == "!=":
        return lambda labels: labels.get(key) != found["value"]
    return lambda labels: labels.get(key) == found["value"]


def _expression(one: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    value, values = labels.get(one["key"]), list(one.get("values") or ())
    if one["operator"] == "In":
        return value in values
    if one["operator"] == "NotIn":
        return value not in values
    return (value is not None) is (one["operator"] == "Exists")


def _field_term(kind: str, term: str) -> Chooses:
    found = re.fullmatch(r"\s*([^=!\s]+)\s*(==|=|!=)\s*(\S*)\s*", term)
    if found is None:
        raise BadSelector(f"invalid selector: '{term}'; can't understand '{term}'")
    path, sign, value = found.groups()
    if path not in ("metadata.name", "metadata.namespace", *_FIELDS.get(kind, ())):
        raise BadSelector(f"field label not supported: {path}")
    return lambda body: (_at(body, path) == value) is (sign != "!=")


def _at(body: Object, path: str) -> str:
    value: Any = body
    if path == "source":
        path = "source.component"
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return "" if value is None else str(value)
