"""The cluster as tests use it."""

import os
import subprocess
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from gate.lab.applications import ARGOCD_NAMESPACE, pinned
from gate.lab.repository import EnvironmentRepository

from . import kubernetes, lifecycle, start
from .api import Api, NotFound, Object, Response, path_of
from .argocd import REPOSITORIES
from .build import Built
from .gate import Completed, run_gate
from .pki import write_kubeconfig
from .processes import Processes
from .progress import Progress
from .settings import (
    API_SERVER,
    ARGOCD_PORT,
    ARGOCD_URL,
    GIT_PORT,
    NODE_ADDRESS,
    READER_MANIFEST,
    STATE,
    ClusterError,
    Options,
)
from .waiting import until

READER = "promotion-gate"
"""Name and namespace of the read-only service account in the documented manifest."""


class Harness:
    """A running cluster; as a context manager it starts one and takes it down at the end.

    With keep, a cluster that runs already is used, and is left running.
    """

    api_server = API_SERVER
    argocd_url = ARGOCD_URL
    has_commands = True
    """Whether kubectl and argocd can be asked what they say."""
    gate = staticmethod(run_gate)
    settle = "5s"
    """How far apart the gate takes two agreeing looks, where a tale says nothing else."""

    def __init__(self, options: Options | None = None, keep: bool = False) -> None:
        self.options = options or Options()
        self.keep = keep
        self.processes = Processes(STATE)
        self.kubeconfig: Path = start.ADMIN
        self.progress = Progress()

    def __enter__(self) -> Self:
        owner = None if self.keep else os.getpid()
        folder = lifecycle.up(self.options, self.progress, owner, reuse=self.keep)
        self._attach(folder)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self.keep:
            lifecycle.down(self.progress)

    @classmethod
    def attached(cls) -> "Harness":
        """The cluster that runs now; it is an error when none does."""
        running = lifecycle.running()
        if running is None:
            raise ClusterError("no cluster is running: start one with `up`")
        given = running["options"]
        assert isinstance(given, dict)
        names = {field.name for field in fields(Options)}
        harness = cls(Options(**{k: v for k, v in given.items() if k in names}), keep=True)
        harness._attach(Path(str(running["build"])))
        return harness

    def _attach(self, folder: Path) -> None:
        self.built = Built(folder)
        self.api = Api(kubernetes.PKI)

    # --- commands ---------------------------------------------------------------------------

    def run(
        self,
        program: str,
        *arguments: str,
        timeout: float = 120,
        check: bool = True,
        environment: Mapping[str, str] | None = None,
    ) -> Completed:
        """Run kubectl or argocd, of the cluster's own versions, as the administrator."""
        variables = {
            "PATH": f"{self.built.programs}:{os.environ.get('PATH', '')}",
            "HOME": str(STATE / "argocd"),
            "KUBECONFIG": str(self.kubeconfig),
            "ARGOCD_SERVER": f"{NODE_ADDRESS}:{ARGOCD_PORT}",
            "ARGOCD_OPTS": "--plaintext",
            **(environment or {}),
        }
        run = subprocess.run(
            [str(self.built.programs / program), *arguments],
            check=False,
            capture_output=True,
            text=True,
            timeout=timeout,
            env=variables,
        )
        if check and run.returncode != 0:
            text = f"`{program} {' '.join(arguments)}` ended with {run.returncode}"
            raise ClusterError(f"{text}: {run.stderr.strip()}")
        return Completed(run.returncode, run.stdout, run.stderr)

    # --- objects ----------------------------------------------------------------------------

    def apply(self, *objects: Object) -> None:
        """Create or change objects, in this order."""
        for body in objects:
            self.api.apply(body)

    def get(self, kind: str, namespace: str | None, name: str) -> Object:
        """An object as the API gives it; NotFound when it is not there."""
        return self.api.get(kind, namespace, name)

    def find(self, kind: str, namespace: str | None, name: str) -> Object | None:
        """An object, or None when it is not there."""
        try:
            return self.api.get(kind, namespace, name)
        except NotFound:
            return None

    def list(self, kind: str, namespace: str | None, selector: str = "") -> Iterable[Object]:
        """The objects of a kind in a namespace, or (None) in all."""
        return self.api.list(kind, namespace, selector)

    def patch(self, kind: str, namespace: str | None, name: str, change: Object) -> Object:
        """Change an object (merge patch): how a person edits by hand."""
        return self.api.patch(kind, namespace, name, change)

    def delete(self, kind: str, namespace: str | None, name: str, wait: float | None = None) -> None:
        """Delete an object, and wait for so many seconds until it is gone."""
        self.api.delete(kind, namespace, name)
        if wait is not None:
            gone = f"{kind} {name} to be gone"
            until(lambda: self.find(kind, namespace, name) is None, wait, gone)

    def namespace(self, prefix: str = "release") -> str:
        """A new namespace with a name of its own."""
        name = f"{prefix}-{uuid.uuid4().hex[:8]}"
        self.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        return name

    def answer(self, namespace: str, service: str, path: str = "/version", port: str = "http") -> Response:
        """What a Service answers to a GET through the API server's proxy."""
        place = path_of("Service", namespace, f"{service}:{port}")
        return self.api.request("GET", f"{place}/proxy/{path.lstrip('/')}")

    # --- Argo CD ----------------------------------------------------------------------------

    def repository(self, name: str | None = None) -> EnvironmentRepository:
        """A new, empty environment repository, which Argo CD can read at its url."""
        work = STATE / "clones"
        work.mkdir(exist_ok=True)
        name = name or f"environment-{uuid.uuid4().hex[:8]}"
        url = f"git://{NODE_ADDRESS}:{GIT_PORT}/{name}.git"
        return EnvironmentRepository(REPOSITORIES / f"{name}.git", work / name, url)

    def pin(self, application: str, sha: str, namespace: str = ARGOCD_NAMESPACE) -> None:
        """Pin an Application to a commit: the promotion itself."""
        spec = self.get("Application", namespace, application)["spec"]
        self.patch("Application", namespace, application, {"spec": pinned(spec, sha)})

    def restart_controller(self, resync: str) -> None:
        """Restart only the application controller, with another resync (fast or default)."""
        start.controller(self.processes, self.built, self.options, resync)
        self.options = replace(self.options, resync=resync)
        self._refresh_all()

    def _refresh_all(self) -> None:
        """Let a new controller compare everything.

        One that reads an Application before its project says that the project
        does not exist, and goes on saying so until the next comparison.
        """
        name = "argocd.argoproj.io/refresh"
        change = {"metadata": {"annotations": {name: "normal"}}}
        applications = [
            (body["metadata"]["namespace"], body["metadata"]["name"]) for body in self.list("Application", None)
        ]
        for place in applications:
            self.patch("Application", *place, change)
        for place in applications:
            until(
                lambda at=place: (
                    name  # type: ignore[misc]
                    not in self.get("Application", *at)["metadata"].get("annotations", {})
                ),
                30,
                f"Application {place[1]} to be compared by the new controller",
            )

    def stop_program(self, name: str) -> None:
        """Kill one program of the cluster, such as argocd-application-controller."""
        self.processes.stop(name)

    def start_program(self, name: str) -> None:
        """Start a program that was stopped."""
        start.again(self.processes, self.built, self.options, name)

    # --- the reader -------------------------------------------------------------------------

    def reader_kubeconfig(self, seconds: int = 3600) -> Path:
        """A kubeconfig of a service account that may only read, by the documented manifest."""
        self.run("kubectl", "apply", "--server-side", "-f", str(READER_MANIFEST))
        path = path_of("ServiceAccount", READER, READER) + "/token"
        request: Object = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {"expirationSeconds": seconds},
        }
        token = self.api.call("POST", path, request, "application/json")["status"]["token"]
        kubeconfig = STATE / f"reader-{uuid.uuid4().hex[:8]}.kubeconfig"
        write_kubeconfig(kubeconfig, kubernetes.PKI / "ca.crt", {"token": token})
        return kubeconfig
