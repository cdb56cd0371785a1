"""The commit status: the state of every verdict, and a description that GitHub takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.outcomes import LAYERS, Outcome, VerdictWord
from gate.reasons import Reason
from gate.render.status import LONGEST, render_status
from gate.render.text import width
from tests.support import release, verdicts
from tests.support.texts import ANYTHING

STATES = {
    "passed": "success",
    "pending": "pending",
    "held": "error",
    "held-not-final": "pending",
    "timed-out": "error",
    "failed": "failure",
    "superseded": "error",
    "could-not-run": "error",
    "cancelled": "error",
    "internal-error": "error",
}


def test_every_verdict_has_its_state() -> None:
    assert {name: render_status(one).state for name, one in verdicts.every().items()} == STATES


def test_held_at_the_deadline_is_an_error_even_if_it_could_still_change() -> None:
    assert render_status(verdicts.held_open(timed_out=True)).state == "error"
    assert render_status(verdicts.held_open(final=True)).state == "error"


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("outcome", [one for one in Outcome if one is not Outcome.PASSED])
def test_a_pass_over_a_layer_that_has_not_passed_is_never_success(place: int, outcome: Outcome) -> None:
    layers = list(verdicts.passed().layers)
    layers[place] = layers[place].model_copy(update={"outcome": outcome})
    status = render_status(verdicts.passed(layers=tuple(layers)))
    assert status.state == "error"
    assert "InternalError" in status.description


@pytest.mark.parametrize("kept", range(4))
def test_a_pass_without_all_four_layers_is_never_success(kept: int) -> None:
    assert render_status(verdicts.passed(layers=verdicts.passed().layers[:kept])).state == "error"


def test_a_layer_twice_does_not_stand_for_the_one_that_is_missing() -> None:
    intent, sync, ready, _ = verdicts.passed().layers
    assert render_status(verdicts.passed(layers=(intent, sync, ready, ready))).state == "error"


@pytest.mark.parametrize("word", [one for one in VerdictWord if one is not VerdictWord.PASSED])
def test_only_the_word_passed_is_success(word: VerdictWord) -> None:
    assert render_status(verdicts.passed(word=word)).state != "success"


def test_the_description_names_layer_reason_and_what_was_seen() -> None:
    assert render_status(verdicts.pending()).description == (
        "intent: NotPinned - Application argocd/orders spec.source.targetRevision is 27263c2; "
        "expected c7581a7: it is not pinned to it"
    )


def test_a_superseded_description_names_the_newer_commit_in_full() -> None:
    assert render_status(verdicts.superseded()).description == (
        f"intent: NewerCommitPinned - superseded by {release.NEWER}"
    )


def test_a_timed_out_description_keeps_the_reason_and_says_after_how_long() -> None:
    description = render_status(verdicts.timed_out()).description
    assert description.startswith("intent: NotPinned - timed out after 18s: ")


def test_timed_out_without_a_timeline_does_not_invent_a_time() -> None:
    assert "timed out: " in render_status(verdicts.timed_out(timeline=())).description


def test_a_verdict_without_layers_names_its_word() -> None:
    assert render_status(verdicts.could_not_run()).description.startswith("could-not-run: BadConfiguration - ")


def test_an_empty_message_is_replaced_by_the_meaning_of_the_reason() -> None:
    assert render_status(verdicts.held(message="")).description == (
        "sync: AutosyncOff - automated sync is off, so nothing applies this commit"
    )


@pytest.mark.parametrize("length", [139, 140, 141, 212, 5000])
def test_a_long_message_is_cut_at_a_word(length: int) -> None:
    message = ("word " * length)[:length]
    description = render_status(verdicts.failed(message=message)).description
    assert width(description) <= LONGEST
    assert description.startswith("readiness: ProgressDeadlineExceeded - word word")
    assert description.removesuffix("…").split()[-1] in ("word", "wor", "wo", "w") if length < 100 else True


@given(ANYTHING, st.sampled_from(list(Reason)), st.sampled_from([*LAYERS, None]))
def test_no_text_breaks_the_description(text: str, reason: Reason, layer: object) -> None:
    for one in (verdicts.failed(message=text, reason=reason, failed_layer=layer), verdicts.superseded(newer=text)):
        description = render_status(one).description
        assert width(description) <= LONGEST
        assert "\n" not in description
        assert one.reason.value in description
        assert description.isprintable()
