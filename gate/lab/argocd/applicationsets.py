"""Argo CD's ApplicationSet controller, with list generators: it keeps Applications as their template says.

What a hand changes in the spec of such an Application is written back.
"""

import copy
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gate.lab.applications import API_VERSION, FINALIZER
from gate.lab.argocd.annotations import REFRESH
from gate.lab.argocd.encoding import leave_out_zeroes
from gate.lab.cluster.store import Change, Object, Store, controller_of
from gate.lab.pace import now, whole_seconds

_PARAMETER = re.compile(r"\{\{\s*(\.?)([\w.-]+)\s*\}\}")
_OWNED = ("spec", "labels", "annotations", "finalizers")


def generated(applications: Object) -> list[Object]:
    """The Applications that an ApplicationSet asks for."""
    return [_application(applications, parameters) for parameters in _parameters(applications["spec"])]


def _parameters(spec: Object) -> Iterable[Mapping[str, Any]]:
    for generator in spec.get("generators") or ():
        yield from (generator.get("list") or {}).get("elements") or ()


def _application(applications: Object, parameters: Mapping[str, Any]) -> Object:
    spec = applications["spec"]
    template = _rendered(spec["template"], parameters, templates=spec.get("goTemplate") is True)
    metadata = template.get("metadata") or {}
    keeps = (spec.get("syncPolicy") or {}).get("preserveResourcesOnDeletion") is True
    own = applications["metadata"]
    owner = {"apiVersion": applications["apiVersion"], "kind": "ApplicationSet", "name": own["name"], "uid": own["uid"]}
    leave_out_zeroes(template["spec"])
    fields = {name: metadata[name] for name in ("labels", "annotations") if metadata.get(name)}
    return {
        "apiVersion": API_VERSION,
        "kind": "Application",
        "metadata": {
            "name": metadata["name"],
            "namespace": own["namespace"],
            **fields,
            "finalizers": metadata.get("finalizers") or ([] if keeps else [FINALIZER]),
            "ownerReferences": [{**owner, "controller": True, "blockOwnerDeletion": True}],
        },
        "spec": template["spec"],
    }


def _rendered(value: Any, parameters: Mapping[str, Any], *, templates: bool) -> Any:
    """A template with its parameters put in; one that is not there is left as it is written."""

    def put(found: re.Match[str]) -> str:
        there: Any = parameters
        if templates is not bool(found[1]):
            return found[0]
        for part in found[2].split("."):
            there = there.get(part) if isinstance(there, dict) else None
        return found[0] if there is None else str(there)

    if isinstance(value, dict):
        return {name: _rendered(one, parameters, templates=templates) for name, one in value.items()}
    if isinstance(value, list):
        return [_rendered(one, parameters, templates=templates) for one in value]
    return _PARAMETER.sub(put, value) if isinstance(value, str) else copy.deepcopy(value)


class ApplicationSets:
    """Keeps the Applications. ``ask`` is called with the name of an ApplicationSet that is to be looked at."""

    def __init__(self, store: Store, namespace: str, ask: Callable[[str], None]) -> None:
        self._store, self._namespace, self._ask = store, namespace, ask
        self._known: dict[str, Object] = {}

    def hear(self, change: Change) -> None:
        """Look where a spec has changed: an ApplicationSet's, or that of an Application of one."""
        if change.kind not in ("ApplicationSet", "Application") or change.key[1] != self._namespace:
            return
        owned = {name: change.body.get(name) or change.body["metadata"].get(name) for name in _OWNED}
        uid = str(change.body["metadata"]["uid"])
        if self._known.get(uid) == owned and change.type != "DELETED":
            return
        self._known[uid] = owned
        if change.kind == "ApplicationSet":
            self._ask(change.key[2])
        elif (owner := controller_of(change.body)) is not None:
            for one in self._store.objects("ApplicationSet", self._namespace):
                if one["metadata"]["uid"] == owner:
                    self._ask(one["metadata"]["name"])

    def names(self) -> list[str]:
        """The names of all ApplicationSets."""
        return [str(one["metadata"]["name"]) for one in self._store.objects("ApplicationSet", self._namespace)]

    def reconcile(self, name: str) -> None:
        """Create, change and delete the Applications of one."""
        applications = self._store.find("ApplicationSet", self._namespace, name)
        if applications is None or "deletionTimestamp" in applications["metadata"]:
            return
        wanted = {one["metadata"]["name"]: one for one in generated(applications)}
        for one in self._store.owned("Application", applications):
            if one["metadata"]["name"] not in wanted and "deletionTimestamp" not in one["metadata"]:
                self._store.delete("Application", self._namespace, one["metadata"]["name"])
        for application in wanted.values():
            self._write(application)
        self._store.change("ApplicationSet", self._namespace, name, _up_to_date)

    def _write(self, wanted: Object) -> None:
        found = self._store.find("Application", self._namespace, wanted["metadata"]["name"])
        if found is None:
            self._store.create(wanted)
            return
        asked = {name: value for name, value in (found["metadata"].get("annotations") or {}).items() if name == REFRESH}
        annotations = {**wanted["metadata"].get("annotations", {}), **asked}
        found["spec"] = wanted["spec"]
        for field in ("labels", "finalizers", "ownerReferences"):
            _set(found["metadata"], field, wanted["metadata"].get(field))
        _set(found["metadata"], "annotations", annotations)
        self._store.update(found)


def _set(metadata: Object, field: str, value: Any) -> None:
    if value:
        metadata[field] = value
    else:
        metadata.pop(field, None)


def _up_to_date(applications: Object) -> None:
    status = applications.setdefault("status", {})
    done, parameters = "ApplicationSetUpToDate", "Successfully generated parameters for all Applications"
    every = "All applications have been generated successfully"
    at = whole_seconds(now())
    known = {one["type"]: one for one in status.get("conditions", ())}
    status["conditions"] = [
        known.get(type_)
        or {
            "type": type_,
            "status": word,
            "reason": reason,
            "message": text,
            "lastTransitionTime": at,
        }
        for type_, word, reason, text in (
            ("ErrorOccurred", "False", done, every),
            ("ParametersGenerated", "True", "ParametersGenerated", parameters),
            ("ResourcesUpToDate", "True", done, every),
        )
    ]
