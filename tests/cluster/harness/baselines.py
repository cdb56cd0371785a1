"""What other tools say at the same moment: argocd app wait, kubectl rollout status, two words.

They are asked side by side, each in a thread of its own, so that their answers
are about the same state of the cluster.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

from gate.lab.applications import ARGOCD_NAMESPACE

from .harness import Harness

Verdict = Literal["pass", "fail", "timeout", "error"]


@dataclass(frozen=True)
class Answer:
    """What one command said, and after how many seconds."""

    verdict: Verdict
    seconds: float
    said: str


@dataclass(frozen=True)
class Words:
    """Argo CD's own words about an Application, read once."""

    sync: str
    health: str
    revision: str
    operation: str

    @property
    def verdict(self) -> Verdict:
        """What a script that looks at the two words only would conclude."""
        return "pass" if (self.sync, self.health) == ("Synced", "Healthy") else "fail"


@dataclass(frozen=True)
class Baselines:
    """The three answers about one moment."""

    argocd_app_wait: Answer
    kubectl_rollout_status: Answer
    words: Words


def argocd_app_wait(harness: Harness, application: str, seconds: int) -> Answer:
    """`argocd app wait NAME --sync --health --operation --timeout N`."""
    flags = ("--sync", "--health", "--operation", "--timeout", str(seconds))
    return _ask(harness, "argocd", seconds, "app", "wait", application, *flags)


def kubectl_rollout_status(harness: Harness, namespace: str, deployment: str, seconds: int) -> Answer:
    """`kubectl rollout status deployment/NAME --timeout=Ns`."""
    target = (f"deployment/{deployment}", f"--namespace={namespace}", f"--timeout={seconds}s")
    return _ask(harness, "kubectl", seconds, "rollout", "status", *target)


def words(harness: Harness, application: str) -> Words:
    """Argo CD's sync and health words, as they are now."""
    status = harness.get("Application", ARGOCD_NAMESPACE, application).get("status", {})
    return Words(
        sync=status.get("sync", {}).get("status", ""),
        health=status.get("health", {}).get("status", ""),
        revision=status.get("sync", {}).get("revision", ""),
        operation=status.get("operationState", {}).get("phase", ""),
    )


def ask(harness: Harness, application: str, namespace: str, deployment: str, seconds: int) -> Baselines:
    """All three, asked at the same moment."""
    with ThreadPoolExecutor(3) as pool:
        now = pool.submit(words, harness, application)
        argocd = pool.submit(argocd_app_wait, harness, application, seconds)
        kubectl = pool.submit(kubectl_rollout_status, harness, namespace, deployment, seconds)
        return Baselines(argocd.result(), kubectl.result(), now.result())


def _ask(harness: Harness, program: str, seconds: int, *arguments: str) -> Answer:
    if not harness.has_commands:
        return Answer("error", 0.0, "not asked: the command is not here")
    begin = time.monotonic()
    done = harness.run(program, *arguments, timeout=seconds + 30, check=False)
    took = time.monotonic() - begin
    text = (done.err.strip() or done.out.strip()).splitlines()
    return Answer(_verdict(done.code, done.err), took, text[-1] if text else "")


def _verdict(code: int, err: str) -> Verdict:
    if code == 0:
        return "pass"
    if "timed out" in err or "context deadline exceeded" in err:
        return "timeout"
    return "error" if "NotFound" in err or "permission denied" in err.lower() else "fail"
