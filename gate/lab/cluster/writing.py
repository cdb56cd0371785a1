"""Requests that write: create, apply, replace, patch, delete."""

import json
import secrets
from typing import Any

import yaml

from gate.lab.cluster.apply import apply, create, merge_patch, patched, replace, strategic_patch
from gate.lab.cluster.asked import Asked
from gate.lab.cluster.deletion import mark_deleted, stays
from gate.lab.cluster.json_patch import json_patched
from gate.lab.cluster.kinds import KINDS, Kind
from gate.lab.cluster.refusals import Refused, bad_request, details, not_allowed, refusal, reply, unsupported_media
from gate.lab.cluster.store import Object, Store, conflict
from gate.lab.http import Reply, Request
from gate.lab.pace import now

_APPLY = "application/apply-patch+yaml"
_MERGE = "application/merge-patch+json"
_STRATEGIC = "application/strategic-merge-patch+json"
_JSON_PATCH = "application/json-patch+json"
_GIVEN_BACK = ("Pod", "Service", "ServiceAccount", "Namespace")
"""Kinds whose DELETE is answered with the object; others only where it stays for a while."""


def write(store: Store, kind: Kind, asked: Asked, request: Request) -> Reply:
    """Do what is asked and say what came of it; raises StoreError and Refused."""
    try:
        return _write(store, kind, asked, request)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        # What was sent has another form than an object of the kind, in a place that is not looked at in particular.
        raise bad_request(f"the object provided is unrecognized (must be of type {kind.name}): {error!r}") from error


def _write(store: Store, kind: Kind, asked: Asked, request: Request) -> Reply:
    dry_run = "dryRun" in request.query
    if asked.verb == "create" and asked.subresource == "" and asked.name == "":
        return reply(create(store, _new(kind, asked, request), dry_run=dry_run), 201)
    if asked.verb == "update" and asked.name != "":
        return reply(_replace(store, kind, asked, _body(kind, asked, request), dry_run))
    if asked.verb == "patch" and asked.name != "":
        return _patch(store, kind, asked, request, dry_run)
    if asked.verb == "delete" and asked.subresource == "":
        return _delete(store, kind, asked, request, dry_run)
    raise not_allowed()


def _new(kind: Kind, asked: Asked, request: Request) -> Object:
    body = _body(kind, asked, request)
    metadata = body["metadata"]
    if not metadata.get("name") and metadata.get("generateName"):
        metadata["name"] = f"{metadata['generateName']}{secrets.token_hex(3)[:5]}"
    if not metadata.get("name"):
        text = f'{kind.name} "" is invalid: metadata.name: Required value: name or generateName is required'
        raise Refused(refusal(422, "Invalid", text, details(kind, "", kind.name)))
    return body


def _replace(store: Store, kind: Kind, asked: Asked, body: Object, dry_run: bool) -> Object:
    live = store.get(kind.name, asked.namespace if kind.namespaced else "", asked.name)
    if body["metadata"].get("resourceVersion") not in (None, "", live["metadata"]["resourceVersion"]):
        raise conflict((kind.name, asked.namespace, asked.name))
    if asked.subresource == "":
        return replace(store, body, live, dry_run=dry_run)
    made = {**live, "status": body.get("status", {})}
    return made if dry_run else store.update(made)


def _patch(store: Store, kind: Kind, asked: Asked, request: Request, dry_run: bool) -> Reply:
    media = request.headers.get("content-type", "").partition(";")[0].strip()
    key = (kind.name, asked.namespace if kind.namespaced else "", asked.name)
    options: dict[str, Any] = {"dry_run": dry_run, "subresource": asked.subresource}
    if media == _APPLY and asked.subresource == "":
        return _apply(store, kind, asked, request, dry_run)
    if media == _JSON_PATCH:
        operations = _parsed(request, kind)
        return reply(patched(store, *key, lambda live: json_patched(live, operations), **options))
    if media == _MERGE:
        return reply(merge_patch(store, *key, _object(request, kind), **options))
    if media == _STRATEGIC and kind.group != "argoproj.io":
        return reply(strategic_patch(store, *key, _object(request, kind), **options))
    raise unsupported_media()


