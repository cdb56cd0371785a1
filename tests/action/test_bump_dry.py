"""A dry run: the change as a diff, from GitHub or from a clone, and nothing written anywhere."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.action import PROGRAM, Stage
from tests.support.bumping import application, bump_stage, put_pin, tip, written
from tests.support.environments import PIN
from tests.support.runs import Ended

pytestmark = pytest.mark.exhaustive


def test_the_change_is_shown_and_nothing_written(tmp_path: Path) -> None:
    with bump_stage(tmp_path) as on:
        base = tip(on)
        ended = on.run(dry_run="true")
        assert ended.code == 0, ended.log
        for text in (ended.stdout, ended.summary):
            assert f"--- a/{PIN}" in text
            assert f"-    targetRevision: {on.old}" in text.replace("'", "")
            assert f"+    targetRevision: {on.commit}" in text.replace("'", "")
        assert "verdict" not in ended.outputs
        assert tip(on) == base
        assert written(on) == []
        assert on.statuses() == on.statuses(base) == []
        assert on.cluster.asked == []


def test_on_a_pull_request_and_with_a_token_that_only_reads(tmp_path: Path) -> None:
    with bump_stage(tmp_path, permissions={"contents": "read", "metadata": "read"}) as on:
        on.on_pull_request()
        ended = on.run(dry_run="true", revision=on.commit)
        assert ended.code == 0, ended.log
        assert f"+    targetRevision: {on.commit}" in ended.stdout.replace("'", "")


def test_where_nothing_would_change(tmp_path: Path) -> None:
    with bump_stage(tmp_path) as on:
        put_pin(on, on.commit)
        ended = on.run(dry_run="true")
        assert ended.code == 0, ended.log
        assert "already" in ended.log
        assert "targetRevision" not in ended.stdout


def laptop(on: Stage, *arguments: str) -> Ended:
    """``gate bump`` in a clone, with no token, no workflow and no network."""
    clone = on.folder / "clone"
    if not clone.exists():
        git = ["git", "-c", "safe.directory=*", "clone", "--quiet", str(on.lab.repository.git.directory), str(clone)]
        subprocess.run(git, check=True, env={"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull})
    environment = {"PATH": os.environ["PATH"], "HOME": str(on.folder), "HTTPS_PROXY": "http://127.0.0.1:9"}
    command = [*PROGRAM, "bump", "--environment", "staging", "--repo", ".", *arguments]
    done = subprocess.run(command, cwd=clone, env=environment, capture_output=True, text=True, check=False)
    return Ended(done.returncode, done.stdout, done.stderr, {}, "", 0)


def test_from_a_laptop_without_a_token(tmp_path: Path) -> None:
    with bump_stage(tmp_path) as on:
        ended = laptop(on, "--dry-run", "--revision", on.commit[:10])
        assert ended.code == 0, ended.log
        assert f"+    targetRevision: {on.commit}" in ended.stdout.replace("'", "")
        assert on.lab.github.requests == []
        assert (on.folder / "clone" / PIN).read_text() == application("shop", on.old)


def test_a_laptop_is_told_what_is_not_on_the_branch_and_that_it_cannot_write(tmp_path: Path) -> None:
    with bump_stage(tmp_path) as on:
        refused = laptop(on, "--dry-run", "--revision", on.promotion)
        assert refused.code == 64
        assert "is not on the default branch of the clone" in refused.log
        unable = laptop(on)
        assert unable.code == 64
        assert "--dry-run" in unable.log
