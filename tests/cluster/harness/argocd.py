"""Command lines, settings and configuration objects of the Argo CD programs."""

from pathlib import Path

from gate.lab.applications import ARGOCD_NAMESPACE

from . import needs
from .api import Object
from .settings import (
    ARGOCD_PORT,
    CONTROLLER_METRICS_PORT,
    GIT_PORT,
    NODE_ADDRESS,
    REDIS_PORT,
    REPO_SERVER_PORT,
    STATE,
    Resync,
)

FOLDER = STATE / "argocd"
REPOSITORIES = STATE / "repositories"
CONTROLLER = "argocd-application-controller"
REDIS = f"127.0.0.1:{REDIS_PORT}"
REPO_SERVER = f"127.0.0.1:{REPO_SERVER_PORT}"
REPO_SERVER_FLAGS = (
    f"--port={REPO_SERVER_PORT}",
    "--address=127.0.0.1",
    "--metrics-address=127.0.0.1",
    "--metrics-port=18084",
    f"--redis={REDIS}",
    "--disable-tls",
)
CONTROLLER_FLAGS = (
    f"--repo-server={REPO_SERVER}",
    "--repo-server-plaintext",
    f"--redis={REDIS}",
    f"--metrics-port={CONTROLLER_METRICS_PORT}",
)
SERVER_FLAGS = (
    f"--repo-server={REPO_SERVER}",
    "--repo-server-plaintext",
    f"--redis={REDIS}",
    "--disable-auth",
    "--insecure",
    f"--port={ARGOCD_PORT}",
    # It also calls itself, on the loopback; the namespace has no other way in than ours.
    "--address=0.0.0.0",
    "--metrics-port=18083",
    "--dex-server=http://127.0.0.1:1",
)
APPLICATIONSET_FLAGS = (
    f"--argocd-repo-server={REPO_SERVER}",
    "--repo-server-plaintext",
    "--metrics-addr=127.0.0.1:18085",
    "--probe-addr=127.0.0.1:18086",
    "--webhook-addr=127.0.0.1:18087",
)
PART = {"app.kubernetes.io/part-of": "argocd"}
CONFIG_MAPS = (
    "argocd-cm",
    "argocd-rbac-cm",
    "argocd-ssh-known-hosts-cm",
    "argocd-tls-certs-cm",
    "argocd-gpg-keys-cm",
)


def create_folders() -> None:
    """Make the folders that the programs expect."""
    for name in (
        "temporary",
        "tls",
        "ssh",
        "gpg/keys",
        "gpg/source",
        "redis",
        "plugins",
    ):
        (FOLDER / name).mkdir(parents=True)
    REPOSITORIES.mkdir()


def environment(programs: Path, kubeconfig: Path, resync: Resync) -> dict[str, str]:
    """The environment of the cluster's programs (nothing of ours is passed on)."""
    return {
        "PATH": f"{programs}:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": str(FOLDER),
        "TMPDIR": str(FOLDER / "temporary"),
        # Its "in-cluster" destination is then the cluster of the kubeconfig.
        "KUBECONFIG": str(kubeconfig),
        "ARGOCD_FAKE_IN_CLUSTER": "true",
        "ARGOCD_GPG_ENABLED": "false",
        "ARGOCD_GNUPGHOME": str(FOLDER / "gpg" / "keys"),
        "ARGOCD_GPG_DATA_PATH": str(FOLDER / "gpg" / "source"),
        "ARGOCD_TLS_DATA_PATH": str(FOLDER / "tls"),
        "ARGOCD_SSH_DATA_PATH": str(FOLDER / "ssh"),
        "ARGOCD_PLUGINSOCKFILEPATH": str(FOLDER / "plugins"),
        "ARGOCD_ASK_PASS_SOCK": str(FOLDER / "ask-pass.sock"),
        "ARGOCD_RECONCILIATION_TIMEOUT": f"{resync.seconds}s",
        "ARGOCD_RECONCILIATION_JITTER": f"{resync.jitter}s",
    }


def commands(programs: Path, kubeconfig: Path, resync: Resync) -> dict[str, list[str]]:
    """The command of each program, in the order in which they are started."""
    cluster = (f"--kubeconfig={kubeconfig}", f"--namespace={ARGOCD_NAMESPACE}")
    interval = (f"--app-resync={resync.seconds}", f"--app-resync-jitter={resync.jitter}")
    applications = "argocd-applicationset-controller"
    return {
        "redis": _redis(),
        "git-daemon": _git_daemon(),
        "argocd-repo-server": [str(programs / "argocd-repo-server"), *REPO_SERVER_FLAGS],
        CONTROLLER: [str(programs / CONTROLLER), *cluster, *interval, *CONTROLLER_FLAGS],
        "argocd-server": [str(programs / "argocd-server"), *cluster, *SERVER_FLAGS],
        applications: [str(programs / applications), *cluster, *APPLICATIONSET_FLAGS],
    }


def objects(resync: Resync) -> list[Object]:
    """What must exist in the cluster before the programs start."""
    maps = [_named("v1", "ConfigMap", name) for name in CONFIG_MAPS]
    maps[0]["data"] = {
        "timeout.reconciliation": f"{resync.seconds}s",
        "timeout.reconciliation.jitter": f"{resync.jitter}s",
    }
    secret = _named("v1", "Secret", "argocd-secret")
    secret["stringData"] = {"server.secretkey": "only-for-the-test-cluster"}
    project = _named("argoproj.io/v1alpha1", "AppProject", "default")
    project["spec"] = {
        "sourceRepos": ["*"],
        "destinations": [{"server": "*", "namespace": "*"}],
        "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
    }
    namespace: Object = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": ARGOCD_NAMESPACE},
    }
    return [namespace, *maps, secret, project]


def _named(version: str, kind: str, name: str) -> Object:
    metadata = {"name": name, "namespace": ARGOCD_NAMESPACE, "labels": PART}
    return {"apiVersion": version, "kind": kind, "metadata": metadata}


def _redis() -> list[str]:
    return [
        needs.program("redis-server") or "redis-server",
        *("--port", str(REDIS_PORT), "--bind", "127.0.0.1"),
        *("--save", "", "--appendonly", "no", "--dir", str(FOLDER / "redis")),
    ]


def _git_daemon() -> list[str]:
    return [
        needs.program("git") or "git",
        "daemon",
        "--reuseaddr",
        "--export-all",
        f"--listen={NODE_ADDRESS}",
        f"--port={GIT_PORT}",
        f"--base-path={REPOSITORIES}",
    ]
