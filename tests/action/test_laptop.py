"""``gate check`` from a laptop: a kubeconfig, a clone, no GitHub, and a screen or a pipe to write to."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.support import situations
from tests.support.action import LIMIT, Stage, stage
from tests.support.environments import configuration
from tests.support.terminal import in_terminal

CHECK = [sys.executable, "-m", "gate", "check", "--environment", "staging", "--no-publish"]
GITHUB = "GITHUB_"


def laptop(on: Stage, **more: str) -> dict[str, str]:
    """A person's environment: nothing of a workflow in it."""
    home = on.folder / "home"
    home.mkdir(exist_ok=True)
    (on.workspace / "promotion-gate.yaml").write_text(yaml.safe_dump(configuration()))
    return {"PATH": os.environ["PATH"], "HOME": str(home), "TERM": "xterm-256color", "LANG": "C.UTF-8", **more}


def check(on: Stage, *arguments: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run it with both streams in pipes."""
    clone = str(on.lab.repository.git.directory)
    return subprocess.run(
        [*CHECK, "--repo", clone, *arguments],
        cwd=on.workspace,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize("by", ["KUBECONFIG", "home", "option"])
def test_every_way_to_the_cluster(by: str, tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        environment, arguments = laptop(on), ["--format", "json"]
        made = on.workspace / "kubeconfig"
        if by == "KUBECONFIG":
            environment["KUBECONFIG"] = f"/gone/config:{made}"
        elif by == "home":
            (tmp_path / "home" / ".kube").mkdir()
            made.rename(tmp_path / "home" / ".kube" / "config")
        else:
            environment["KUBECONFIG"] = "/gone/config"
            arguments += ["--kubeconfig", "kubeconfig"]
        done = check(on, *arguments, "--revision", on.commit, environment=environment)
        assert done.returncode == 0, done.stderr
        said = json.loads(done.stdout)
        assert (said["verdict"], said["intended"]) == ("passed", on.commit)
        assert done.stdout.count("\n") == 1
        assert on.lab.github.requests == []
        assert "\x1b" not in done.stderr
        assert "::" not in done.stderr
        assert "verdict: passed" in done.stderr
        assert len(on.evidence()) == 1


@pytest.mark.exhaustive
def test_a_short_id_of_the_clone_and_a_verdict_that_fails(tmp_path: Path) -> None:
    with stage(tmp_path, situations.broken()) as on:
        environment = laptop(on, KUBECONFIG=str(on.workspace / "kubeconfig"))
        done = check(on, "--revision", on.commit[:10], environment=environment)
        assert done.returncode == 1, done.stderr
        assert done.stdout == ""
        assert "ProgressDeadlineExceeded" in done.stderr


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--revision", "nothing"], ["'nothing'", "full commit id"]),
        (["--revision", "0" * 40, "--config", "gone.yaml"], ["gone.yaml", "does not exist"]),
        (["--revision", "0" * 40, "--context", "gone"], ["gone", "contexts are staging"]),
        (["--timeout", "soon"], ["--timeout", "15m"]),
        (["--server", "https://127.0.0.1:1"], ["lacks a token"]),
    ],
    ids=lambda one: str(one[-1]),
)
def test_what_cannot_be_used(arguments: list[str], told: list[str], tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        environment = laptop(on, KUBECONFIG=str(on.workspace / "kubeconfig"))
        done = check(on, *arguments, environment=environment)
        assert done.returncode == 64, done.stderr
        assert all(text in done.stderr for text in told), done.stderr
        assert "Traceback" not in done.stderr


def test_no_way_to_a_cluster_is_no_way_to_localhost(tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        done = check(on, "--revision", on.commit, environment=laptop(on))
        assert done.returncode == 64, done.stderr
        assert "kubeconfig cannot be read from" in done.stderr
        assert ".kube/config" in done.stderr
        assert on.cluster.asked == []


@pytest.mark.parametrize(("missing", "told"), [("event", "--no-publish"), ("token", "GITHUB_TOKEN")])
def test_publishing_needs_a_workflow_and_a_token(missing: str, told: str, tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        environment = laptop(on)
        if missing == "token":
            (tmp_path / "event.json").write_text(json.dumps(on.payload))
            ours = on.environment()
            environment |= {name: value for name, value in ours.items() if name.startswith(GITHUB)}
            environment["GITHUB_EVENT_PATH"] = str(tmp_path / "event.json")
            del environment["GITHUB_ACTIONS"]
        done = subprocess.run(
            CHECK[:-1], cwd=on.workspace, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False
        )
        assert done.returncode == 64, done.stderr
        assert told in done.stderr


def test_a_terminal_has_a_table_that_stays(tmp_path: Path) -> None:
    with stage(tmp_path, situations.broken()) as on:
        environment = laptop(on, KUBECONFIG=str(on.workspace / "kubeconfig"), COLUMNS="120", LINES="40")
        code, shown = in_terminal([*CHECK, "--repo", str(on.lab.repository.git.directory)], on.workspace, environment)
        assert code == 1, shown
        assert "\x1b[" in shown
        last = shown[shown.rindex("intent") - 1 :]
        assert "ProgressDeadlineExceeded" in last
        assert shown.count("readiness") >= 2  # while it waited, and at the end
