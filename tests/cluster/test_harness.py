"""The harness itself: what it starts works."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from .harness import (
    ARGOCD_NAMESPACE,
    Harness,
    application,
    baselines,
    hook_job,
    lifecycle,
    manifest_file,
    until,
    web_release,
)
from .harness.processes import children

pytestmark = pytest.mark.cluster


def released(harness: Harness, name: str, sha: str) -> Callable[[], bool]:
    """Whether Argo CD says Synced and Healthy about a commit."""

    def check() -> bool:
        status = harness.get("Application", ARGOCD_NAMESPACE, name).get("status", {})
        sync, health = status.get("sync", {}), status.get("health", {})
        words = (sync.get("revision"), sync.get("status"), health.get("status"))
        return words == (sha, "Synced", "Healthy")

    return check


def test_both_systems_are_up_in_their_versions(harness: Harness) -> None:
    kubernetes = json.loads(harness.run("kubectl", "version", "--output=json").out)
    assert kubernetes["serverVersion"]["gitVersion"] == "v1.34.4"
    argocd = json.loads(harness.run("argocd", "version", "--output=json").out)
    assert argocd["server"]["Version"].startswith("v3.2.11")
    assert lifecycle.running() is not None


def test_a_release_is_synced_answers_and_is_reverted(harness: Harness) -> None:
    repository, namespace = harness.repository(), harness.namespace()
    files = {"web/web.yaml": manifest_file(web_release("web", "r1"))}
    first = repository.commit(files, "Release r1")
    name = f"app-{namespace}"
    harness.apply(application(name, repository.url, "web", first, destination=namespace))
    until(released(harness, name, first), 60, "the first release")
    assert harness.answer(namespace, "web").json()["release"] == "r1"

    files = {"web/web.yaml": manifest_file(web_release("web", "r2"))}
    second = repository.commit(files, "Release r2")
    harness.pin(name, second)
    until(released(harness, name, second), 60, "the second release")
    assert harness.answer(namespace, "web").json()["release"] == "r2"

    third = repository.revert(second)
    assert repository.tree(third) == repository.tree(first) != repository.tree(second)
    harness.pin(name, third)
    until(released(harness, name, third), 60, "the revert")
    assert harness.answer(namespace, "web").json()["release"] == "r1"
    harness.delete("Application", ARGOCD_NAMESPACE, name, wait=60)


def test_the_other_tools_give_typed_answers(harness: Harness) -> None:
    repository, namespace = harness.repository(), harness.namespace()
    broken = [hook_job("before", seconds=1), *web_release("web", "r1", readiness_path="/no")]
    sha = repository.commit({"web/web.yaml": manifest_file(broken)}, "Broken")
    name = f"app-{namespace}"
    harness.apply(application(name, repository.url, "web", sha, destination=namespace))
    until(lambda: harness.find("Deployment", namespace, "web"), 60, "the Deployment")
    answers = baselines.ask(harness, name, namespace, "web", 2)
    assert answers.argocd_app_wait.verdict == "timeout", answers
    assert answers.kubectl_rollout_status.verdict == "timeout", answers
    assert answers.words.verdict == "fail", answers
    missing = baselines.kubectl_rollout_status(harness, namespace, "nothing", 2)
    assert missing.verdict == "error", missing
    assert harness.answer(namespace, "web").status == 503
    harness.delete("Application", ARGOCD_NAMESPACE, name, wait=60)


def test_the_reader_reads_and_does_not_write(harness: Harness) -> None:
    reader = {"KUBECONFIG": str(harness.reader_kubeconfig())}
    harness.run("kubectl", "get", "applications,appprojects", "-A", environment=reader)
    harness.run("kubectl", "get", "deploy,rs,sts,ds,job,pod,svc,ev", "-A", environment=reader)
    harness.run("kubectl", "get", "endpointslices", "-A", environment=reader)
    for forbidden in (["get", "secrets"], ["create", "namespace", "x"], ["delete", "svc", "x"]):
        answer = harness.run("kubectl", *forbidden, check=False, environment=reader)
        assert "Forbidden" in answer.err, forbidden


def test_the_controller_is_restarted_with_another_resync(harness: Harness) -> None:
    before = harness.processes.marks()["argocd-application-controller"]
    harness.restart_controller("default")
    after = harness.processes.marks()["argocd-application-controller"]
    command = Path(f"/proc/{children(after.pid)[0].pid}/cmdline").read_text().split("\0")
    assert not before.alive
    assert "--app-resync=120" in command
    harness.restart_controller("fast")
