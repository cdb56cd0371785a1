"""The order in which the cluster's programs are started, and what each waits for."""

import socket
import subprocess
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from . import argocd, cgroups, kubernetes, namespaces, pki
from .api import APPLY, ARGO, Api, path_of
from .build import Built
from .processes import Processes
from .progress import Progress
from .settings import (
    ARGOCD_URL,
    CONTROLLER_METRICS_PORT,
    GIT_PORT,
    HOST_ADDRESS,
    NODE_ADDRESS,
    NODE_NAME,
    REPO_SERVER_PORT,
    RESYNCS,
    STATE,
    ClusterError,
    Options,
)
from .waiting import until

MARK = f"PROMOTION_GATE_CLUSTER={STATE}"
ADMIN = kubernetes.PKI / "admin.kubeconfig"
_NO_PROXY = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def everything(processes: Processes, built: Built, options: Options, progress: Progress) -> None:
    """Start all programs, in an order that lets the slow ones begin early."""
    if options.resync not in RESYNCS:
        raise ClusterError(f"resync {options.resync!r}: choose one of {', '.join(RESYNCS)}")
    _Start(processes, built, options, progress).run()


def controller(processes: Processes, built: Built, options: Options, resync: str) -> None:
    """Restart Argo CD's application controller with another resync."""
    changed = replace(options, resync=resync)
    start = _Start(processes, built, changed, Progress(quiet=True))
    processes.stop(argocd.CONTROLLER)
    start.configure_argocd()
    start.program(argocd.CONTROLLER)
    start.wait_for_controller()


def again(processes: Processes, built: Built, options: Options, name: str) -> None:
    """Start one program that was stopped; nothing is waited for."""
    _Start(processes, built, options, Progress(quiet=True)).program(name)


class _Start:
    def __init__(self, processes: Processes, built: Built, options: Options, progress: Progress) -> None:
        self._processes = processes
        self._built = built
        self._options = options
        self._progress = progress
        self._resync = RESYNCS[options.resync]
        programs = built.programs
        self._commands = kubernetes.commands(programs)
        self._commands.update(argocd.commands(programs, ADMIN, self._resync))
        self._environment = argocd.environment(programs, ADMIN, self._resync)
        name, _, value = MARK.partition("=")
        self._environment[name] = value

    def run(self) -> None:
        pki.create(kubernetes.PKI)
        self._progress.done("certificates")
        cgroups.create()
        namespaces.create(self._processes, self._environment)
        kubernetes.write_configuration()
        argocd.create_folders()
        self._progress.done("namespaces, network, configuration")
        self._control_plane()
        self._node()
        self._argocd()
        self.wait("node1 to be ready", self._node_ready, "kubelet", 60)

    def program(self, name: str) -> None:
        """Start one program inside the namespaces."""
        self._processes.start_inside(name, self._commands[name], self._environment)

    def wait(self, what: str, ready: Callable[[], bool], name: str, seconds: float) -> None:
        """Wait for a program to answer; stop waiting when it has ended."""

        def check() -> bool:
            if name not in self._processes.marks():
                raise ClusterError(f"{name} ended:\n{self._processes.tail(name)}")
            return ready()

        until(
            check,
            seconds,
            lambda: f"{what}; {name} says:\n{self._processes.tail(name)}",
            0.05,
        )
        self._progress.done(what)

    def _control_plane(self) -> None:
        self.program("etcd")
        self.program("containerd")
        for name in ("redis", "git-daemon", "argocd-repo-server"):
            self.program(name)
        self.wait("etcd answers", lambda: self._inside_answers(2379), "etcd", 30)
        self.program("kube-apiserver")
        self.wait("containerd has the images", self._import_images, "containerd", 30)
        self._api = Api(kubernetes.PKI)
        self.wait(
            "API server ready",
            lambda: self._api.answers("/readyz"),
            "kube-apiserver",
            90,
        )

    def _node(self) -> None:
        for name in ("kubelet", "kube-controller-manager", "kube-scheduler"):
            self.program(name)
        if self._options.kube_proxy:
            self.program("kube-proxy")

    def _argocd(self) -> None:
        for path in sorted(self._built.crds.iterdir()):
            name = path.stem.removesuffix("-crd") + "s.argoproj.io"
            target = path_of("CustomResourceDefinition", None, name)
            query = "?fieldManager=harness&force=true"
            self._api.call("PATCH", target + query, path.read_bytes(), APPLY)
        kinds = ("applications", "appprojects", "applicationsets")
        paths = [f"{ARGO}/{kind}" for kind in kinds]
        self.wait(
            "Argo CD's kinds are served",
            lambda: all(map(self._api.answers, paths)),
            "kube-apiserver",
            30,
        )
        self.configure_argocd()
        self.program(argocd.CONTROLLER)
        self.program("argocd-server")
        if self._options.applicationset:
            self.program("argocd-applicationset-controller")
        self.wait(
            "repo server answers",
            lambda: self._inside_answers(REPO_SERVER_PORT),
            "argocd-repo-server",
            30,
        )
        self.wait("git server answers", lambda: _connects(GIT_PORT), "git-daemon", 10)
        self.wait_for_controller()
        version = f"{ARGOCD_URL}/api/version"
        self.wait("Argo CD's server answers", lambda: _fetches(version), "argocd-server", 60)

    def configure_argocd(self) -> None:
        """Write Argo CD's own configuration into the cluster."""
        api = Api(kubernetes.PKI)
        for body in argocd.objects(self._resync):
            api.apply(body)

    def wait_for_controller(self) -> None:
        """Wait until the application controller says that it is healthy."""
        self.wait(
            "application controller answers",
            lambda: self._inside_answers(CONTROLLER_METRICS_PORT),
            argocd.CONTROLLER,
            60,
        )

    def _node_ready(self) -> bool:
        path = f"/api/v1/nodes/{NODE_NAME}"
        account = "/api/v1/namespaces/default/serviceaccounts/default"
        if not (self._api.answers(path) and self._api.answers(account)):
            return False
        node = self._api.get("node", None, NODE_NAME)
        conditions = node["status"].get("conditions", [])
        ready = any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)
        return ready and not node["spec"].get("taints")

    def _import_images(self) -> bool:
        if not kubernetes.CONTAINERD_SOCKET.exists():
            return False
        command = kubernetes.import_command(self._built.images)
        return subprocess.run(command, check=False, capture_output=True).returncode == 0

    def _inside_answers(self, port: int) -> bool:
        """Whether something listens on the port on the loopback of our network namespace."""
        listening = Path(f"/proc/{self._processes.inside()}/net")
        wanted = f":{port:04X}"
        for name in ("tcp", "tcp6"):
            for line in (listening / name).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[1].endswith(wanted) and fields[3] == "0A":
                    return True
        return False


def _connects(port: int) -> bool:
    try:
        socket.create_connection((NODE_ADDRESS, port), 2, (HOST_ADDRESS, 0)).close()
    except OSError:
        return False
    return True


def _fetches(url: str) -> bool:
    try:
        with _NO_PROXY.open(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
