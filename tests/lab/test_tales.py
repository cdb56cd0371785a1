"""The tales of the real cluster, played on the laboratory: the same verdicts, reasons, layers and messages."""

from pathlib import Path

import pytest

from tests.cluster.story import contents, hands, operations, pins
from tests.cluster.story.acts import Tale
from tests.cluster.story.all_tales import LIVE, TALES
from tests.cluster.story.checks import CHECKS
from tests.cluster.story.play import Outcome, play
from tests.cluster.story.recovery import check_report
from tests.lab.harness import LabHarness
from tests.support.sampling import sampled

SHORT = (hands.MANUAL, contents.STANDSTILL, pins.PINS, hands.UNHEALED, operations.REFUSED)
"""Those that are soon over; the story itself is played by test_command.py."""


def _problems(outcome: Outcome) -> list[str]:
    found = []
    for check in CHECKS:
        try:
            check(outcome)
        except AssertionError as error:
            found.append(f"{outcome.act.name}: {check.__name__}: {error}")
    return found


@pytest.mark.timeout(170)  # most of it is waiting: the tales take their time, as on the cluster
@pytest.mark.parametrize("tales", sampled([SHORT, TALES], [SHORT]), ids=["short", "all"])
def test_every_tale_ends_as_on_the_cluster(tales: tuple[Tale, ...], tmp_path: Path) -> None:
    """One test, because the tales play side by side: that is what keeps it short."""
    with LabHarness() as harness:
        told = play(harness, tales, tmp_path, set(LIVE), side_by_side=len(tales))
    outcomes = [outcome for tale in told.values() for outcome in tale.result()]
    assert {outcome.act.name for outcome in outcomes} == {act.name for tale in tales for act in tale.acts} & set(LIVE)
    assert [problem for outcome in outcomes for problem in _problems(outcome)] == []
    if tales is TALES:
        check_report(told["recreate"].result())
