"""A real Kubernetes and a real Argo CD on one machine, as plain processes, for the tests.

`python -m tests.cluster.harness up` starts one, `Harness` is what tests use.
There is one cluster at a time on a machine.
"""

from .api import NotFound, Object, Response
from .applications import application, source, sync_window_project
from .harness import Completed, Harness
from .manifests import daemon_release, hook_job, stateful_release, web_release
from .repositories import EnvironmentRepository, manifest_file
from .settings import ARGOCD_NAMESPACE, ClusterError, Options
from .waiting import WaitedTooLong, until

__all__ = [
    "ARGOCD_NAMESPACE",
    "ClusterError",
    "Completed",
    "EnvironmentRepository",
    "Harness",
    "NotFound",
    "Object",
    "Options",
    "Response",
    "WaitedTooLong",
    "application",
    "daemon_release",
    "hook_job",
    "manifest_file",
    "source",
    "stateful_release",
    "sync_window_project",
    "until",
    "web_release",
]
