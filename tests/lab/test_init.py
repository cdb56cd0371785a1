"""``gate init`` before the laboratory: a first configuration that holds, and says what it lacks."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.config.load import read_configuration
from tests.lab.first_steps import Bench, levels, said, standing


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with standing(tmp_path) as made:
        yield made


@pytest.mark.exhaustive
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
