"""What a sync does to the cluster: apply, delete, let hooks go."""

import random
from typing import NamedTuple

from gate.lab.argocd.annotations import HOOK_FINALIZER, group_of
from gate.lab.cluster.apply import apply
from gate.lab.cluster.kinds import KINDS
from gate.lab.cluster.store import NotFound, Object, Store, StoreError, key_of
from gate.lab.pace import Pace

_APPLY = 0.06
"""Seconds that the API server and the process around it take for one object."""


class NamelessError(StoreError):
    """What has no name cannot be applied."""


class Outcome(NamedTuple):
    """What an apply came to; the message is kubectl's."""

    applied: bool
    message: str


def is_served(body: Object) -> bool:
    """Whether the cluster has this kind in this version."""
    kind = KINDS.get(str(body["kind"]))
    return kind is not None and kind.api_version == body.get("apiVersion")


class Kubectl:
    """Writes objects of the store, one after the other."""

    def __init__(self, store: Store, pace: Pace) -> None:
        self._store, self._pace = store, pace

    def find(self, body: Object) -> Object | None:
        """The live object of that kind and name; None where there is none."""
        return self._store.find(*key_of(body)) if is_served(body) and body["metadata"].get("name") else None

    async def apply(self, body: Object) -> Outcome:
        """Apply an object; one without a name, or of a kind that is not there, is refused."""
        await self._pace.sleep(_APPLY)
        live = self.find(body)
        verb = "creating" if live is None else "patching"
        group = group_of(body)
        name = f"{body['kind'].lower()}{f'.{group}' if group else ''}/{body['metadata'].get('name', '')}"
        try:
            if not body["metadata"].get("name"):
                raise NamelessError("resource name may not be empty")
            result: str = apply(self._store, body).result
            return Outcome(True, f"{name} {'configured' if _is_patched(body, live) else result}")
        except StoreError as error:
            # The real one writes each manifest to a file of memory with a number for a name.
            number = random.randrange(10**8, 2**31)  # noqa: S311
            return Outcome(False, f'error when {verb} "/dev/shm/{number}": {error}')

    def delete(self, body: Object) -> bool:
        """Delete an object; False where it is gone already."""
        try:
            self._store.delete(*key_of(body))
        except NotFound:
            return False
        return True

    def release(self, body: Object) -> None:
        """Take the finalizer of hooks from an object, where it is there."""
        self._store.change(*key_of(body), _without_hook_finalizer)


def _is_patched(body: Object, live: Object | None) -> bool:
    """Whether kubectl says "configured" though nothing changes.

    It does for a Deployment whose live strategy has defaults that the manifest leaves out: the patch
    that keeps only the keys given (``$retainKeys``) is not empty.
    """
    if live is None or body["kind"] != "Deployment":
        return False
    given = body["spec"].get("strategy")
    return given is not None and bool(live["spec"].get("strategy", {}).keys() - given.keys())


def _without_hook_finalizer(body: Object) -> None:
    left = [one for one in body["metadata"].get("finalizers", ()) if one != HOOK_FINALIZER]
    if left:
        body["metadata"]["finalizers"] = left
    else:
        body["metadata"].pop("finalizers", None)
