"""``gate init`` and ``gate doctor`` before the laboratory: a first configuration that holds, and what is missing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from gate.config.load import read_configuration
from gate.lab.stage import REPOSITORY, Stage
from gate.lab.world import Laboratory
from tests.lab.test_command import LIMIT

SPEED = 20.0
CHECK = {"type": "required_status_checks"}


@dataclass
class Bench:
    """A release that stands in the laboratory, and the program beside it."""

    lab: Laboratory
    stage: Stage
    sha: str
    environ: dict[str, str] = field(default_factory=dict)

    def gate(self, *arguments: str, code: int = 0, **environ: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the clone."""
        ended = subprocess.run(
            [sys.executable, "-I", "-m", "gate", *arguments],
            cwd=self.stage.clone,
            env={**self.environ, **environ},
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT,
        )
        assert ended.returncode == code, ended.stdout + ended.stderr
        assert self.lab.server.accounts.reader.token not in ended.stdout + ended.stderr
        assert self.stage.github.token not in ended.stdout + ended.stderr
        return ended

    @property
    def branch(self) -> str:
        """The default branch of the repository on GitHub."""
        return self.stage.github.world.repositories[REPOSITORY].git.default_branch()

    def doctor(self, *arguments: str, code: int = 0, **environ: str) -> dict[str, list[dict[str, Any]]]:
        """What the doctor finds, by heading."""
        ended = self.gate("doctor", "--format", "json", *arguments, code=code, **environ)
        found: dict[str, list[dict[str, Any]]] = {}
        for one in json.loads(ended.stdout)["findings"]:
            found.setdefault(one["about"], []).append(one)
        return found


@contextmanager
def standing(folder: Path, settings: Mapping[str, object] | None = None, **web: Any) -> Iterator[Bench]:
    """A laboratory in which release 1.0.0 stands."""
    import asyncio

    with Laboratory(folder, speed=SPEED) as lab:
        stage = Stage(lab, {"promotes-to": "production", **(settings or {})}, lambda _: None)
        sha = stage.create(stage.release("1.0.0", **web))
        with stage.github:
            asyncio.run(lab.until(lambda: stage.is_there(sha), 30, "the release"))
            home = folder / "home"
            home.mkdir()
            environ = {
                "PATH": os.environ["PATH"],
                "HOME": str(home),
                "KUBECONFIG": str(lab.kubeconfig),
                "LANG": "C.UTF-8",
            }
            environ |= {"GITHUB_TOKEN": stage.github.token, "GITHUB_API_URL": stage.github.url}
            yield Bench(lab, stage, sha, environ)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with standing(tmp_path) as made:
        yield made


def levels(found: list[dict[str, Any]]) -> list[str]:
    return [one["level"] for one in found]


def said(found: list[dict[str, Any]], part: str) -> dict[str, Any]:
    """The one finding that says this."""
    [one] = [one for one in found if part in one["seen"]]
    return one


def test_a_first_configuration_refuses_what_it_must(bench: Bench) -> None:
    ended = bench.gate("init", "--application", "orders", "--output", "first.yaml")
    assert (
        "orders/web:http /version names the release, by {label:app.kubernetes.io/version} (1.0.0 now)" in ended.stderr
    )
    settings = read_configuration(bench.stage.clone / "first.yaml").environments["staging"]
    assert [str(one.expect.templates[0]) for one in settings.requests] == ["{label:app.kubernetes.io/version}"]
    assert [one.identified for one in settings.workloads] == ["Deployment orders/web"]
    for more in ((), ("--live", "--repo", ".")):
        bench.gate("rehearse", "--config", "first.yaml", *more)
    found = bench.doctor("--config", "first.yaml", GITHUB_TOKEN="")
    assert "problem" not in levels([one for group in found.values() for one in group])


def test_a_file_that_is_there_is_kept_unless_forced(bench: Bench) -> None:
    before = (bench.stage.clone / "promotion-gate.yaml").read_text()
    ended = bench.gate("init", "-a", "orders", code=64)
    assert "promotion-gate.yaml is there already" in ended.stderr
    assert (bench.stage.clone / "promotion-gate.yaml").read_text() == before
    bench.gate("init", "-a", "orders", "--force")
    assert (bench.stage.clone / "promotion-gate.yaml").read_text().startswith("# Written by gate init")
    printed = bench.gate("init", "-a", "orders", "-o", "-", "-e", "prod", "--context", "laboratory").stdout
    assert "  prod: # the commit status is gate/prod" in printed
    assert "cluster: {context: laboratory}" in printed


def test_an_application_that_is_not_there(bench: Bench) -> None:
    assert "did you mean orders?" in bench.gate("init", "-a", "order", "-o", "-", code=64).stderr
    assert "there is none at all" in bench.gate(
        "init", "-a", "orders", "-o", "-", "--argocd-namespace", "default", code=64
    ).stderr  # fmt: skip
    assert "expected a Kubernetes name" in bench.gate("init", "-a", "Orders!", "-o", "-", code=64).stderr


