"""Writes as the API server does them: apply, create, replace and patch, each with defaults and refusals."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from gate.lab.cluster.admission import admit
from gate.lab.cluster.generation import has_generation, moves_generation
from gate.lab.cluster.kinds import KINDS
from gate.lab.cluster.merging import merge_applied, merge_patched, merge_strategic
from gate.lab.cluster.store import AlreadyExists, NotFound, Object, Store, StoreError, conflict, key_of

FIRST_NAMESPACES = ("default", "kube-node-lease", "kube-public", "kube-system")
"""Namespaces that every cluster has."""

MANAGER = "argocd-controller"


class NamespaceEnds(StoreError):
    """Nothing can be created in a namespace that is being deleted (403)."""


@dataclass(frozen=True)
class Applied:
    """What an apply came to: the object as it is (with ``dry_run``: as it would be), and the word for it."""

    body: Object
    result: Literal["created", "configured", "unchanged"]


def apply(store: Store, body: Object, *, manager: str = MANAGER, dry_run: bool = False) -> Applied:
    """Create or change an object, as a server-side apply with force.

    Fields of ``body`` win; fields that this manager applied before and that are no longer in it go.
    Raises Invalid, NotFound (the kind or the namespace is not there), NamespaceEnds and Conflict.
    """
    key = key_of(body)
    live = store.find(*key)
    if live is None:
        made = create(store, body, dry_run=dry_run)
        if not dry_run:
            _remember(store, made, manager, body)
        return Applied(made, "created")
    _check_version(body, live)
    others = dict(store.applied.get(live["metadata"]["uid"], {}))
    owned = others.pop(manager, {})
    merged = merge_applied(key[0], live, body, owned, list(others.values()))
    changed = replace(store, merged, live, dry_run=dry_run)
    if not dry_run:
        _remember(store, changed, manager, body)
    same = _settled(changed) == _settled(live)
    return Applied(changed, "unchanged" if same else "configured")


def create(store: Store, body: Object, *, dry_run: bool = False) -> Object:
    """Add an object; raises Invalid, AlreadyExists, NotFound and NamespaceEnds."""
    made = admit(body)
    kind, namespace, name = key_of(made)
    _check_namespace(store, made)
    if store.find(kind, namespace, name) is not None:
        raise AlreadyExists(f'{KINDS[kind].resource} "{name}" already exists')
    return made if dry_run else store.create(made)


def replace(store: Store, body: Object, live: Object, *, dry_run: bool = False) -> Object:
    """Put a body in the place of the live object; its status stays where that is a subresource. Raises Invalid."""
    kept = dict(body)
    if KINDS[live["kind"]].status:
        kept.pop("status", None)
        if "status" in live:
            kept["status"] = live["status"]
    made = admit(kept, live)
    made["metadata"] = {
        **made["metadata"],
        **{name: live["metadata"][name] for name in _KEPT if name in live["metadata"]},
    }
    if not dry_run:
        return store.update(made)
    if has_generation(made) and moves_generation(live, made):
        made["metadata"]["generation"] += 1
    return made


_KEPT = ("uid", "creationTimestamp", "resourceVersion", "generation", "deletionTimestamp", "deletionGracePeriodSeconds")


def merge_patch(store: Store, kind: str, namespace: str, name: str, patch: Object, **options: Any) -> Object:
    """Change an object by RFC 7386, as ``kubectl patch --type merge`` does; the object as it is then.

    ``dry_run`` and ``subresource`` (``"status"``) as for `patched`. Raises NotFound, Invalid and Conflict.
    """
    return patched(store, kind, namespace, name, lambda live: merge_patched(live, patch), **options)


def strategic_patch(store: Store, kind: str, namespace: str, name: str, patch: Object, **options: Any) -> Object:
    """Change an object by a strategic merge patch, as ``kubectl patch`` does; otherwise as `merge_patch`."""
    return patched(store, kind, namespace, name, lambda live: merge_strategic(kind, live, patch), **options)


def patched(
    store: Store,
    kind: str,
    namespace: str,
    name: str,
    change: Callable[[Object], Object],
    *,
    subresource: str = "",
    dry_run: bool = False,
) -> Object:
    """Change an object by a function of it; the status only with ``subresource="status"``, and then only it."""
    live = store.get(kind, namespace, name)
    wanted = change(live)
    _check_version(wanted, live)
    if subresource == "":
        return replace(store, wanted, live, dry_run=dry_run)
    made = {**live, "status": wanted.get("status", {})}
    return made if dry_run else store.update(made)


def _remember(store: Store, made: Object, manager: str, body: Object) -> None:
    store.applied.setdefault(made["metadata"]["uid"], {})[manager] = copy.deepcopy(body)


def _check_version(wanted: Object, live: Object) -> None:
    """Raise Conflict where a resourceVersion was given that is not the newest."""
    given = wanted["metadata"].get("resourceVersion")
    if given not in (None, live["metadata"]["resourceVersion"]):
        raise conflict(key_of(live))


def _check_namespace(store: Store, body: Object) -> None:
    if not KINDS[body["kind"]].namespaced:
        return
    name = body["metadata"]["namespace"]
    namespace = store.find("Namespace", "", name)
    if namespace is None and name not in FIRST_NAMESPACES:
        raise NotFound(f'namespaces "{name}" not found')
    if namespace is not None and "deletionTimestamp" in namespace["metadata"]:
        resource = KINDS[body["kind"]].resource
        raise NamespaceEnds(
            f'{resource} "{body["metadata"]["name"]}" is forbidden: unable to create new content in namespace {name} '
            "because it is being terminated"
        )


def _settled(body: Object) -> Object:
    """The object without what moves with every write."""
    metadata = {
        name: value for name, value in body["metadata"].items() if name not in ("resourceVersion", "generation")
    }
    return {**body, "metadata": metadata}
