"""Where a scenario plays: an environment repository, its Application, a GitHub, and the hands that change them.

Every change is told as the command that would make it elsewhere.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from gate.lab.applications import ARGOCD_NAMESPACE, application, pinned
from gate.lab.cluster.store import Object
from gate.lab.github import Fault, GitHubStandIn
from gate.lab.loopback import port_taken
from gate.lab.manifests import web_release
from gate.lab.repository import BRANCH, EnvironmentRepository, manifest_file
from gate.lab.world import Laboratory

ENVIRONMENT = "staging"
PRODUCTION = "production"
"""The branch that the promotion pull request goes into."""
REPOSITORY = "acme/environments"
SERVER_URL = "https://github.example.test"
NAME = "orders"
"""Name of the Application and of the namespace it deploys into."""
WEB = "web"
"""Name of the Deployment and of the Service."""
FILE = "workloads/web.yaml"
CONFIGURATION = "promotion-gate.yaml"
_DEADLINE, _SHORTEST = 6, 2
SETTLE, GRACE = "2s", "3s"
_EXPECTED = {"status": 200, "json": {"$.release": "{label:app.kubernetes.io/version}"}}
_REQUEST = {"name": "version", "service": f"{NAME}/{WEB}:http", "path": "/version", "expect": _EXPECTED, "samples": 3}
INGRESS_REQUEST = {
    "name": "version",
    "url": "INGRESS/version",
    "workload": f"{NAME}/{WEB}",
    "expect": _EXPECTED,
    "samples": 3,
}
"""A request by URL; INGRESS becomes the address of the laboratory's ingress."""


def progress_deadline(speed: float) -> int:
    """``progressDeadlineSeconds``: short, so that nobody waits ten minutes to see it exceeded.

    At high speed it still takes two seconds of the machine's clock: conditions have whole seconds, and
    one of the second in which the operation ended is not newer than it.
    """
    return max(_DEADLINE, math.ceil(_SHORTEST * speed))


def configuration(changes: Mapping[str, object], ingress: str) -> str:
    """The text of ``promotion-gate.yaml``, with what is promoted to; ``changes`` replace keys of the environment."""
    environment = {
        "applications": [{"name": NAME}],
        "requests": [_REQUEST],
        "timeout": "60s",
        "policy": {"settle": SETTLE, "degraded-grace": GRACE},
        **changes,
    }
    environments: dict[str, object] = {ENVIRONMENT: environment}
    if "promotes-to" in changes and "branch" in changes:  # then the next one has a branch too
        next_one = [{"name": f"{NAME}-{PRODUCTION}"}]
        environments[PRODUCTION] = {"branch": PRODUCTION, "applications": next_one, "requests": [_REQUEST]}
    text = yaml.safe_dump({"version": 1, "environments": environments}, sort_keys=False)
    return text.replace("INGRESS", ingress)