def _apply(store: Store, kind: Kind, asked: Asked, request: Request, dry_run: bool) -> Reply:
    manager = request.query.get("fieldManager", "")
    if manager == "":
        text = 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch'
        raise Refused(refusal(422, "Invalid", text, {"group": "meta.k8s.io", "kind": "PatchOptions"}))
    applied = apply(store, _body(kind, asked, request), manager=manager, dry_run=dry_run)
    return reply(applied.body, 201 if applied.result == "created" else 200)


def _delete(store: Store, kind: Kind, asked: Asked, request: Request, dry_run: bool) -> Reply:
    """Delete; ``Orphan`` leaves dependents alone, otherwise they are the garbage collector's (nothing waits for it)."""
    options = {**(_object(request, kind) if request.body.strip() else {}), **request.query}
    namespace = asked.namespace if kind.namespaced else ""
    live = store.get(kind.name, namespace, asked.name)
    grace = options.get("gracePeriodSeconds")
    seconds = None if grace is None else int(grace)
    if dry_run or options.get("dryRun"):
        gone = live
        if stays(gone):
            mark_deleted(gone, now(), seconds)
    elif kind.name == "Pod" and seconds == 0:
        gone = store.remove(kind.name, namespace, asked.name)
    else:
        if options.get("propagationPolicy") == "Orphan":
            _orphan(store, live)
        gone = store.delete(kind.name, namespace, asked.name, seconds)
    if kind.name in _GIVEN_BACK or gone["metadata"].get("finalizers"):
        return reply(gone)
    said = {**details(kind, asked.name, kind.plural), "uid": live["metadata"]["uid"]}
    return reply({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": said})


def _orphan(store: Store, owner: Object) -> None:
    """Take the owner's name out of what it owns."""
    uid = owner["metadata"]["uid"]
    for kind in KINDS:
        for body in store.objects(kind, owner["metadata"].get("namespace")):
            owners = body["metadata"].get("ownerReferences", [])
            kept = [one for one in owners if one["uid"] != uid]
            if len(kept) < len(owners):
                body["metadata"]["ownerReferences"] = kept
                store.update(body)


def _body(kind: Kind, asked: Asked, request: Request) -> Object:
    """The object that was sent, with kind, name and namespace of the path; raises Refused where they differ."""
    body = _object(request, kind)
    given, version = body.get("kind", kind.name), kind.api_version.rpartition("/")[2]
    if (given, body.get("apiVersion", kind.api_version)) != (kind.name, kind.api_version):
        converting = f"converting ({version}.{given}) to ({kind.group or 'core'}.{kind.name}): unknown conversion"
        raise bad_request(f'{given} in version "{version}" cannot be handled as a {kind.name}: {converting}')
    metadata = body.setdefault("metadata", {})
    if not isinstance(metadata, dict):
        raise bad_request(f'{kind.name} in version "{version}" cannot be handled as a {kind.name}: no metadata')
    name, namespace = metadata.get("name") or asked.name, metadata.get("namespace") or asked.namespace
    if asked.name not in ("", name):
        raise bad_request(f"the name of the object ({name}) does not match the name on the URL ({asked.name})")
    if kind.namespaced and namespace != asked.namespace:
        raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
    metadata["name"] = name
    if kind.namespaced:
        metadata["namespace"] = namespace
    return {**body, "kind": kind.name, "apiVersion": kind.api_version}


def _object(request: Request, kind: Kind) -> Object:
    body = _parsed(request, kind)
    if not isinstance(body, dict):
        raise bad_request(f"the object provided is unrecognized (must be of type {kind.name}): it is no object")
    return body


def _parsed(request: Request, kind: Kind) -> Any:
    """The JSON that was sent, or the YAML; raises Refused."""
    if "protobuf" in request.headers.get("content-type", ""):
        raise unsupported_media()
    try:
        return json.loads(request.body)
    except (ValueError, RecursionError) as error:
        if "yaml" in request.headers.get("content-type", ""):
            return _parsed_yaml(request, kind)
        text = f"couldn't get version/kind; json parse error: {error}"
        raise bad_request(f"the object provided is unrecognized (must be of type {kind.name}): {text}") from None


def _parsed_yaml(request: Request, kind: Kind) -> Any:
    try:
        return yaml.safe_load(request.body)
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        raise bad_request(f"error decoding YAML: {kind.name}: {error}") from None
