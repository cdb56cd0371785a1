"""Argo CD deploys from another repository than the one in which the pins stand."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gate.lab.github import Fault
from gate.lab.github.git import Git
from gate.lab.github.state import Repository, now
from tests.support.action import Stage
from tests.support.bumping import application, bump_stage, read, tip
from tests.support.bundles import recording
from tests.support.environments import PIN, SERVER
from tests.support.github import NAME
from tests.support.raw_application import REPOSITORY

pytestmark = pytest.mark.exhaustive

SHOP = "acme/shop"
SUCCESS = ("success", "gate/staging")


@contextmanager
def elsewhere(folder: Path, url: str, **options: Any) -> Iterator[Stage]:
    """Both the live Application and its manifest name another repository, which has the same commits."""
    state = json.loads(json.dumps(recording()).replace(REPOSITORY, url))
    with bump_stage(folder, state, **options) as on:
        manifest = application("shop", on.old).replace(f"{SERVER}/{NAME}.git", url)
        on.lab.repository.commit("main", {PIN: manifest}, "Deploy from elsewhere")
        other = folder / "shop.git"
        shutil.copytree(on.lab.repository.git.directory, other)
        on.lab.github.world.repositories[SHOP] = Repository(SHOP, 500, Git(other), now())
        yield on


def test_the_status_goes_on_both_commits_each_in_its_repository(tmp_path: Path) -> None:
    with elsewhere(tmp_path, f"{SERVER}/{SHOP}.git") as on:
        ended = on.run(revision=on.commit)
        assert ended.code == 0, ended.log
        assert read(on, tip(on)).count(on.commit) == 1
        assert on.statuses(tip(on))[-1] == SUCCESS
        assert on.statuses() == []
        found = on.lab.github.statuses(on.commit, SHOP)
        assert [(one["state"], one["context"]) for one in found][-1] == SUCCESS


def test_a_repository_where_nothing_may_be_written_is_said_and_no_failure(tmp_path: Path) -> None:
    refused = Fault(method="POST", path=f"/repos/{SHOP}/statuses/*", times=None, status=403)
    with elsewhere(tmp_path, f"{SERVER}/{SHOP}.git", faults=(refused,)) as on:
        ended = on.run(revision=on.commit)
        assert ended.code == 0, ended.log
        assert on.statuses(tip(on))[-1] == SUCCESS
        assert on.lab.github.statuses(on.commit, SHOP) == []
        assert f"commit status gate/staging on {on.commit[:12]}" in ended.log


def test_a_commit_of_the_environment_repository_alone_is_not_pinned(tmp_path: Path) -> None:
    with elsewhere(tmp_path, f"{SERVER}/{SHOP}.git") as on:
        base = tip(on)
        only_here = on.lab.repository.commit("main", {"x": "y\n"}, "Only here")
        ended = on.run(revision=only_here)
        assert ended.code == 64, ended.log
        assert f"names no single commit of {SHOP}" in ended.log
        assert tip(on) == only_here != base
        assert on.statuses(only_here) == []


def test_a_clone_answers_for_a_server_that_is_not_this_one(tmp_path: Path) -> None:
    with elsewhere(tmp_path, "https://git.example/shop.git") as on:
        git = ["git", "-c", "safe.directory=*", "clone", "--quiet", str(tmp_path / "shop.git")]
        clone = str(tmp_path / "clone")
        subprocess.run([*git, clone], check=True, env={"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull})
        refused = on.run(revision=on.promotion, repo=clone)
        assert refused.code == 64, refused.log
        assert "is not on the default branch of the clone" in refused.log
        ended = on.run(revision=on.commit[:12], repo=clone)
        assert ended.code == 0, ended.log
        assert read(on, tip(on)).count(on.commit) == 1
        assert on.statuses(tip(on))[-1] == SUCCESS
        assert on.statuses() == []
