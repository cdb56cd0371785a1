"""Argo CD Applications and projects, as manifests."""

from collections.abc import Sequence
from typing import Any, Literal

from gate.lab.cluster.store import Object

ARGOCD_NAMESPACE = "argocd"
API_VERSION = "argoproj.io/v1alpha1"
FINALIZER = "resources-finalizer.argocd.argoproj.io"
"""Deleting the Application deletes what it deployed."""
IN_CLUSTER = "https://kubernetes.default.svc"


def source(repo: str, path: str, revision: str) -> Object:
    """One source of an Application: a folder of a repository at a revision."""
    return {"repoURL": repo, "path": path, "targetRevision": revision}


def application(
    name: str,
    repo: str,
    path: str,
    revision: str,
    *,
    destination: str,
    automated: bool = True,
    self_heal: bool = True,
    prune: bool = True,
    sources: Sequence[Object] | None = None,
    sync_options: Sequence[str] = ("CreateNamespace=true",),
    project: str = "default",
    retry_limit: int | None = None,
) -> Object:
    """An Application that deploys a folder into a namespace of the cluster.

    With sources, repo, path and revision are not used.
    """
    spec: Object = {
        "project": project,
        "destination": {"server": IN_CLUSTER, "namespace": destination},
        "syncPolicy": {"syncOptions": list(sync_options)},
    }
    if sources is None:
        spec["source"] = source(repo, path, revision)
    else:
        spec["sources"] = [dict(one) for one in sources]
    if automated:
        spec["syncPolicy"]["automated"] = {"selfHeal": self_heal, "prune": prune}
    if retry_limit is not None:
        spec["syncPolicy"]["retry"] = {"limit": retry_limit}
    metadata = {"name": name, "namespace": ARGOCD_NAMESPACE, "finalizers": [FINALIZER]}
    return {"apiVersion": API_VERSION, "kind": "Application", "metadata": metadata, "spec": spec}


def project(name: str, **rules: Any) -> Object:
    """A project that allows everything, as Argo CD's own ``default`` does; ``rules`` are added to its spec."""
    spec = {
        "sourceRepos": ["*"],
        "destinations": [{"server": "*", "namespace": "*"}],
        "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
        **rules,
    }
    metadata = {"name": name, "namespace": ARGOCD_NAMESPACE}
    return {"apiVersion": API_VERSION, "kind": "AppProject", "metadata": metadata, "spec": spec}


def sync_window_project(
    name: str,
    *,
    kind: Literal["allow", "deny"] = "deny",
    schedule: str = "* * * * *",
    duration: str = "1h",
    manual_sync: bool = False,
    applications: Sequence[str] = ("*",),
    time_zone: str | None = None,
) -> Object:
    """A project with one sync window; the default one denies always."""
    window: Object = {
        "kind": kind,
        "schedule": schedule,
        "duration": duration,
        "manualSync": manual_sync,
        "applications": list(applications),
    }
    if time_zone is not None:
        window["timeZone"] = time_zone
    return project(name, syncWindows=[window])


def pinned(spec: Object, sha: str) -> Object:
    """The change of an Application's spec that pins every source of it to a commit."""
    if "sources" in spec:
        return {"sources": [{**one, "targetRevision": sha} for one in spec["sources"]]}
    return {"source": {"targetRevision": sha}}
