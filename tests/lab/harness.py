"""The laboratory in the place of the cluster: the same methods, so that the same tales play on it."""

import http.client
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from gate.lab.argocd import RefusedError
from gate.lab.repository import EnvironmentRepository
from gate.lab.world import Laboratory
from tests.cluster.harness import ARGOCD_NAMESPACE, ClusterError, Completed, Harness, Response, until
from tests.cluster.harness.api import JSON, Api
from tests.lab.forked import run_forked


class LabApi(Api):
    """Requests to the laboratory's API server, as the administrator."""

    def __init__(self, lab: Laboratory) -> None:
        self._lab = lab

    def request(self, method: str, path: str, body: bytes | None = None, content: str = JSON) -> Response:
        """Any request; no status is an error here."""
        connection = http.client.HTTPConnection(urlsplit(self._lab.server.url).netloc, timeout=30)
        try:
            headers = {"Accept": JSON, "Authorization": f"Bearer {self._lab.token}"}
            if body is not None:
                headers["Content-Type"] = content
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return Response(answer.status, answer.read())
        finally:
            connection.close()


class LabHarness(Harness):
    """A laboratory that runs while this context manager is open. ``speed`` is that of its models."""

    has_commands = False
    gate = staticmethod(run_forked)
    settle = "2s"

    def __init__(self, speed: float = 1.0) -> None:
        self._speed = speed

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="promotion-gate-lab-test-")
        self.folder = Path(self._folder.name)
        self.lab = Laboratory(self.folder, speed=self._speed)
        self.lab.__enter__()
        self.api = LabApi(self.lab)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.lab.__exit__(kind, error, trace)
        self._folder.cleanup()

    def run(
        self,
        program: str,
        *arguments: str,
        timeout: float = 120,
        check: bool = True,
        environment: Mapping[str, str] | None = None,  # noqa: ARG002 - there is no process to give it to
    ) -> Completed:
        """What the argocd command would do: `app sync`, `app rollback`, `app terminate-op`."""
        waits = False
        match (program, *arguments):
            case ("argocd", "app", "sync", name, *options):
                waits = "--async" not in options
                work = self.lab.argocd.sync(name)
            case ("argocd", "app", "rollback", name, number):
                waits = True
                work = self.lab.argocd.roll_back(name, int(number))
            case ("argocd", "app", "terminate-op", name):
                work = self.lab.argocd.terminate(name)
            case _:
                raise ClusterError(f"the laboratory has no `{program} {' '.join(arguments)}`")
        try:
            self.lab.wait(work)
        except RefusedError as refused:
            if check:
                raise ClusterError(str(refused)) from refused
            return Completed(20, "", str(refused))
        if waits:
            until(lambda: "operation" not in self.get("Application", ARGOCD_NAMESPACE, name), timeout, "the operation")
        return Completed(0, "", "")

    def repository(self, name: str | None = None) -> EnvironmentRepository:
        """A new, empty environment repository, which the laboratory's Argo CD can read at its url."""
        name = name or f"environment-{len(self.lab.repositories)}"
        url = f"https://git.example.test/{name}.git"
        made = EnvironmentRepository(self.folder / f"{name}.git", self.folder / name, url)
        self.lab.repositories[url] = made.bare
        return made

    def reader_kubeconfig(self, seconds: int = 3600) -> Path:  # noqa: ARG002 - its token does not expire
        """A kubeconfig of the account that may only read."""
        return self.lab.kubeconfig