def test_the_manifest_that_pins_is_found(bench: Bench) -> None:
    source = {"repoURL": bench.stage.repository.url, "path": "workloads", "targetRevision": bench.sha}
    manifest = {"kind": "Application", "metadata": {"name": "orders"}, "spec": {"source": source}}
    (bench.stage.clone / "apps").mkdir()
    (bench.stage.clone / "apps" / "orders.yaml").write_text(json.dumps(manifest))
    bench.gate("init", "-a", "orders", "-o", "first.yaml")
    [target] = read_configuration(bench.stage.clone / "first.yaml").environments["staging"].applications
    assert target.pin is not None
    assert target.pin.file == "apps/orders.yaml"
    found = bench.doctor("--config", "first.yaml", GITHUB_TOKEN="")
    assert said(found["configuration"], "apps/orders.yaml pins orders to")["level"] == "ok"


def test_where_nothing_tells_releases_apart_the_file_says_so(tmp_path: Path) -> None:
    with standing(tmp_path, answer="hello") as bench:
        ended = bench.gate("init", "-a", "orders", "-o", "first.yaml")
        assert "not found: nothing in the answers tells the release" in ended.stderr
        text = (bench.stage.clone / "first.yaml").read_text()
        assert '# json: {$.release: "{label:app.kubernetes.io/version}"}' in text
        assert "NoReleaseIdentity" in text
        bench.gate("rehearse", "--config", "first.yaml", code=1)
        bench.stage.stop_argocd()  # or it would put that back
        bench.stage.patch("Service", "orders", "web", {"spec": {"selector": {"app": "other"}}})
        ended = bench.gate("init", "-a", "orders", "-o", "second.yaml")
        assert "none of its Services leads to one of its Deployments" in ended.stderr
        assert read_configuration(bench.stage.clone / "second.yaml").environments["staging"].requests == ()


def test_a_healthy_set_up(bench: Bench) -> None:
    require = {"context": "gate/staging", "integration_id": 4242}
    bench.stage.github.add_rule(bench.branch, {**CHECK, "parameters": {"required_status_checks": [require]}})
    found = bench.doctor("--repository", REPOSITORY)
    assert levels(found["Application argocd/orders"]) == ["ok"] * 4
    assert levels(found["request version"]) == ["ok"]
    assert levels(found["rehearsal"]) == ["ok"]
    [cluster] = [
        one for about, group in found.items() if about.startswith("cluster") for one in group if "events" in one["seen"]
    ]
    assert "services/proxy" in cluster["seen"]
    github = found[f"GitHub {REPOSITORY}"]
    source = said(github, "from App 4242 only: the gate has to act as that App")
    assert source["add"] == ["app-id: 4242", "app-private-key: ${{ secrets.GATE_APP_PRIVATE_KEY }}"]
    assert said(github, "cannot be known without writing")["level"] == "warning"
    assert said(github, "is valid, and is what was looked at here")["level"] == "ok"
    asked = {(one.method, one.path) for one in bench.stage.github.requests}
    assert {method for method, _ in asked} == {"GET"}, "nothing is written"
    report = bench.gate("doctor", "--repository", REPOSITORY).stdout
    assert report.splitlines()[-1].startswith("staging: ")


@pytest.mark.parametrize(
    ("checks", "level", "part"),
    [
        ([], "warning", "No ruleset requires gate/staging on "),
        ([{"context": "lint"}], "problem", "Required are lint."),
        ([{"context": "Gate/Staging"}], "warning", "from anybody who may write a status"),
        ([{"context": "gate/staging", "integration_id": 15368}], "warning", "any of them can write it"),
    ],
)
def test_whether_the_status_is_required_and_from_whom(
    bench: Bench, checks: list[dict[str, Any]], level: str, part: str
) -> None:
    if checks:
        bench.stage.github.add_rule(bench.branch, {**CHECK, "parameters": {"required_status_checks": checks}})
    found = bench.doctor("--repository", REPOSITORY, code=1 if level == "problem" else 0)
    one = said(found[f"GitHub {REPOSITORY}"], part)
    assert one["level"] == level
    assert "integration_id" in one["add"][0]


def test_a_merge_queue_that_waits_less_than_the_gate(bench: Bench) -> None:
    queue = {"check_response_timeout_minutes": 1, "grouping_strategy": "ALLGREEN"}
    bench.stage.github.add_rule(bench.branch, {"type": "merge_queue", "parameters": queue})
    found = bench.doctor("--repository", REPOSITORY, code=1)
    assert said(found[f"GitHub {REPOSITORY}"], "waits 1 minutes, and the gate 1m")["add"] == ["timeout: 1m"]


