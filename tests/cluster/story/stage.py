"""One release on the cluster: its environment repository, its Application, its namespace."""

import copy
import json
from collections.abc import Callable, Sequence
from typing import Any

from tests.cluster.harness import (
    ARGOCD_NAMESPACE,
    Harness,
    Object,
    application,
    manifest_file,
    until,
    web_release,
)
from tests.cluster.story import seeing

WEB = "orders"
"""Name of the Deployment and of the Service."""
FILE = "workloads/orders.yaml"
_LONG = 90


def configuration(name: str, namespace: str, policy: str = "{}", pin: str = "", settle: str = "5s") -> str:
    """The gate's configuration for one Application whose Service is asked which release it is."""
    more = policy.strip("{}")
    where = f"\n        pin: {{file: {pin}}}" if pin else ""
    return f"""version: 1
environments:
  staging:
    applications:
      - name: {name}{where}
    requests:
      - name: version
        service: {namespace}/{WEB}:http
        path: /version
        expect: {{status: 200, json: {{$.release: "{{label:app.kubernetes.io/version}}"}}}}
        samples: 3
    timeout: 60s
    policy: {{settle: {settle}{", " if more else ""}{more}}}
"""


class Stage:
    """Where one tale plays. ``notes`` keeps commits under names, for later acts."""

    def __init__(self, harness: Harness, tale: str, policy: str = "{}", pin: str = "") -> None:
        self.harness = harness
        self.namespace = harness.namespace(tale)
        self.name = self.namespace
        self.repository = harness.repository(f"environment-{self.namespace}")
        self.settings = configuration(self.name, self.namespace, policy, pin, harness.settle)
        self.notes: dict[str, str] = {}
        self.pods: dict[str, str] = {}
        files = {"promotion-gate.yaml": self.settings, "README.md": f"# {tale}\n"}
        self.repository.commit(files, "Configure the gate")
        self.repository.git("push", "--quiet", "origin", "HEAD:production")

    def end(self) -> None:
        """Take away what the tale made, without waiting for it."""
        self.harness.delete("Application", ARGOCD_NAMESPACE, self.name)
        self.harness.delete("Namespace", None, self.namespace)

    # --- Git --------------------------------------------------------------------------------

    def write(self, objects: Sequence[Object], message: str, note: str = "") -> str:
        """Commit these manifests; the new commit's SHA, remembered under ``note``."""
        return self._noted(self.repository.commit({FILE: manifest_file(objects)}, message), note)

    def release(self, version: str, message: str = "", note: str = "", **web: Any) -> str:
        """Commit a web release; keywords as `web_release` has them."""
        return self.write(web_release(WEB, version, **web), message or f"Release {version}", note)

    def revert(self, note: str, own: str = "") -> str:
        """Revert a commit that was remembered."""
        return self._noted(self.repository.revert(self.notes[note]), own)

    def _noted(self, sha: str, note: str) -> str:
        if note:
            self.notes[note] = sha
        return sha

    # --- Argo CD ----------------------------------------------------------------------------

    def create(self, sha: str, path: str = "workloads", **options: Any) -> str:
        """Apply the Application, pinned to a commit; keywords as `application` has them."""
        self.harness.apply(
            application(self.name, self.repository.url, path, sha, destination=self.namespace, **options)
        )
        return sha

    def pin(self, sha: str) -> str:
        """Pin the Application to a commit."""
        self.harness.pin(self.name, sha)
        return sha

    def patch_application(self, change: Object) -> None:
        """Change the Application (merge patch)."""
        self.harness.patch("Application", ARGOCD_NAMESPACE, self.name, change)

    def argocd(self, *arguments: str) -> None:
        """Run `argocd app ...` on this Application, whose name is put after the first word."""
        command, *rest = arguments
        self.harness.run("argocd", "app", command, self.name, *rest)

    @property
    def application(self) -> Object:
        """The Application as it is; empty when it is not there."""
        return self.harness.find("Application", ARGOCD_NAMESPACE, self.name) or {}

    @property
    def status(self) -> Object:
        """The Application's status; empty when there is none."""
        status: Object = self.application.get("status", {})
        return status

    @property
    def deployment(self) -> Object:
        """The Deployment as it is; empty when it is not there."""
        return self.harness.find("Deployment", self.namespace, WEB) or {}

    # --- waiting ----------------------------------------------------------------------------

    def wait(self, condition: Callable[["Stage", str], bool], sha: str, seconds: float = _LONG) -> None:
        """Wait until the condition is so of a commit."""
        until(lambda: condition(self, sha), seconds, lambda: f"{self.name}: {condition.__name__}: {self._words()}")

    def begin(self, version: str = "1.0.0", **web: Any) -> str:
        """A first release, deployed and there."""
        sha = self.create(self.release(version, note="first", **web))
        self.wait(seeing.is_there, sha)
        return sha

    def _words(self) -> str:
        status = self.status
        words = {key: status.get(key) for key in ("sync", "health", "conditions", "operationState")}
        return json.dumps(words)[:1500]


def changed(objects: Sequence[Object], kind: str, change: Callable[[Object], None]) -> list[Object]:
    """The objects with a change made to the one of this kind."""
    copies = copy.deepcopy(list(objects))
    for body in copies:
        if body["kind"] == kind:
            change(body)
    return copies


def container(body: Object) -> Object:
    """The one container of a workload's Pod template."""
    found: Object = body["spec"]["template"]["spec"]["containers"][0]
    return found
