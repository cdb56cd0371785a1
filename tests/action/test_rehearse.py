"""``gate rehearse`` as a process: from nothing, from a file, from a cluster; its exit codes and what it prints."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support import bundles, kept, situations
from tests.support.action import LIMIT, Stage, stage
from tests.support.bundles import Json, recording
from tests.support.environments import configuration
from tests.support.forked import start_run
from tests.support.terminal import in_terminal

REHEARSE = [sys.executable, "-m", "gate", "rehearse"]


def rehearse(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run it in a folder with neither stream a terminal."""
    variables = {"PATH": os.environ["PATH"], "HOME": str(folder), **environment}
    run = start_run(None, "gate.__main__", folder, variables, ["rehearse", *arguments])
    out, err = run.communicate(timeout=LIMIT)
    return subprocess.CompletedProcess(arguments, run.wait(), out, err)


def configured(folder: Path, **changes: Any) -> Json:
    """One environment in ``promotion-gate.yaml``, with these keys of its request changed."""
    raw = bundles.config()
    raw["environments"]["staging"]["requests"][0] |= changes
    (folder / "promotion-gate.yaml").write_text(yaml.safe_dump(raw), encoding="utf-8")
    return raw


@pytest.mark.exhaustive
def test_from_nothing_in_words(tmp_path: Path) -> None:
    configured(tmp_path)
    done = rehearse(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0].startswith("Rehearsal of staging")
    assert lines[-1].startswith("All ")
    for name, layer, reason in (
        ("previous-release-answers", "request", "WrongRelease"),
        ("synced-but-degraded", "readiness", "HealthDegraded"),
        ("comparison-stale", "sync", "ComparisonStale"),
        ("pinned-to-a-branch", "intent", "PinNotACommit"),
    ):
        (line,) = [line for line in lines if line.startswith(f"{name} ")]
        assert layer in line
        assert reason in line
    assert "\x1b" not in done.stdout
    assert list(tmp_path.iterdir()) == [tmp_path / "promotion-gate.yaml"]


def test_from_nothing_for_programs(tmp_path: Path) -> None:
    configured(tmp_path)
    done = rehearse(tmp_path, "--environment", "staging", "--config", "promotion-gate.yaml", "--format", "json")
    assert done.returncode == 0, done.stderr
    values = json.loads(done.stdout)
    assert (values["environment"], values["passed-unaltered"]) == ("staging", True)
    assert len(values["alterations"]) > 200
    assert all(one["refused"] and one["verdict"] != "passed" for one in values["alterations"])
    assert {"name", "verdict", "reason", "failed-layer", "refused"} <= set(values["alterations"][0])


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_request_that_cannot_tell_releases_apart_fails(form: str, tmp_path: Path) -> None:
    configured(tmp_path, expect={"status": 200})
    done = rehearse(tmp_path, "--format", form)
    assert done.returncode == 1
    assert "request version cannot tell releases apart" in done.stdout
    assert "label:app.kubernetes.io/version" in done.stdout


