"""What a head would bring beside the pins that are read: by histories that cross, by other files, by no file at all."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.support.action import Stage, stage
from tests.support.bumping import tip
from tests.support.environments import manifest
from tests.support.promoting import (
    CONFIG,
    PRODUCTION,
    STAGING,
    about,
    branches,
    layout,
    propose,
    settle,
    state,
)

pytestmark = pytest.mark.exhaustive


def reason(on: Stage) -> str:
    """Why the verdict is so, once it stands on the head as well."""
    ended = on.run()
    assert state(on) == {0: "success", 2: "error", 64: "error"}[ended.code], ended.log
    return ended.outputs["reason"]


@pytest.mark.parametrize("pinned", ["OLD", "NEW"])
@pytest.mark.parametrize("first", ["main", "branch"])
def test_histories_that_were_merged_into_each_other(first: str, pinned: str, tmp_path: Path) -> None:
    """GitHub names one commit at which the change began; Git's merge looks at both, and may go back to the old pin."""
    with stage(tmp_path, config=layout()) as on:
        start = settle(on)
        git = on.lab.repository
        pin = {PRODUCTION: manifest(on.commit)}
        sides = {"main": pin, "branch": {"README.md": "# More\n"}}
        tips = {
            name: git.commit(name, dict(sides[name]), name, parents=[start]) for name in (first, *({*sides} - {first}))
        }
        git.commit("main", {"README.md": "# More\n"}, "Merge branch", parents=[tips["main"], tips["branch"]])
        head = pin if pinned == "NEW" else {PRODUCTION: manifest(on.old)}
        git.commit("branch", dict(head), "Merge main", parents=[tips["branch"], tips["main"]])
        about(on, on.lab.github.open_pull("branch").number)
        found = reason(on)
        assert found == "PromotedPinAbsent" if pinned == "OLD" else state(on) == "success"


def test_a_branch_that_merged_main_and_is_behind_again(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        start = settle(on)
        git = on.lab.repository
        own = git.commit("branch", {"README.md": "# More\n"}, "Docs", parents=[start])
        later = git.commit("main", {"other": "x\n"}, "Other")
        git.commit("branch", {"other": "x\n"}, "Merge main", parents=[own, later])
        git.commit("main", {PRODUCTION: manifest(on.commit)}, "Promoted meanwhile")
        about(on, on.lab.github.open_pull("branch").number)
        assert reason(on) == "NothingToGate"


def by_selector(on: Stage) -> str:
    """One branch for each environment, and nothing says where the pins of production stand; the tip of staging's."""
    head = branches(on)
    raw = layout(branch="env/staging")
    raw["environments"]["production"] |= {
        "branch": "env/production",
        "applications": [{"selector": {"match-labels": {"part-of": "shop"}}, "minimum": 1}],
    }
    on.lab.repository.commit("main", {CONFIG: yaml.safe_dump(raw)}, "By selector")
    return head


@pytest.mark.parametrize("event", ["push", "pull_request", "schedule"])
def test_what_nobody_sees_comes_from_stagings_own_branch_only(event: str, tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        head = by_selector(on)
        on.lab.repository.commit("evil", {"cart.yaml": manifest("e" * 40)}, "Evil", parents=[head])
        about(on, on.lab.github.open_pull("evil", "env/production").number)
        if event == "push":
            on.event, on.payload = "push", on.lab.github.events().push("evil")
            on.more |= {"GITHUB_REF": "refs/heads/evil", "GITHUB_SHA": on.promotion}
        elif event == "schedule":
            on.event, on.payload = event, on.lab.github.events().schedule()
            on.inputs["mode"], on.more["GITHUB_SHA"] = "recheck", tip(on)
        assert reason(on) == "PromotesMoreThanThePin"
        on.lab.repository.git.run("update-ref", "refs/heads/env/staging", on.promotion)
        assert reason(on) == "AllLayersAgree"


def test_a_second_application_of_the_name_in_the_folder_of_the_pin(tmp_path: Path) -> None:
    """Argo CD deploys one of them; which one, nobody has asked."""
    with stage(tmp_path, config=layout()) as on:
        settle(on)
        more = {"apps/production/more/second.yaml": manifest("e" * 40)}
        propose(on, dict(more))
        assert reason(on) == "PromotesMoreThanThePin"
        propose(on, {PRODUCTION: manifest(on.commit), **more}, "promote/both")
        assert reason(on) == "PromotesMoreThanThePin"
        other = manifest("e" * 40).replace("name: shop", "name: cart")
        propose(on, {"apps/production/cart.yaml": other, "apps/dev/shop.yaml": manifest("e" * 40)}, "other")
        assert reason(on) == "NothingToGate"


def test_the_pins_of_other_environments_may_stand_beside_it(tmp_path: Path) -> None:
    raw = layout()
    environments = raw["environments"]
    environments["dev"] = {
        **environments["production"],
        "applications": [{"name": "shop", "pin": {"file": "dev.yaml"}}],
    }
    for name in ("staging", "production"):
        environments[name]["applications"][0]["pin"]["file"] = f"{name}.yaml"
    with stage(tmp_path, config=raw) as on:
        settle(on, **{f"{name}.yaml": manifest(on.old) for name in environments})
        propose(on, {"dev.yaml": manifest(on.commit)})
        assert reason(on) == "NothingToGate"
        propose(on, {"second.yaml": manifest(on.commit)}, "second")
        assert reason(on) == "PromotesMoreThanThePin"


def test_a_set_that_generates_it_as_well(tmp_path: Path) -> None:
    generator = {"list": {"elements": [{"name": "shop"}]}}
    template = {"metadata": {"name": "{{name}}"}, "spec": yaml.safe_load(manifest("e" * 40))["spec"]}
    made = {
        "kind": "ApplicationSet",
        "metadata": {"name": "all"},
        "spec": {"generators": [generator], "template": template},
    }
    with stage(tmp_path, config=layout()) as on:
        settle(on)
        propose(on, {"apps/production/set.yaml": yaml.safe_dump(made)})
        assert reason(on) == "PromotesMoreThanThePin"
        generator["list"]["elements"][0]["name"] = "cart"
        propose(on, {"apps/production/set.yaml": yaml.safe_dump(made)}, "other")
        assert reason(on) == "NothingToGate"


@pytest.mark.parametrize("wrong", ["staging", "production"])
def test_a_pin_file_that_is_misspelt_is_shown_with_what_was_meant(wrong: str, tmp_path: Path) -> None:
    raw, files = layout(), {"staging": STAGING, "production": PRODUCTION}
    misspelt = files[wrong].replace("shop", "shpo")
    raw["environments"][wrong]["applications"][0]["pin"]["file"] = misspelt
    with stage(tmp_path, config=raw) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.commit)})
        ended = on.run()
        assert ended.outputs["reason"] == {"staging": "BothPinsChanged", "production": "PromotedPinAbsent"}[wrong]
        message = ended.result["message"]
        assert f"{misspelt} of {wrong} has no pin to judge: there is no such file" in message
        assert f"did you mean {files[wrong]}?" in message
        assert "correct pin.file" in message
