"""A real Kubernetes and a real Argo CD on one machine, as plain processes, for the tests.

`python -m tests.cluster.harness up` starts one, `Harness` is what tests use.
There is one cluster at a time on a machine.
"""

from gate.lab.applications import ARGOCD_NAMESPACE, application, source, sync_window_project
from gate.lab.manifests import daemon_release, hook_job, stateful_release, web_release
from gate.lab.repository import EnvironmentRepository, manifest_file

from .api import NotFound, Object, Response
from .gate import Completed
from .harness import Harness
from .settings import ClusterError, Options
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
