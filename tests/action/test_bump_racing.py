"""Bumps that meet others on the branch: every edit is kept, none is made over another's."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from tests.support.bumping import application, bump_configuration, bump_stage, put_pin, read, tip
from tests.support.environments import PIN

pytestmark = pytest.mark.exhaustive

BOTH = [{"name": "shop", "pin": {"file": PIN}}, {"name": "cart", "pin": {"file": "apps/cart.yaml"}}]


def test_a_branch_that_moves_meanwhile_has_the_edit_applied_anew(tmp_path: Path) -> None:
    moved: list[str] = []

    def move(exchange: Any) -> None:
        if exchange.method == "POST" and exchange.path.endswith("/git/commits") and not moved:
            changed = application("shop", on.old) + "# somebody else was here\n"
            moved.append(on.lab.repository.commit("main", {PIN: changed, "other": "x\n"}, "Meanwhile"))

    with bump_stage(tmp_path, on_exchange=move) as on:
        ended = on.run()
        assert ended.code == 0, ended.log
        made = tip(on)
        assert on.lab.repository.git.text("rev-parse", f"{made}^") == moved[0]
        assert read(on, made) == application("shop", on.commit) + "# somebody else was here\n"
        assert read(on, made, "other") == "x\n"


def test_a_newer_pin_that_comes_meanwhile_is_not_undone(tmp_path: Path) -> None:
    moved: list[str] = []

    def move(exchange: Any) -> None:
        if exchange.method == "POST" and exchange.path.endswith("/git/commits") and not moved:
            moved.append(put_pin(on, newer))

    with bump_stage(tmp_path, on_exchange=move) as on:
        newer = on.lab.repository.commit("main", {"release": "3.0.0\n"}, "Release 3.0.0")
        ended = on.run()
        assert ended.code == 3, ended.log
        assert tip(on) == moved[0]
        assert on.statuses(on.commit) == [("error", "gate/staging")]


def test_two_bumps_at_once_keep_both_edits(tmp_path: Path) -> None:
    with bump_stage(tmp_path, config=bump_configuration(BOTH)) as on:
        base = put_pin(on, on.old, "cart", "apps/cart.yaml")
        runs = []
        for name in ("shop", "cart"):
            folder = tmp_path / name
            folder.mkdir()
            one = dataclasses.replace(on, folder=folder, inputs={**on.inputs, "application": name, "check": "false"})
            runs.append(one.start())
        ended = [run.end() for run in runs]
        assert [one.code for one in ended] == [0, 0], [one.log for one in ended]
        assert on.lab.repository.git.count(base, "main") == 2
        assert {one.outputs["commit"] for one in ended} == set(on.lab.repository.git.between(base, "main"))
        assert read(on, "main") == application("shop", on.commit)
        assert read(on, "main", "apps/cart.yaml") == application("cart", on.commit)


@pytest.mark.parametrize("theirs", ["same", "older"])
def test_another_bump_of_the_same_application_comes_meanwhile(theirs: str, tmp_path: Path) -> None:
    """What it pinned counts: the same commit is not written twice, an older one is passed."""
    moved: list[str] = []

    def move(exchange: Any) -> None:
        if exchange.method == "POST" and exchange.path.endswith("/git/commits") and not moved:
            moved.append(put_pin(on, on.commit if theirs == "same" else on.old + "\n# again"))

    with bump_stage(tmp_path, on_exchange=move) as on:
        ended = on.run()
        assert ended.code == 0, ended.log
        made = [] if theirs == "same" else [ended.outputs["commit"]]
        assert on.lab.repository.git.between(moved[0], "main") == made
        assert ended.outputs["commit"] == "".join(made)
        assert read(on, "main").count(on.commit) == 1
        assert on.statuses(tip(on))[-1] == on.statuses(on.commit)[-1] == ("success", "gate/staging")


def test_two_bumps_at_once_to_one_commit_write_it_once(tmp_path: Path) -> None:
    with bump_stage(tmp_path) as on:
        base = tip(on)
        runs = []
        for name in ("one", "two"):
            folder = tmp_path / name
            (folder / "workspace").mkdir(parents=True)
            kubeconfig = {"kubeconfig": str(on.workspace / "kubeconfig")}
            one = dataclasses.replace(on, folder=folder, inputs={**on.inputs, **kubeconfig})
            runs.append(one.start())
        ended = [run.end() for run in runs]
        assert [one.code for one in ended] == [0, 0], [one.log for one in ended]
        [made] = on.lab.repository.git.between(base, "main")
        # Within one second both make the very same commit.
        assert made in {one.outputs["commit"] for one in ended} <= {"", made}
        for commit in (made, on.commit):
            assert on.statuses(commit)[-1] == ("success", "gate/staging")


def test_two_bumps_at_once_to_different_commits_end_at_the_newer_one(tmp_path: Path) -> None:
    """Whichever comes first: only the pin that stands in the end may be called good."""
    with bump_stage(tmp_path) as on:
        before = on.lab.repository.commit("older", {"release": "1.5.0\n"}, "Release 1.5.0", parents=[on.old])
        newer = on.lab.repository.commit("main", {"release": "2.1.0\n"}, "Release 2.1.0", parents=[tip(on), before])
        on.inputs |= {"check": "false"}
        runs = []
        for revision in (before, newer):
            folder = tmp_path / revision
            folder.mkdir()
            runs.append(dataclasses.replace(on, folder=folder, inputs={**on.inputs, "revision": revision}).start())
        first, second = (run.end() for run in runs)
        assert second.code == 0, second.log
        assert first.code in (0, 3), first.log
        assert read(on, "main") == application("shop", newer)
