"""The mermaid picture: every line is one that mermaid's gantt knows."""

import re
from datetime import timedelta

from gate.outcomes import Layer, Outcome
from gate.reasons import Reason
from gate.render.timeline import render_timeline
from gate.verdict import Transition
from tests.support import release, verdicts

TASK = re.compile(
    r"    (?P<name>[a-z]+ [A-Za-z]+) :(done|active|crit), [a-z]+\d+, "
    r"(?P<start>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d), (?P<end>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)"
)
OTHER = re.compile(r"gantt|    (dateFormat YYYY-MM-DD HH:mm:ss|axisFormat %H:%M:%S|title [\w (),.-]+|section [a-z]+)")


def lines(text: str) -> list[str]:
    found = text.split("\n")
    assert (found[0], found[-1]) == ("```mermaid", "```")
    return found[1:-1]


def test_every_line_is_one_that_mermaid_knows() -> None:
    for line in lines(render_timeline(verdicts.failed())):
        assert TASK.fullmatch(line) or OTHER.fullmatch(line), line


def test_a_reason_lasts_until_the_next_of_its_layer_and_the_last_until_the_verdict() -> None:
    tasks = [match for line in lines(render_timeline(verdicts.failed())) if (match := TASK.fullmatch(line))]
    times = {match["name"]: (match["start"][-8:], match["end"][-8:]) for match in tasks}
    assert times["pending ProbeFailing"] == ("05:39:02", "05:39:12")
    assert times["failed ProgressDeadlineExceeded"] == ("05:39:12", "05:39:18")


def test_a_change_at_the_last_moment_is_still_seen() -> None:
    now = Transition(at=release.AT, layer=Layer.SYNC, outcome=Outcome.HELD, reason=Reason.AUTOSYNC_OFF)
    task = TASK.fullmatch(lines(render_timeline(verdicts.held(timeline=(now,))))[-1])
    assert task is not None
    assert task["end"] > task["start"]


def test_no_change_no_picture() -> None:
    assert render_timeline(verdicts.failed(timeline=())) == ""


def test_many_changes_keep_the_last_ones_and_say_so() -> None:
    many = tuple(
        one.model_copy(update={"at": one.at + timedelta(minutes=n)}) for n in range(50) for one in release.TIMELINE
    )
    text = render_timeline(verdicts.failed(timeline=many), most=60)
    assert "(240 earlier changes left out)" in text
    assert len([line for line in lines(text) if TASK.fullmatch(line)]) == 60