class Stage:
    """One environment in a laboratory. ``notes`` keeps commits under names, for later acts.

    ``tell`` hears every change as a command. ``github`` serves the repository; its one pull request
    promotes ``main`` into ``production``.
    """

    def __init__(self, lab: Laboratory, settings: Mapping[str, object], tell: Callable[[str], None]) -> None:
        self.lab, self.tell = lab, tell
        self.name = NAME
        self.notes: dict[str, str] = {}
        url = f"{SERVER_URL}/{REPOSITORY}.git"
        self.repository = EnvironmentRepository(lab.folder / "environments.git", lab.folder / "environments", url)
        lab.repositories[url] = self.repository.bare
        files = {CONFIGURATION: configuration(settings, lab.ingress.server.url), "README.md": "# Orders\n"}
        self.repository.commit(files, "Configure the gate")
        self.repository.git("push", "--quiet", "origin", f"HEAD:{PRODUCTION}")
        # GitHub names the open pull requests of a commit only where it is not on the default branch yet.
        self.repository.make_default(PRODUCTION)
        try:
            self.github = GitHubStandIn({REPOSITORY: self.repository.bare}, port=lab.ports.github)
        except OSError as error:
            raise port_taken(lab.ports.github, error) from error
        lab.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAME}})

    @property
    def clone(self) -> Path:
        """The clone in which commits are made."""
        return self.repository.path

    def pull_request(self) -> int:
        """The number of the promotion pull request; it is opened when it is first asked for."""
        for number in self.github.world.repositories[REPOSITORY].pulls:
            return number
        return self.github.open_pull(BRANCH, PRODUCTION, title="Promote orders to production").number

    def is_there(self, sha: str) -> bool:
        """Whether the release of a commit is deployed and alone; asked on the laboratory's loop."""
        store = self.lab.store
        status = (store.find("Application", ARGOCD_NAMESPACE, NAME) or {}).get("status", {})
        words = (status.get("sync", {}).get("status"), status.get("health", {}).get("status"))
        if words != ("Synced", "Healthy") or status["sync"].get("revision") != sha:
            return False
        pods = store.objects("Pod", NAME)
        wanted = store.get("Deployment", NAME, WEB)["spec"]["replicas"]
        finished = status.get("operationState", {}).get("phase") == "Succeeded"
        return finished and len(pods) == wanted and not any("deletionTimestamp" in pod["metadata"] for pod in pods)

    # --- Git --------------------------------------------------------------------------------

    def push(self, files: Mapping[str, str | None], message: str, note: str = "") -> str:
        """Commit and push files; the new commit's SHA, remembered under ``note``."""
        sha = self.repository.commit(files, message)
        self.tell(f"git commit -m {json.dumps(message)} && git push   # {sha[:7]}")
        return self._noted(sha, note)

    def write(self, objects: Sequence[Object], message: str, note: str = "") -> str:
        """Commit and push these manifests."""
        return self.push({FILE: manifest_file(objects)}, message, note)

    def release(self, version: str, message: str = "", note: str = "", **web: Any) -> str:
        """Commit and push a web release; keywords as `web_release` has them."""
        release = web_release(WEB, version, **{"progress_deadline": progress_deadline(self.lab.pace.speed), **web})
        return self.write(release, message or f"Release {version}", note)

    def revert(self, note: str, recovered: str = "") -> str:
        """Revert a commit that was remembered, and push; the new one is remembered under ``recovered``."""
        bad = self.notes[note]
        sha = self.repository.revert(bad)
        self.tell(f"git revert --no-edit {bad[:7]} && git push   # {sha[:7]}")
        return self._noted(sha, recovered)

    def _noted(self, sha: str, note: str) -> str:
        if note:
            self.notes[note] = sha
        return sha

    # --- the cluster ------------------------------------------------------------------------

    def create(self, sha: str, **options: Any) -> str:
        """Apply the Application, pinned to a commit; keywords as `application` has them."""
        self.apply(application(NAME, self.repository.url, "workloads", sha, destination=NAME, **options))
        return sha

    def pin(self, sha: str) -> str:
        """Pin the Application to a commit: the promotion itself."""
        spec = self.lab.get("Application", ARGOCD_NAMESPACE, NAME)["spec"]
        self.patch("Application", ARGOCD_NAMESPACE, NAME, {"spec": pinned(spec, sha)})
        return sha

    def apply(self, body: Object) -> None:
        """Create or change an object."""
        self.tell(f"kubectl apply   # {body['kind']} {body['metadata']['name']}")
        self.lab.apply(body)

    def patch(self, kind: str, namespace: str, name: str, change: Object) -> None:
        """Change an object (merge patch)."""
        shown = json.dumps(change, separators=(",", ":"))
        shown = shown if len(shown) <= 120 else f"{shown[:119]}…"
        self.tell(f"kubectl patch {kind.lower()} {name} --namespace {namespace} --type merge -p '{shown}'")
        self.lab.patch(kind, namespace, name, change)

    def delete(self, kind: str, name: str) -> None:
        """Delete an object of Argo CD's namespace."""
        self.tell(f"kubectl delete {kind.lower()} {name} --namespace {ARGOCD_NAMESPACE}")
        self.lab.delete(kind, ARGOCD_NAMESPACE, name)

    def scale(self, replicas: int) -> None:
        """What a hand does to the live Deployment: another number of replicas."""
        self.tell(f"kubectl scale deployment {WEB} --namespace {NAME} --replicas {replicas}")
        self.lab.patch("Deployment", NAME, WEB, {"spec": {"replicas": replicas}})

    def edit_release(self, value: str) -> None:
        """What a hand does to the live Deployment: another RELEASE."""
        one = self.lab.get("Deployment", NAME, WEB)["spec"]["template"]["spec"]["containers"][0]
        one["env"] = [{"name": "RELEASE", "value": value}]
        self.tell(f"kubectl set env deployment/{WEB} --namespace {NAME} RELEASE={value}")
        change = {"spec": {"template": {"spec": {"containers": [one]}}}}
        self.lab.patch("Deployment", NAME, WEB, change)

    def add_stray_pod(self) -> None:
        """A Pod that nobody manages, with the labels that the Service selects."""
        template = self.lab.get("Deployment", NAME, WEB)["spec"]["template"]
        metadata = {"name": "stray", "namespace": NAME, "labels": template["metadata"]["labels"]}
        self.apply({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]})

    # --- Argo CD ----------------------------------------------------------------------------

    def sync(self) -> None:
        """What a person does who starts a sync."""
        self.tell(f"argocd app sync {NAME}")
        self.lab.wait(self.lab.argocd.sync(NAME))

    def roll_back(self) -> None:
        """A rollback inside Argo CD, to the release before this one."""
        number = self.lab.get("Application", ARGOCD_NAMESPACE, NAME)["status"]["history"][-2]["id"]
        self.tell(f"argocd app rollback {NAME} {number}")
        self.lab.wait(self.lab.argocd.roll_back(NAME, number))

    def stop_argocd(self) -> None:
        """Argo CD's application controller stands still from now on."""
        self.tell("kubectl scale statefulset argocd-application-controller --replicas 0")
        self.lab.call(self.lab.argocd.stop_comparing)

    # --- the other systems ------------------------------------------------------------------

    def route(self) -> None:
        """Lead the ingress to the Service."""
        self.tell(f"kubectl create ingress {WEB} --rule '/*={WEB}:http'")
        self.lab.ingress.backend = (NAME, WEB)

    def take_route_away(self) -> None:
        """The ingress has no rule any more: its default backend answers."""
        self.tell(f"kubectl delete ingress {WEB} --namespace {NAME}")
        self.lab.ingress.backend = None

    def api_server_away(self, seconds: int) -> None:
        """The API server is gone for so many seconds, connections and all."""
        self.tell(f"# the API server is away for {seconds} s")
        self.lab.api_server_away(seconds)

    def forbid(self, kind: str) -> None:
        """The account may not read this kind any more."""
        self.tell(f"kubectl edit clusterrole promotion-gate-read-only   # no {kind} any more")
        self.lab.server.faults.refuse(403, kind)

    def leave_out(self, kind: str, *path: str) -> None:
        """The API server gives this kind out without a field."""
        self.tell(f"# {kind}: {'.'.join(path)} is not there from now on")
        self.lab.server.faults.leave_out(kind, *path)

    def github_refuses(self) -> None:
        """GitHub takes no final status: every write of one is refused."""
        self.tell("# GitHub answers 403 to every status from now on")
        self.github.faults.add(Fault(method="POST", path="*/statuses/*", times=None, status=403))
