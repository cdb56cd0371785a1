"""How the controller reads and writes Applications: merge patches, and the start of an operation."""

from gate.lab.applications import ARGOCD_NAMESPACE
from gate.lab.argocd.encoding import empty_status, leave_out_zeroes
from gate.lab.argocd.live import LiveState
from gate.lab.cluster.merging import merge_patched
from gate.lab.cluster.store import Object, Store


class Applications:
    """The Applications of Argo CD's namespace, and their AppProjects; ``live`` is what is known of their objects."""

    def __init__(self, store: Store, live: LiveState) -> None:
        self._store, self.live = store, live

    def find(self, name: str) -> Object | None:
        """A copy of the Application; None where it is not there."""
        return self._store.find("Application", ARGOCD_NAMESPACE, name)

    def names(self) -> list[str]:
        """The names of all Applications."""
        return [str(app["metadata"]["name"]) for app in self._store.objects("Application", ARGOCD_NAMESPACE)]

    def project(self, app: Object) -> Object | None:
        """The AppProject of an Application; None where it does not exist."""
        return self._store.find("AppProject", ARGOCD_NAMESPACE, app["spec"].get("project") or "default")

    def patch(self, name: str, patch: Object) -> None:
        """Merge a patch into the Application as it is now; nothing where it has gone."""
        app = self.find(name)
        if app is not None and patch:
            self._store.update(merge_patched(app, patch))

    def replace(self, app: Object) -> None:
        """Write a whole Application, as Go's encoding does: some empty fields come, some zeroes go."""
        status = app.setdefault("status", {})
        for field, value in empty_status().items():
            status.setdefault(field, value)
        leave_out_zeroes(app["spec"])
        self._store.update(app)

    def start(self, name: str, operation: Object) -> bool:
        """Set ``.operation``; False where there is one already. The state of the last operation goes."""
        app = self.find(name)
        if app is None or "operation" in app:
            return False
        app["operation"] = operation
        app.get("status", {}).pop("operationState", None)
        self.replace(app)
        return True

    def remove_finalizers(self, name: str, finalizers: frozenset[str]) -> None:
        """Take these finalizers away; where none is left, an Application that is deleted goes."""
        app = self.find(name)
        if app is not None:
            left = [one for one in app["metadata"].get("finalizers", ()) if one not in finalizers]
            app["metadata"]["finalizers"] = left
            self._store.update(app)
