"""What a change would promote by another way than a line in the file of the pin."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.support.action import Stage, stage
from tests.support.environments import manifest
from tests.support.promoting import (
    CONFIG,
    PRODUCTION,
    STAGING,
    about,
    branches,
    layout,
    link,
    propose,
    read_at,
    settle,
    state,
)

pytestmark = pytest.mark.exhaustive


def tip_of(on: Stage, branch: str) -> str:
    tip = on.lab.repository.git.commit(branch)
    assert tip is not None
    return tip


def refused(on: Stage, reason: str) -> str:
    """The message of the verdict, which is no pass, and has no success on the head."""
    ended = on.run()
    assert (ended.code, ended.outputs["reason"]) == (2, reason), ended.log
    assert state(on) == "error"
    return str(ended.result["message"])


def test_a_pin_file_that_is_nowhere(tmp_path: Path) -> None:
    """It is misspelt in the configuration: every promotion would be nothing to gate."""
    raw = layout()
    raw["environments"]["production"]["applications"][0]["pin"]["file"] = "apps/prodcution/shop.yaml"
    with stage(tmp_path, config=raw) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.commit)})
        assert "apps/prodcution/shop.yaml of production has no pin to judge" in refused(on, "PromotedPinAbsent")


def test_a_file_that_main_has_renamed_since(tmp_path: Path) -> None:
    """Git's merge carries the change of the old path over to the new one."""
    with stage(tmp_path, config=layout()) as on:
        start = on.lab.repository.commit("main", {"old/shop.yaml": manifest(on.old)}, "Before")
        settle(on, **{"old/shop.yaml": None})
        on.lab.repository.commit("promote/next", {"old/shop.yaml": manifest(on.commit)}, "Evil", parents=[start])
        about(on, on.lab.github.open_pull("promote/next").number)
        assert "update the branch" in refused(on, "PromotedPinAbsent")
        on.lab.repository.commit("docs", {"README.md": "# More\n", "release": "2\n"}, "Docs", parents=[start])
        about(on, on.lab.github.open_pull("docs").number)
        assert on.run().outputs["reason"] == "NothingToGate"


@pytest.mark.parametrize("event", ["push", "pull_request"])
def test_pins_that_stand_in_no_file(event: str, tmp_path: Path) -> None:
    """The push of a branch may end after the run of the pull request from it: it may not be the one that passes."""
    raw = layout()
    raw["environments"]["production"]["applications"] = [{"name": "shop"}]
    with stage(tmp_path, config=raw) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.old)})
        if event == "push":
            on.event, on.payload = "push", on.lab.github.events().push("promote/next")
            on.more |= {"GITHUB_REF": "refs/heads/promote/next", "GITHUB_SHA": on.promotion}
        ended = on.run()
        assert (ended.code, state(on)) == (64, "error"), ended.log
        assert "production has no pin.file" in ended.log


def test_a_link_that_is_led_elsewhere(tmp_path: Path) -> None:
    """From then on production would follow staging, unasked."""
    with stage(tmp_path, config=layout()) as on:
        settle(on, **{"apps/production/real.yaml": manifest(on.old)})
        tip = link(on, "main", PRODUCTION, "real.yaml", parent=tip_of(on, "main"))
        link(on, "promote/next", PRODUCTION, "../staging/shop.yaml", parent=tip)
        about(on, on.lab.github.open_pull("promote/next").number)
        assert "symbolic link" in refused(on, "PromotedPinAbsent")


