"""Bumps that meet others on the branch: every edit is kept, none is made over another's."""

import dataclasses
from pathlib import Path
from typing import Any

from tests.support.bumping import application, bump_configuration, bump_stage, put_pin, read, tip
from tests.support.environments import PIN

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