def test_a_token_that_sees_too_little(bench: Bench) -> None:
    from gate.lab.github.identity import GITHUB_ACTIONS

    bench.stage.github.add_token("narrow-token", GITHUB_ACTIONS, {"contents": "read", "metadata": "read"})
    found = bench.doctor("--repository", REPOSITORY, code=1, GITHUB_TOKEN="narrow-token")
    github = found[f"GitHub {REPOSITORY}"]
    assert said(github, "Commit statuses cannot be read")["add"] == ["statuses: write"]
    assert said(github, "Pull requests cannot be read")["add"] == ["pull-requests: write"]
    found = bench.doctor("--repository", "acme/other", code=1)
    assert said(found["GitHub acme/other"], "it is not there, or the token does not see it")["level"] == "problem"
    assert said(bench.doctor(GITHUB_TOKEN="")["GitHub"], "Not looked at")["level"] == "warning"


def test_what_workflows_would_read_is_another_file(bench: Bench) -> None:
    text = (bench.stage.clone / "promotion-gate.yaml").read_text()
    (bench.stage.clone / "promotion-gate.yaml").write_text(text.replace("timeout: 60s", "timeout: 61s"))
    found = bench.doctor("--repository", REPOSITORY)
    assert said(found[f"GitHub {REPOSITORY}"], "is not what was looked at here")["level"] == "warning"
    (bench.stage.clone / "other.yaml").write_text(text)
    found = bench.doctor("--repository", REPOSITORY, "--config", "other.yaml", code=1)
    assert said(found[f"GitHub {REPOSITORY}"], f"other.yaml on {bench.branch} is not there")["level"] == "problem"


def test_rights_are_asked_for_kind_by_kind(bench: Bench) -> None:
    rules = dict(bench.lab.server.accounts.reader.rules or {})
    del rules[("apps", "replicasets")], rules[("", "services/proxy")]
    rules[("", "pods")] = ("get", "list")
    object.__setattr__(bench.lab.server.accounts.reader, "rules", rules)
    found = bench.doctor(code=1)
    [about] = [about for about in found if about.endswith("namespace orders")]
    lacking = said(found[about], "replicasets: no right to get, list, watch")
    assert lacking["add"] == ["- {apiGroups: [apps], resources: [replicasets], verbs: [get, list, watch]}"]
    assert "namespace orders" in lacking["to"]
    assert said(found[about], "pods cannot be watched")["level"] == "warning"
    proxy = said(found[about], "services/proxy: no right to get")
    assert proxy["add"] == ['- {apiGroups: [""], resources: [services/proxy], verbs: [get]}']
    assert levels(found["request version"]) == ["problem"]


def test_an_application_that_nothing_can_pass_of(bench: Bench) -> None:
    spec = {"source": {"targetRevision": "main"}, "project": "gone", "syncPolicy": {"automated": None}}
    bench.stage.patch("Application", "argocd", "orders", {"spec": spec})
    found = bench.doctor(code=1)["Application argocd/orders"]
    assert said(found, "PinNotACommit")["add"][0].startswith("targetRevision: FULL_COMMIT_ID")
    assert said(found, "Automated sync is off")["level"] == "warning"
    assert said(found, "project gone is not there")["level"] == "problem"
    bench.lab.delete("Application", "argocd", "orders")
    assert said(bench.doctor(code=1)["Application argocd/orders"], "It is not there.")["level"] == "problem"


def test_a_request_that_is_answered_by_another_release_and_one_that_tells_nothing(tmp_path: Path) -> None:
    blind = {"name": "version", "service": "orders/web:http", "path": "/version", "headers": {"X-Key": "RELEASE_KEY"}}
    with standing(tmp_path, {"requests": [blind]}, answer="0.9.0") as bench:
        found = bench.doctor(code=1)
        assert said(found["request version"], "RELEASE_KEY is not set here")["add"][0] == "env:"
        found = bench.doctor(code=1, RELEASE_KEY="value-that-nobody-may-see")
        assert "value-that-nobody-may-see" not in json.dumps(found)
        assert said(found["request version"], "NoReleaseIdentity")["add"] == ["gate explain NoReleaseIdentity"]
        assert "cannot tell releases apart" in found["rehearsal"][0]["seen"]
        text = (bench.stage.clone / "promotion-gate.yaml").read_text()
        expect = '"{label:app.kubernetes.io/version}"'
        (bench.stage.clone / "promotion-gate.yaml").write_text(
            text.replace("    path: /version", f"    path: /version\n      expect: {{json: {{$.release: {expect}}}}}")
        )
        found = bench.doctor(code=1, RELEASE_KEY="x")
        assert said(found["request version"], "WrongRelease")["level"] == "problem"


def test_a_cluster_that_cannot_be_reached_and_a_file_that_is_none(bench: Bench) -> None:
    found = bench.doctor(code=1, KUBECONFIG="gone")
    assert said(found["cluster"], "cannot be read")["level"] == "problem"
    assert bench.gate("doctor", "--config", "gone.yaml", code=64).stdout == ""
    assert "no environment 'prod'" in bench.gate("doctor", "-e", "prod", code=64).stderr
