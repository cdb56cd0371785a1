"""What Argo CD knows of the live objects: which belong to an Application, and, at times, only as they were."""

from collections.abc import Iterable

from gate.lab.argocd.annotations import ResourceKey, managed_by, resource_key
from gate.lab.argocd.comparison import EXCLUDED
from gate.lab.argocd.kubectl import is_served
from gate.lab.argocd.tasks import images
from gate.lab.cluster.kinds import KINDS
from gate.lab.cluster.store import Object, Store, controller_of, key_of

_WATCHED = tuple(kind for kind in KINDS if kind not in EXCLUDED)


class LiveState:
    """The objects of the store, as the controller's cache has them.

    The real cache is up to 0.1 s behind. That shows in one place: a comparison right after an operation
    may still see what the operation changed last as it was, and with selfHeal on it starts a second,
    partial operation. Here this happens for the objects that ``miss`` names, in one comparison.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._missed: dict[str, dict[ResourceKey, Object]] = {}

    def miss(self, app: str, before: Iterable[Object]) -> None:
        """Let the next comparison of this Application see these objects as they are given here."""
        self._missed[app] = {resource_key(body): body for body in before}

    def missed(self, app: str) -> dict[ResourceKey, Object]:
        """What ``miss`` was told of this Application; it is forgotten by that."""
        return self._missed.pop(app, {})

    def managed(self, app: str) -> dict[ResourceKey, Object]:
        """The objects that carry this Application's tracking id, and no owner."""
        found = (
            body
            for kind in _WATCHED
            for body in self._store.objects(
                kind, None, lambda body: "ownerReferences" not in body["metadata"] and managed_by(body) == app
            )
        )
        return {resource_key(body): body for body in found}

    def seen(self, app: str, targets: Iterable[Object]) -> dict[ResourceKey, Object]:
        """Those it manages, and those that have the name of a wanted one."""
        found = self.managed(app)
        for target in targets:
            named = is_served(target) and target["metadata"].get("name")
            live = self._store.find(*key_of(target)) if named else None
            if live is not None:
                found.setdefault(resource_key(live), live)
        return found

    def owner(self, body: Object) -> tuple[str, bool] | None:
        """The Application that an object belongs to in the end, and whether it manages it itself."""
        if body["kind"] not in _WATCHED:
            return None
        itself = True
        while controller_of(body) is not None:
            itself = False
            owner = next(one for one in body["metadata"]["ownerReferences"] if one.get("controller") is True)
            namespace = body["metadata"].get("namespace", "")
            found = self._store.find(owner["kind"], namespace, owner["name"]) if owner["kind"] in KINDS else None
            if found is None or found["metadata"]["uid"] != owner["uid"]:
                return None
            body = found
        app = managed_by(body)
        return None if app is None else (app, itself)

    def images(self, app: str) -> list[str]:
        """The images of the Pods that belong to an Application, each once, in order."""
        pods = self._store.objects("Pod", None, lambda pod: (self.owner(pod) or ("", False))[0] == app)
        return sorted({image for pod in pods for image in images(pod)})
