"""What a merge queue brings together: a group is judged by all that stands in it, beside the branch as it is now."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.lab.github.merge_queue import rule
from tests.support import situations
from tests.support.action import Stage, stage
from tests.support.environments import manifest
from tests.support.promoting import GATE, PRODUCTION, STAGING, about, layout, propose, settle

pytestmark = pytest.mark.exhaustive


def states(on: Stage, commit: str) -> list[str]:
    return [said for said, context in on.statuses(commit) if context == GATE]


@pytest.mark.parametrize("first", [{"README.md": "# More\n"}, {STAGING: "OLD"}], ids=["docs", "staging"])
def test_a_merge_group_is_all_that_stands_in_it(first: dict[str, str], tmp_path: Path) -> None:
    """One of two promotes; where the other one moves staging's pin, they may not go together."""
    with stage(tmp_path, config=layout()) as on:
        settle(on)
        on.lab.github.add_rule("main", rule())
        files = {path: manifest(on.old) if text == "OLD" else text for path, text in first.items()}
        numbers = [propose(on, dict(files), "first"), propose(on, {PRODUCTION: manifest(on.commit)})]
        entries = []
        for number in numbers:
            about(on, number)
            on.lab.github.plant_status(on.promotion, "success", GATE)
            entries.append(on.lab.github.enqueue(number))
        on.event, on.payload = "merge_group", on.lab.github.events().merge_group(entries[1])
        ended = on.run()
        together = STAGING not in first
        assert ended.outputs["reason"] == ("AllLayersAgree" if together else "BothPinsChanged"), ended.log
        assert states(on, entries[1].head_sha)[-1] == ("success" if together else "error")


def test_a_merge_group_whose_base_has_moved(tmp_path: Path) -> None:
    """It is judged by what it would still change; GitHub builds the group anew."""
    with stage(tmp_path, situations.broken(), config=layout()) as on:
        settle(on)
        on.lab.github.add_rule("main", rule())
        number = propose(on, {PRODUCTION: manifest(on.commit)})
        on.lab.github.plant_status(on.promotion, "success", GATE)
        entry = on.lab.github.enqueue(number)
        on.event, on.payload = "merge_group", on.lab.github.events().merge_group(entry)
        on.lab.repository.commit("main", {PRODUCTION: manifest("e" * 40)}, "Promoted meanwhile")
        ended = on.run()
        assert ended.outputs["reason"] == "ProgressDeadlineExceeded", ended.log
        assert states(on, entry.head_sha) == ["pending", "failure"]