def test_a_folder_that_is_a_link(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        settle(on, **{"real/shop.yaml": manifest(on.old), PRODUCTION: None})
        link(on, "main", "apps/production", "../real", parent=tip_of(on, "main"))
        propose(on, {"real/shop.yaml": manifest(on.commit)})
        refused(on, "PromotedPinAbsent")


def test_a_tag_with_the_name_of_the_default_branch(tmp_path: Path) -> None:
    """GitHub calls it the branch of the run before; its commit brings rules of its own."""
    raw = layout()
    del raw["environments"]["staging"]["promotes-to"]
    with stage(tmp_path, config=layout()) as on:
        settle(on)
        other = on.lab.repository.commit("hotfix", {"release": "1.0.1\n"}, "Hotfix", parents=[on.old])
        propose(on, {PRODUCTION: manifest(other), CONFIG: yaml.safe_dump(raw)})
        on.event, on.payload = "workflow_run", on.lab.github.events().workflow_run(on.promotion, "main")
        on.more |= {"GITHUB_REF": "refs/heads/main", "GITHUB_SHA": tip_of(on, "main")}
        on.inputs["timeout"] = "3s"
        refused(on, "NotPinned")
        assert read_at(on, CONFIG) == {"refs/heads/main"}


@pytest.mark.parametrize("event", ["push", "pull_request"])
def test_more_than_the_pin_from_a_branch_that_is_not_stagings(event: str, tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        head = branches(on)
        more = manifest(on.commit).replace("path: ", "path: evil/")
        on.lab.repository.commit("evil", {STAGING: more}, "Evil", parents=[head])
        about(on, on.lab.github.open_pull("evil", "env/production").number)
        if event == "push":
            on.event, on.payload = "push", on.lab.github.events().push("evil")
            on.more |= {"GITHUB_REF": "refs/heads/evil", "GITHUB_SHA": on.promotion}
        refused(on, "PromotesMoreThanThePin")
        on.lab.repository.git.run("update-ref", "refs/heads/env/staging", on.promotion)
        assert on.run().code == 0, "what staging's own branch says, staging runs"


def test_another_file_of_production_beside_that_of_staging(tmp_path: Path) -> None:
    raw = layout(branch="env/staging")
    raw["environments"]["production"]["branch"] = "env/production"
    raw["environments"]["production"]["applications"][0]["pin"]["file"] = "prod.yaml"
    with stage(tmp_path, config=raw) as on:
        head = branches(on)
        on.lab.repository.commit("main", {CONFIG: yaml.safe_dump(raw)}, "Two files")
        other = on.lab.repository.commit("hotfix", {"release": "1.0.1\n"}, "Hotfix", parents=[on.old])
        on.lab.repository.commit("env/production", {"prod.yaml": manifest(on.old)}, "Production")
        about(on, on.pull)
        assert on.run().code == 0
        on.lab.repository.commit("evil", {"prod.yaml": manifest(other)}, "Evil", parents=[head])
        about(on, on.lab.github.open_pull("evil", "env/production").number)
        assert other in refused(on, "PromotedPinsDiffer")
        on.event, on.payload = "schedule", on.lab.github.events().schedule()
        on.more |= {"GITHUB_RUN_ATTEMPT": "2", "GITHUB_SHA": tip_of(on, "main")}
        assert on.run(mode="recheck").code == 2
        assert state(on) == "error"


def test_a_bump_where_the_environments_have_a_history_of_their_own(tmp_path: Path) -> None:
    """The commit that it pins is one of main, which has nothing in common with the branch of production."""
    with stage(tmp_path, config=layout()) as on:
        branches(on)
        first = on.lab.repository.commit("orphan", {STAGING: manifest(on.old)}, "Production", parents=[])
        on.lab.repository.commit("orphan", {STAGING: manifest(on.old), "README.md": "# Staging\n"}, "Staging")
        on.lab.repository.git.run("update-ref", "refs/heads/env/production", first)
        on.lab.repository.git.run("update-ref", "refs/heads/env/staging", tip_of(on, "orphan"))
        on.event, on.payload = "workflow_dispatch", on.lab.github.events().workflow_dispatch()
        on.more |= {"GITHUB_REF": "refs/heads/main", "GITHUB_SHA": tip_of(on, "main")}
        ended = on.run(mode="bump", revision=on.commit)
        assert ended.code == 0, ended.log
        for commit in (on.commit, tip_of(on, "env/staging")):
            assert on.statuses(commit)[-1] == ("success", "gate/staging")


def test_a_bump_on_a_branch_that_promotes_something_else(tmp_path: Path) -> None:
    """Its status would stand on the head of a pull request; nothing has to be written there."""
    with stage(tmp_path, config=layout()) as on:
        settle(on)
        other = on.lab.repository.commit("hotfix", {"release": "1.0.1\n"}, "Hotfix", parents=[on.old])
        for branch, files in {"evil": {PRODUCTION: manifest(other)}, "docs": {"README.md": "# More\n"}}.items():
            propose(on, dict(files), branch)
            on.event, on.payload = "workflow_dispatch", on.lab.github.events().workflow_dispatch(branch)
            on.more |= {"GITHUB_REF": f"refs/heads/{branch}", "GITHUB_SHA": on.promotion}
            ended = on.run(mode="bump", revision=on.commit)
            wanted = (64, "error") if branch == "evil" else (0, "success")
            assert (ended.code, state(on)) == wanted, ended.log
            said = f"The pin of {on.commit} is written, and at {on.promotion} the change would promote {other}"
            assert (said in ended.log) == (branch == "evil")


def test_a_pin_that_hides_behind_an_alias(tmp_path: Path) -> None:
    """What a part of the manifest means may stand in another part of it."""
    text = (
        "x: &p {path}\nkind: Application\nmetadata: {{name: shop}}\nspec:\n  source:\n    path: *p\n"
        "    repoURL: https://github.example/acme/environments.git\n    targetRevision: '{pin}'\n"
    )
    with stage(tmp_path, config=layout()) as on:
        settle(on, **{PRODUCTION: text.format(path="apps/shop", pin=on.old)})
        propose(on, {PRODUCTION: text.format(path="apps/other", pin=on.commit)})
        refused(on, "PromotesMoreThanThePin")
        propose(on, {PRODUCTION: text.format(path="apps/shop", pin=on.commit)}, "promote/right")
        assert on.run().code == 0
