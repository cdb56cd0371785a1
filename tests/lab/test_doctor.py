"""``gate doctor`` before the laboratory: what is there, what is missing, and the line to add."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gate.lab.github import App
from gate.lab.github.identity import GITHUB_ACTIONS
from gate.lab.stage import REPOSITORY
from tests.lab.first_steps import Bench, levels, said, standing
from tests.support.github_apps import KEY, PERMISSIONS

CHECK = {"type": "required_status_checks"}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with standing(tmp_path) as made:
        yield made


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


@pytest.mark.exhaustive
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


@pytest.mark.exhaustive
def test_a_token_that_sees_too_little(bench: Bench) -> None:
    bench.stage.github.add_token("narrow-token", GITHUB_ACTIONS, {"contents": "read", "metadata": "read"})
    found = bench.doctor("--repository", REPOSITORY, code=1, GITHUB_TOKEN="narrow-token")
    github = found[f"GitHub {REPOSITORY}"]
    assert said(github, "Commit statuses cannot be read")["add"] == ["statuses: write"]
    assert said(github, "Pull requests cannot be read")["add"] == ["pull-requests: write"]
    found = bench.doctor("--repository", "acme/other", code=1)
    assert said(found["GitHub acme/other"], "it is not there, or the token does not see it")["level"] == "problem"
    assert said(bench.doctor(GITHUB_TOKEN="")["GitHub"], "Not looked at")["level"] == "warning"


@pytest.mark.exhaustive
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


@pytest.mark.exhaustive
def test_an_application_that_nothing_can_pass_of(bench: Bench) -> None:
    spec = {"source": {"targetRevision": "main"}, "project": "gone", "syncPolicy": {"automated": None}}
    bench.stage.patch("Application", "argocd", "orders", {"spec": spec})
    found = bench.doctor(code=1)["Application argocd/orders"]
    assert said(found, "PinNotACommit")["add"][0].startswith("targetRevision: FULL_COMMIT_ID")
    assert said(found, "Automated sync is off")["level"] == "warning"
    assert said(found, "project gone is not there")["level"] == "problem"
    bench.lab.delete("Application", "argocd", "orders")
    assert said(bench.doctor(code=1)["Application argocd/orders"], "It is not there.")["level"] == "problem"


@pytest.mark.exhaustive
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


@pytest.mark.exhaustive
@pytest.mark.parametrize("granted", [PERMISSIONS, {**PERMISSIONS, "statuses": "read"}])
def test_what_an_app_may_do_is_known(bench: Bench, granted: dict[str, str]) -> None:
    app = App(id=4242, slug="acme-gate", public_key=KEY.public, permissions=granted, installation_id=77)
    bench.stage.github.add_app(app)
    require = [{"context": "gate/staging", "integration_id": 4242}]
    bench.stage.github.add_rule(bench.branch, {**CHECK, "parameters": {"required_status_checks": require}})
    enough = granted == PERMISSIONS
    as_app = {"GATE_APP_ID": "4242", "GATE_APP_PRIVATE_KEY": KEY.private}
    found = bench.doctor("--repository", REPOSITORY, code=0 if enough else 1, **as_app)
    github = found[f"GitHub {REPOSITORY}"]
    assert said(github, "from App 4242 only.")["level"] == "ok"
    if enough:
        assert said(github, "acme-gate[bot] may write statuses and comments")["level"] == "ok"
    else:
        assert said(github, "statuses is read")["add"] == ["Commit statuses: Read and write"]
    posted = {one.path for one in bench.stage.github.requests if one.method != "GET"}
    assert posted == {"/app/installations/77/access_tokens"}, "logging in, and nothing else"


@pytest.mark.exhaustive
def test_what_a_pull_request_would_need_of_the_next_environment(bench: Bench) -> None:
    """A misspelt pin.file of it holds every pull request, and none at all refuses each of them."""
    file = bench.stage.clone / "promotion-gate.yaml"
    text = file.read_text()
    for applications, part in (
        ("[{name: orders, pin: {file: apps/prodcution.yaml}}]", "apps/prodcution.yaml of orders is not below"),
        ("[{name: orders}]", "production has no pin.file"),
    ):
        file.write_text(f"{text}\n  production: {{applications: {applications}}}\n")
        assert said(bench.doctor("-e", "staging")["configuration"], part)["level"] == "warning"
    file.write_text(f"{text}\n  production: {{branch: env, applications: [{{name: orders, pin: {{file: x.yaml}}}}]}}\n")
    assert not [one for one in bench.doctor("-e", "staging")["configuration"] if "x.yaml" in one["seen"]]