def test_a_hole_in_an_expectation_fails_and_names_what_passed(tmp_path: Path) -> None:
    configured(tmp_path, expect={"regex": "({revision}|ok)"})
    done = rehearse(tmp_path)
    assert done.returncode == 1
    assert "NOT REFUSED" in done.stdout
    assert "previous-release-answers" in done.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--config", "gone.yaml"], "gone.yaml does not exist"),
        (["--environment", "stagin"], "did you mean staging?"),
        (["--from", "gone.json"], "gone.json cannot be read"),
        (["--from", "promotion-gate.yaml"], "intended"),
        (["--live", "--from", "x.json"], "two places to start from"),
        (["--kubeconfig", "x"], "--kubeconfig goes with --live"),
        (["--timeout", "soon", "--live"], "15m"),
        (["--format", "xml"], "xml"),
        (["--unknown"], "unknown"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_used(arguments: list[str], told: str, tmp_path: Path) -> None:
    configured(tmp_path)
    done = rehearse(tmp_path, *arguments)
    assert done.returncode == 64, done.stderr
    assert told in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


@pytest.mark.exhaustive
def test_several_environments_and_none_named(tmp_path: Path) -> None:
    (tmp_path / "promotion-gate.yaml").write_text(yaml.safe_dump(configuration()), encoding="utf-8")
    done = rehearse(tmp_path)
    assert done.returncode == 64
    assert "production, staging" in done.stderr
    assert rehearse(tmp_path, "-e", "production").returncode == 0


@pytest.mark.parametrize("arguments", [[], ["--config", "gone.yaml"]], ids=str)
def test_where_there_is_no_configuration_the_option_is_named(arguments: list[str], tmp_path: Path) -> None:
    done = rehearse(tmp_path, *arguments)
    assert done.returncode == 64
    assert "does not exist" in done.stderr
    assert "or name the file with --config." in done.stderr
    assert "Traceback" not in done.stderr


def test_a_configuration_that_is_wrong(tmp_path: Path) -> None:
    configured(tmp_path, sampels=3)
    done = rehearse(tmp_path)
    assert done.returncode == 64
    assert "did you mean samples" in done.stderr
    assert "--config" not in done.stderr


def test_the_help_says_what_it_does_and_its_exit_codes(tmp_path: Path) -> None:
    done = rehearse(tmp_path, "--help")
    assert done.returncode == 0
    for text in ("--live", "--from", "--environment", "Exit code", "could not run", "altered evidence"):
        assert text in done.stdout


@pytest.mark.exhaustive
def test_from_a_recording(tmp_path: Path) -> None:
    (tmp_path / "good.json").write_text(json.dumps(recording()), encoding="utf-8")
    (tmp_path / "bad.json").write_text(json.dumps(situations.broken()), encoding="utf-8")
    assert rehearse(tmp_path, "--from", "good.json").returncode == 0
    done = rehearse(tmp_path, "--from", "bad.json")
    assert done.returncode == 1
    assert "does not pass: failed at readiness: ProgressDeadlineExceeded" in done.stdout


@pytest.mark.exhaustive
def test_what_could_not_be_tried_fails_and_says_what_to_do(tmp_path: Path) -> None:
    """An evidence file keeps no body, and none can be made up for a look-ahead."""
    raw = recording()
    expect = {"regex": r"^(?=.*\bup\b)release {label:app.kubernetes.io/version}"}
    raw["config"]["environments"]["staging"]["requests"][0]["expect"] = expect
    raw = bundles.changed(raw, lambda moment: [one.update(body="release 2.0.0 is up") for one in moment["responses"]])
    (tmp_path / "kept.json").write_text(json.dumps(kept.written(kept.evidence(raw))), encoding="utf-8")
    done = rehearse(tmp_path, "--from", "kept.json")
    assert done.returncode == 1, done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("not tried: previous-release-answers: ")]
    assert "--live" in line
    assert done.stdout.splitlines()[-1].startswith("NOT TRIED: 3 could not be tried")


def live(on: Stage, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The release on the stage, with the kubeconfig and the clone that are there."""
    raw = bundles.config()
    raw["environments"]["staging"]["policy"] = {"settle": "1s"}
    (on.workspace / "live.yaml").write_text(yaml.safe_dump(raw), encoding="utf-8")
    clone = str(on.lab.repository.git.directory)
    given = ["--live", "--config", "live.yaml", "--kubeconfig", "kubeconfig", "--repo", clone]
    return rehearse(on.workspace, *given, *arguments)


@pytest.mark.exhaustive
def test_from_a_release_that_stands_in_the_cluster(tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        before = sorted(on.workspace.rglob("*"))
        done = live(on, "--format", "json")
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr
        values = json.loads(done.stdout)
        assert values["start"] == "live"
        assert values["passed-unaltered"] is True
        assert len(values["alterations"]) > 200
        assert {asked.method for asked in on.cluster.asked} == {"GET"}
        assert sorted(on.workspace.rglob("*")) == sorted([*before, on.workspace / "live.yaml"])
        assert on.lab.github.requests == []


def test_a_release_that_is_broken_is_shown_and_not_altered(tmp_path: Path) -> None:
    with stage(tmp_path, situations.broken()) as on:
        done = live(on)
        assert done.returncode == 1, done.stderr
        assert "ProgressDeadlineExceeded" in done.stdout
        assert "Nothing was altered" in done.stdout


def test_another_revision_than_what_is_pinned_does_not_pass(tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        done = live(on, "--revision", on.old, "--timeout", "3s")
        assert done.returncode == 1, done.stderr
        assert "does not pass" in done.stdout


def test_no_access_to_the_cluster(tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        done = live(on, "--context", "gone")
        assert done.returncode == 64
        assert "gone" in done.stderr


def test_a_terminal_has_colours_and_every_line_fits(tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        (on.workspace / "one.yaml").write_text(yaml.safe_dump(bundles.config()), encoding="utf-8")
        environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TERM": "xterm-256color", "COLUMNS": "80"}
        code, shown = in_terminal([*REHEARSE, "--config", "one.yaml"], on.workspace, environment)
        assert code == 0, shown
        assert "\x1b[" in shown
        assert "synced-but-degraded" in shown
