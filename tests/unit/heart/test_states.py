"""Every recorded state comes out as the table says: built cases, and recordings from a real cluster."""

import pytest

from tests.support.bundles import judge
from tests.support.states import cases, recorded

STATES = {**{f"cases/{one.name}": one for one in cases()}, **{f"recorded/{one.name}": one for one in recorded()}}


@pytest.mark.parametrize("name", STATES)
def test_state(name: str) -> None:
    state = STATES[name]
    verdict = judge(state.raw)
    shown = {
        "verdict": verdict.word.value,
        "reason": verdict.reason.value,
        "failed-layer": "" if verdict.failed_layer is None else verdict.failed_layer.value,
        "final": verdict.final,
        "timed-out": verdict.timed_out,
    }
    assert {key: shown[key] for key in state.expected} == state.expected, verdict.message
    assert {"verdict", "reason", "failed-layer"} <= set(state.expected)


def test_there_are_enough() -> None:
    assert len(cases()) >= 100
    assert sum(state.expected["verdict"] == "passed" for state in cases()) >= 10
