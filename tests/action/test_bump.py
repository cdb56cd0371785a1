"""A bump as the runner runs it: the pin is written, and what was written is checked like any other commit."""

import difflib
from pathlib import Path

import pytest

from gate.lab.github import Fault
from tests.support import bundles, events
from tests.support.action import Stage, stage
from tests.support.bundles import Json, recording
from tests.support.environments import PIN, configuration, manifest

BEFORE = "# who deploys the shop\n"


def bump_configuration(**bump: object) -> Json:
    """Environment ``staging`` with its pin in a file."""
    raw = configuration()
    raw["environments"]["staging"]["applications"] = [{"name": "shop", "pin": {"file": PIN}}]
    if bump:
        raw["environments"]["staging"]["bump"] = bump
    return raw


def put_pin(on: Stage, pin: str, branch: str = "main") -> str:
    """A commit on the branch with the manifest pinned to this; its id. The event is about the one before it."""
    return on.lab.repository.commit(branch, {PIN: BEFORE + manifest(pin)}, "Pin")


def pin_at(on: Stage, commit: str) -> str:
    """The manifest at a commit."""
    return on.lab.repository.git.text("show", f"{commit}:{PIN}")


def tip(on: Stage, branch: str = "main") -> str:
    found = on.lab.repository.git.commit(branch)
    assert found is not None
    return found


def test_a_bump_pins_the_commit_and_then_passes(tmp_path: Path) -> None:
    with stage(tmp_path, config=bump_configuration()) as on:
        base = put_pin(on, on.old)
        ended = on.run(mode="bump")
        assert ended.code == 0, ended.log
        made = tip(on)
        assert ended.outputs["commit"] == made != base
        assert ended.outputs["pull-request"] == ""
        assert ended.outputs["verdict"] == "passed"
        assert on.lab.repository.git.text("rev-parse", f"{made}^") == base
        assert pin_at(on, made) == (BEFORE + manifest(on.commit)).strip()
        assert on.lab.repository.git.text("diff", "--name-only", base, made) == PIN
        message = on.lab.repository.git.text("log", "-1", "--format=%B", made)
        assert on.commit in message
        assert f"before: {on.old}" in message
        for commit in (made, on.commit):
            assert on.statuses(commit) == [("pending", "gate/staging"), ("success", "gate/staging")]


def test_the_verdict_of_a_bump_is_the_checks(tmp_path: Path) -> None:
    from tests.support import situations

    with stage(tmp_path, situations.broken(), config=bump_configuration()) as on:
        put_pin(on, on.old)
        ended = on.run(mode="bump")
        assert ended.code == 1, ended.log
        for commit in (tip(on), on.commit):
            assert on.statuses(commit)[-1] == ("failure", "gate/staging")
