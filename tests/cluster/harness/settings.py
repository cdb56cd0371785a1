"""Addresses, ports, names and folders of the test cluster.

There is one cluster at a time on a machine: its addresses and its state folder
are fixed, so that any later run finds what an earlier one may have left.
"""

import os
from dataclasses import dataclass
from pathlib import Path

HOST_ADDRESS = "10.199.0.1"
"""Our end of the cable into the cluster's network namespace."""
NODE_ADDRESS = "10.199.0.2"
"""The cluster's end: the node, the API server, Argo CD and the git server."""
SERVICE_RANGE = "10.96.0.0/16"
POD_RANGE = "10.244.0.0/24"
API_SERVICE_ADDRESS = "10.96.0.1"
HOST_LINK = "pgate0"
NODE_NAME = "node1"

API_PORT = 6443
ARGOCD_PORT = 18080
GIT_PORT = 9418
REDIS_PORT = 16379
REPO_SERVER_PORT = 18081
CONTROLLER_METRICS_PORT = 18082

API_SERVER = f"https://{NODE_ADDRESS}:{API_PORT}"
ARGOCD_URL = f"http://{NODE_ADDRESS}:{ARGOCD_PORT}"

CGROUP = "promotion-gate"
"""The cgroup (in every hierarchy) under which the kubelet puts its pods."""
PAUSE_IMAGE = "promotion-gate.test/pause:1"

CLUSTER_FOLDER = Path(__file__).resolve().parent.parent
PROGRAMS_FOLDER = CLUSTER_FOLDER / "programs"
CHECKOUT = CLUSTER_FOLDER.parent.parent
READER_MANIFEST = CHECKOUT / "docs" / "rbac-read-only.yaml"

STATE = Path("/var/cache/promotion-gate-cluster")
"""Everything a running cluster writes; removed by `down`."""


def cache_folder() -> Path:
    """The folder for built programs, outside the checkout."""
    chosen = os.environ.get("PROMOTION_GATE_CACHE")
    if chosen:
        return Path(chosen).resolve() / "cluster"
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base).resolve() / "promotion-gate" / "cluster"


@dataclass(frozen=True)
class Resync:
    """How often Argo CD's controller compares an Application on its own."""

    seconds: int
    jitter: int


RESYNCS = {"fast": Resync(10, 0), "default": Resync(120, 60)}
"""`fast` keeps tests short; `default` is what users have."""


@dataclass(frozen=True)
class Options:
    """What to start."""

    resync: str = "fast"
    kube_proxy: bool = True
    applicationset: bool = False


class ClusterError(Exception):
    """The cluster cannot be built, started, asked or stopped: the message says what to do."""
