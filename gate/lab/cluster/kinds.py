"""The kinds that the laboratory serves, as API discovery names them."""

from typing import NamedTuple

SERVICE_NAME = "kubernetes.io/service-name"
"""The label of an EndpointSlice that names its Service."""


class Kind(NamedTuple):
    """A kind of object: ``api_version`` as in a manifest, ``plural`` as in the URL.

    ``status``: whether it has a status subresource, so that a write of the status alone leaves the
    generation as it is. The CRD of Argo CD's Application has none.
    """

    name: str
    api_version: str
    plural: str
    namespaced: bool = True
    status: bool = True

    @property
    def root(self) -> str:
        """The path of its group and version."""
        return f"/api/{self.api_version}" if "/" not in self.api_version else f"/apis/{self.api_version}"

    @property
    def group(self) -> str:
        """Its API group; empty for the core group."""
        return self.api_version.partition("/")[0] if "/" in self.api_version else ""

    @property
    def resource(self) -> str:
        """Its name in messages: ``deployments.apps``, or ``pods`` for the core group."""
        return f"{self.plural}.{self.group}" if self.group else self.plural


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("Namespace", "v1", "namespaces", namespaced=False),
        Kind("Service", "v1", "services"),
        Kind("ConfigMap", "v1", "configmaps", status=False),
        Kind("Secret", "v1", "secrets", status=False),
        Kind("ServiceAccount", "v1", "serviceaccounts", status=False),
        Kind("Pod", "v1", "pods"),
        Kind("Event", "v1", "events", status=False),
        Kind("Deployment", "apps/v1", "deployments"),
        Kind("ReplicaSet", "apps/v1", "replicasets"),
        Kind("StatefulSet", "apps/v1", "statefulsets"),
        Kind("DaemonSet", "apps/v1", "daemonsets"),
        Kind("Job", "batch/v1", "jobs"),
        Kind("EndpointSlice", "discovery.k8s.io/v1", "endpointslices", status=False),
        Kind("Application", "argoproj.io/v1alpha1", "applications", status=False),
        Kind("ApplicationSet", "argoproj.io/v1alpha1", "applicationsets"),
        Kind("AppProject", "argoproj.io/v1alpha1", "appprojects", status=False),
    )
}
"""By the name of the kind. What is not here does not exist: a 404 as for a CRD that is not installed."""
