"""What of an upstream object may enter evidence: the fields that the gate's models read, and nothing else. Pure.

Parts that are only compared as a whole (a Pod template with its variables, a source with its Helm
values) keep the keys named here and the number of the whole: within one file the same number means
that all of it was the same. A number, unlike a digest, lets nobody try out what was left off.
"""

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel

from gate.facts.moment import Raw
from gate.facts.upstream import Metadata, normal
from gate.facts.workload import PodTemplate, TemplateMetadata

WHOLE = "whole"
"""The key under which the number of a whole stands."""

_GVK = ("group", "kind", "namespace", "name")
_SOURCE = ("repoURL", "targetRevision", "path", "chart", "name", "ref")
_KEPT: dict[str, tuple[str, ...]] = {
    "destination": ("server", "name", "namespace"),
    "source": _SOURCE,
    "sources": _SOURCE,
    "ignore_differences": (*_GVK, "jsonPointers", "jqPathExpressions", "managedFieldsManagers"),
    "resources": _GVK,
    "match_expressions": ("key", "operator", "values"),
    "running": ("startedAt",),
}
"""The keys kept of plain JSON, by the model's field. A field that is not named here keeps none."""

_MANIFESTS = "manifests"
"""An operation's local manifests: whole objects, Secrets too."""

_TEXTS = frozenset({"labels", "match_labels", "selector"})
_READ_ANNOTATIONS = frozenset(
    {
        "argocd.argoproj.io/hydrate",
        "argocd.argoproj.io/manifest-generate-paths",
        "argocd.argoproj.io/refresh",
        "argocd.argoproj.io/refresh-timestamp",
        "argocd.argoproj.io/skip-reconcile",
        "argocd.argoproj.io/tracking-id",
        "deployment.kubernetes.io/revision",
    }
)
_OTHERS = "others"


def utc(at: datetime) -> str:
    """RFC 3339 in UTC."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


class AllowList:
    """Turns parsed upstream models into plain data for evidence.

    ``annotations`` are read beside those that the gate always reads; ``clean`` makes a text from outside
    fit to be kept.
    """

    def __init__(self, annotations: frozenset[str], clean: Callable[[str], str]) -> None:
        self._annotations = annotations | _READ_ANNOTATIONS
        self._clean = clean
        self._numbers: dict[str, str] = {}

    def dump(self, model: BaseModel) -> Raw:
        """The model's fields that are there, under their upstream names."""
        made: Raw = {}
        for name, field in type(model).model_fields.items():
            value = getattr(model, name)
            if value is not None:
                made[field.alias or name] = self._field(model, name, value)
        if isinstance(model, PodTemplate):
            made[WHOLE] = self._number(model.bare)
        return made

    def _field(self, model: BaseModel, name: str, value: Any) -> Any:
        if name == "annotations":
            return self._annotated(value, template=isinstance(model, TemplateMetadata))
        if name in _TEXTS and isinstance(value, dict):
            return {self._clean(key): self._clean(text) for key, text in value.items()}
        return self._value(name, value)

    def _value(self, name: str, value: Any) -> Any:
        if isinstance(value, BaseModel):
            return self.dump(value)
        if name == _MANIFESTS:
            return [self._json({"": one}, ()) for one in value]
        if isinstance(value, tuple):
            return [self._value(name, one) for one in value]
        if isinstance(value, dict):
            return self._json(value, _KEPT.get(name, ()))
        if isinstance(value, datetime):
            return utc(value)
        if isinstance(value, str):
            return self._clean(value)
        return value if isinstance(value, bool | int) else []

    def _json(self, value: Raw, kept: tuple[str, ...]) -> Raw:
        """Some keys of a mapping and its number: empty, equal, and not equal stay what they are."""
        if len(value) == 0:
            return {}
        whole = normal(value)
        made = {key: self._plain(value[key]) for key in kept if value.get(key) is not None}
        return {**made, WHOLE: "" if whole == {} else self._number(whole)}

    def _plain(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._clean(value)
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return [self._clean(one) for one in value]
        return value if isinstance(value, bool | int | float) else []

    def _annotated(self, texts: dict[str, str], *, template: bool) -> dict[str, str]:
        made = {key: self._clean(text) for key, text in texts.items() if key in self._annotations}
        others = {key: text for key, text in texts.items() if key not in self._annotations}
        if template and others:
            made[_OTHERS] = self._number(others)
        return made

    def _number(self, value: object) -> str:
        text = json.dumps(value, sort_keys=True, default=str)
        digest = hashlib.sha256(text.encode()).hexdigest()
        return self._numbers.setdefault(digest, str(len(self._numbers) + 1))


def metadata_of(raw: Raw) -> Metadata:
    """Namespace, name and labels of an object, as far as they are texts; for one that could not be understood."""
    found = raw.get("metadata")
    place = found if isinstance(found, dict) else {}
    labels = place.get("labels")
    texts = {key: text for key, text in (labels if isinstance(labels, dict) else {}).items() if isinstance(text, str)}
    named = {key: place[key] for key in ("namespace", "name") if isinstance(place.get(key), str)}
    return Metadata(**named, labels=texts or None)
