"""Every scenario of `gate lab` ends as its table says."""

import asyncio
import io
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from gate.lab.display import Display
from gate.lab.player import Player
from gate.lab.reporting import Reported
from gate.lab.scenarios import SCENARIOS
from gate.lab.scenarios.act import Scenario
from gate.lab.told import Told
from gate.outcomes import VerdictWord
from tests.conftest import ROOT
from tests.support.lab_table import render_table

SPEED = 4.0


def _play(scenario: Scenario, folder: Path) -> list[Told | Reported]:
    player = Player(Display(io.StringIO(), folder), folder, SPEED)
    asyncio.run(player.play_all([scenario]))
    return player.played


@pytest.mark.exhaustive
@pytest.mark.timeout(170)
def test_every_scenario_ends_as_its_table_says(tmp_path: Path) -> None:
    """One test, because the scenarios play side by side, each in a laboratory of its own."""
    with ThreadPoolExecutor(len(SCENARIOS)) as pool:
        played = [pool.submit(_play, scenario, tmp_path / name) for name, scenario in SCENARIOS.items()]
        ended = [one for scenario in played for one in scenario.result()]
    assert [(one.scenario.name, one.act.name) for one in ended] == [
        (scenario.name, act.name) for scenario in SCENARIOS.values() for act in scenario.acts
    ]
    assert {f"{one.scenario.name}/{one.act.name}": one.differences for one in ended if one.differences} == {}
    for one in ended:
        if isinstance(one, Reported):
            continue
        published = [state for state, _ in one.statuses]
        passed = one.verdict.word is VerdictWord.PASSED and one.scenario.name != "github-refusing"
        assert ("success" in published) is passed, one.act.name
        assert one.evidence is not None
        # That of a pull request with a newer head is left to the run about it.
        assert (one.comment != "") is (one.scenario.name != "superseded"), one.act.name
    stream = io.StringIO()
    Display(stream, tmp_path).closing(ended)
    [odd] = [" ".join(line.split()[1:]) for line in stream.getvalue().splitlines() if "exit code" in line]
    assert odd == "github-refusing/refused passed AllLayersAgree as expected (exit code 65)"
    (away,) = [one for one in ended if isinstance(one, Told) and one.scenario.name == "api-server-away"]
    other = replace(away.act, expected=replace(away.act.expected, meanwhile=("AccessDenied",)))
    assert replace(away, act=other).differences == ("AccessDenied was never given",)


def test_the_table_in_the_documentation_is_this_one() -> None:
    """Where it is not, put in its place what `python -m tests.support.lab_table` prints."""
    page = (ROOT / "docs" / "laboratory.md").read_text(encoding="utf-8")
    assert page.endswith(f"\n{render_table(SCENARIOS.values())}")
