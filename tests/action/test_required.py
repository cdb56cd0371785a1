"""The log says where a promotion can be merged whatever the verdict is, and says nothing where it cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.lab.github import Fault
from tests.support.action import stage
from tests.support.environments import configuration
from tests.support.promoting import GATE, branches, layout
from tests.support.sampling import sampled

SAID = f"No ruleset requires {GATE} on main"


@pytest.mark.parametrize("required", [True, False])
def test_whether_the_status_is_required_is_told(required: bool, tmp_path: Path) -> None:
    config = layout(applications=[{"name": "shop"}])
    with stage(tmp_path, config=config) as on:
        if required:
            on.lab.github.require_status("main", GATE)
        ended = on.run()
        assert ended.code == 0, ended.log
        assert (SAID in ended.log) is not required


@pytest.mark.exhaustive
def test_with_a_branch_for_each_environment_it_is_the_one_that_promotions_go_into(tmp_path: Path) -> None:
    """Not the one that was pushed: nothing has to be required there."""
    with stage(tmp_path, config=layout()) as on:
        branches(on)
        on.event, on.payload = "push", on.lab.github.events().push("env/staging")
        on.more |= {"GITHUB_REF": "refs/heads/env/staging", "GITHUB_SHA": on.promotion}
        ended = on.run()
        assert ended.code == 0, ended.log
        assert "No ruleset" not in ended.log


@pytest.mark.parametrize("why", sampled(["nothing is promoted", "rules cannot be read"], ["rules cannot be read"]))
def test_where_it_does_not_matter_or_is_not_known_nothing_is_said(why: str, tmp_path: Path) -> None:
    promotes = why == "rules cannot be read"
    config = layout(applications=[{"name": "shop"}]) if promotes else configuration()
    with stage(tmp_path, config=config, faults=(Fault(method="GET", path="*/rules/*", times=None, status=403),)) as on:
        ended = on.run()
        assert ended.code == 0, ended.log
        assert "No ruleset" not in ended.log
