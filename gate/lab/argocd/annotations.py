"""What annotations say to Argo CD: whose an object is, whether it is a hook, in which wave it comes."""

from typing import NamedTuple

from gate.lab.applications import FINALIZER
from gate.lab.cluster.kinds import KINDS
from gate.lab.cluster.store import Object

TRACKING = "argocd.argoproj.io/tracking-id"
REFRESH = "argocd.argoproj.io/refresh"
HYDRATE = "argocd.argoproj.io/hydrate"
HOOK_FINALIZER = "argocd.argoproj.io/hook-finalizer"
CASCADE_FINALIZERS = frozenset({FINALIZER, f"{FINALIZER}/foreground", f"{FINALIZER}/background"})
PHASES = ("PreSync", "Sync", "PostSync", "SyncFail")
"""In the order in which they run."""
_HOOK, _DELETE_POLICY = "argocd.argoproj.io/hook", "argocd.argoproj.io/hook-delete-policy"
_HOOK_TYPES = frozenset({*PHASES, "PostDelete", "Skip"})


class ResourceKey(NamedTuple):
    """What names a resource to Argo CD: without its version."""

    group: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        """As Argo CD writes it in messages."""
        return "/".join(self)


def group_of(body: Object) -> str:
    """The API group of an object; empty for the core group."""
    version = str(body.get("apiVersion", ""))
    return version.partition("/")[0] if "/" in version else ""


def version_of(body: Object) -> str:
    """The version of an object's API, without its group."""
    return str(body.get("apiVersion", "")).rpartition("/")[2]


def resource_key(body: Object) -> ResourceKey:
    """The key of an object."""
    metadata = body["metadata"]
    namespace = str(metadata.get("namespace") or "")
    return ResourceKey(group_of(body), str(body["kind"]), namespace, str(metadata.get("name") or ""))


def is_namespaced(body: Object) -> bool:
    """Whether objects of this kind live in namespaces; so do those of unknown kinds."""
    kind = KINDS.get(str(body.get("kind")))
    return kind is None or kind.namespaced


def annotations(body: Object) -> dict[str, str]:
    """The annotations of an object; none where one of them is no text, which the API server refuses."""
    found = body["metadata"].get("annotations") or {}
    return found if all(isinstance(value, str) for value in found.values()) else {}


def csv(body: Object, name: str) -> list[str]:
    """The values of an annotation that holds a list."""
    return [text.strip() for text in annotations(body).get(name, "").split(",") if text.strip()]


def has_option(body: Object, name: str, option: str) -> bool:
    """Whether an annotation holds this option."""
    return option in csv(body, name)


def track(body: Object, app: str, namespace: str) -> None:
    """Mark an object as managed by this Application; ``namespace`` is its destination's."""
    key = resource_key(body)
    place = f"{key.namespace or namespace}/{key.name}"
    body["metadata"].setdefault("annotations", {})[TRACKING] = f"{app}:{key.group}/{key.kind}:{place}"


def managed_by(body: Object) -> str | None:
    """The Application that an object says it belongs to; None where it names another object, or none.

    A ReplicaSet carries the annotation of its Deployment, copied: it is not the one that is meant.
    """
    app, _, rest = annotations(body).get(TRACKING, "").partition(":")
    kind, _, place = rest.partition(":")
    namespace, _, name = place.partition("/")
    key = resource_key(body)
    own = kind == f"{key.group}/{key.kind}" and name == key.name and key.namespace in ("", namespace)
    return app if app and own else None


def hook_types(body: Object) -> list[str]:
    """The hook types that an object names, in its order."""
    return [text for text in csv(body, _HOOK) if text in _HOOK_TYPES]


def is_skipped(body: Object) -> bool:
    """Whether the object is not to be applied at all."""
    return hook_types(body) == ["Skip"]


def is_hook(body: Object) -> bool:
    """Whether the object is a hook."""
    return _HOOK in annotations(body) and not is_skipped(body)


def sync_phases(body: Object) -> list[str]:
    """The phases in which the object is applied."""
    if is_skipped(body):
        return []
    if not is_hook(body):
        return ["Sync"]
    return [phase for phase in PHASES if phase in hook_types(body)]


def delete_policies(body: Object) -> list[str]:
    """When a hook is deleted."""
    known = ("HookSucceeded", "HookFailed", "BeforeHookCreation")
    return [text for text in csv(body, _DELETE_POLICY) if text in known] or ["BeforeHookCreation"]


def sync_wave(body: Object) -> int:
    """The sync wave of an object, 0 where none is given."""
    try:
        return int(annotations(body).get("argocd.argoproj.io/sync-wave", "0"))
    except ValueError:
        return 0


def sync_options(body: Object) -> list[str]:
    """The sync options on an object itself."""
    return csv(body, "argocd.argoproj.io/sync-options")


def ignores_extraneous(body: Object) -> bool:
    """Whether an object that Git does not have leaves the Application Synced."""
    return has_option(body, "argocd.argoproj.io/compare-options", "IgnoreExtraneous")
