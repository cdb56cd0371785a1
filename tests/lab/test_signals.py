"""`gate lab` that is told to end does, whatever it plays, and leaves nothing behind."""

import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gate.lab.scenarios.story import STORY
from tests.lab.test_command import FAST, start
from tests.support.sampling import sampled


def _stopped(folder: Path, act: int, number: int) -> None:
    """Play the story, send the signal while the gate judges this act, and see how it ends."""
    lab = start(folder, "--format", "json", *FAST)
    lab.hear(f"Act {act} of {len(STORY.acts)}" if act else "Scenario story")
    if act:
        lab.hear("UTC pending")
    code, lines, log = lab.end(number)
    assert code == 128 + number, log
    told = [json.loads(line)["act"] for line in lines]
    assert told == [one.name for one in STORY.acts[: len(told)]], log
    assert len(told) >= act - 1, log
    assert f"cancelled by signal {number}" in log
    assert "Traceback" not in log
    assert lab.left == []
    with pytest.raises(ProcessLookupError):
        os.killpg(lab.process.pid, 0)


@pytest.mark.timeout(150)
@pytest.mark.parametrize("acts", sampled([range(3), range(3, len(STORY.acts) + 1)], [range(3)]), ids=["early", "late"])
def test_a_signal_in_any_act_is_a_clean_end(acts: range, tmp_path: Path) -> None:
    """Side by side: the last of them plays the story nearly to its end."""
    with ThreadPoolExecutor(len(acts)) as pool:
        stopped = [
            pool.submit(_stopped, tmp_path / f"{act}", act, (signal.SIGINT, signal.SIGTERM)[act % 2]) for act in acts
        ]
    for one in stopped:
        one.result()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=str)
def test_what_is_served_ends_with_a_signal(number: int, tmp_path: Path) -> None:
    lab = start(tmp_path, "--serve", "--format", "json", *FAST)
    lab.hear("stays up until Ctrl-C")
    code, lines, log = lab.end(number)
    assert (code, lines) == (128 + number, []), log
    assert lab.left == []
