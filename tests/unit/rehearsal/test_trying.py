"""An alteration that goes wrong is no alteration that does not apply: it is told, and the rehearsal fails."""

from collections.abc import Callable
from dataclasses import replace
from unittest.mock import patch

import pytest

import gate.rehearsal.rehearse
from gate.errors import UsageError
from gate.rehearsal.passing import generate
from gate.rehearsal.rehearse import Case, Unaltered
from gate.rehearsal.results import NotApplicable, NotTried, Rehearsal
from gate.rehearsal.scene import Alteration, CannotTry, DoesNotApply, Scene
from tests.support.rehearsing import environment, rehearse_settings

Change = Callable[[Scene, None], None]

PASSING = generate(environment(), "staging")


def case(change: Change) -> Case:
    return Case(Alteration("altered", "something is altered", change), None)


def rehearsed(*changes: Change) -> Rehearsal:
    """A rehearsal of nothing but these alterations."""
    with patch.object(gate.rehearsal.rehearse, "cases", lambda _: iter([case(one) for one in changes])):
        return rehearse_settings(environment())


def _no_responses(scene: Scene, _: None) -> None:
    for moment in scene.moments:
        moment["responses"] = []


def _does_not_apply(_scene: Scene, _: None) -> None:
    raise DoesNotApply("the configuration has none of it")


def _of_another_shape(scene: Scene, _: None) -> None:
    scene.moments[0]["a secret that stands in an exception's text"] = scene.moments[0]["objects"][10_000]


def _left_as_it_was(scene: Scene, _: None) -> None:
    scene.moments = list(scene.moments)


def _no_moment_any_more(scene: Scene, _: None) -> None:
    scene.moments[0]["now"] = "yesterday"


def _out_of_order(scene: Scene, _: None) -> None:
    scene.moments.reverse()


def _cannot(_scene: Scene, _: None) -> None:
    raise CannotTry("nothing can be made up", "rehearse with --live")


def test_what_does_not_apply_counts_for_nothing() -> None:
    made = rehearsed(_no_responses, _does_not_apply)
    assert made.refuses
    (skipped,) = made.not_applicable
    assert skipped.why == "the configuration has none of it"


@pytest.mark.parametrize("change", [_of_another_shape, _left_as_it_was, _no_moment_any_more, _out_of_order, _cannot])
def test_whatever_goes_wrong_makes_it_fail(change: Change) -> None:
    made = rehearsed(_no_responses, change)
    assert [one.refused for one in made.alterations] == [True]
    assert not made.refuses
    assert made.not_applicable == ()
    (lost,) = made.not_tried
    assert (lost.name, lost.group) == ("altered", "altered")
    assert lost.why
    assert lost.change


def test_a_fault_of_the_decision_is_one_too() -> None:
    unaltered = Unaltered(PASSING)
    with patch.object(gate.rehearsal.rehearse, "decided", side_effect=RecursionError("a secret")):
        result = unaltered.try_out(case(_no_responses))
    assert isinstance(result, NotTried)
    assert "RecursionError" in result.why


def test_the_text_of_an_exception_is_not_told() -> None:
    """It may hold anything; its type, and where in the gate it was raised, is enough for a report."""
    (lost,) = rehearsed(_of_another_shape).not_tried
    assert "IndexError" in lost.why
    assert "gate.rehearsal.rehearse, line" in lost.why
    assert "secret" not in lost.why
    assert "report" in lost.change


def test_what_can_be_done_is_told_where_it_is_known() -> None:
    (lost,) = rehearsed(_cannot).not_tried
    assert (lost.why, lost.change) == ("nothing can be made up", "rehearse with --live")


def test_each_outcome_is_one_of_its_own() -> None:
    unaltered = Unaltered(PASSING)
    assert isinstance(unaltered.try_out(case(_does_not_apply)), NotApplicable)
    assert isinstance(unaltered.try_out(case(_left_as_it_was)), NotTried)


def test_a_copy_that_does_not_pass_refuses_for_another_reason_than_what_is_altered() -> None:
    moments = tuple(one.model_copy(update={"responses": ()}) for one in PASSING.moments)
    with pytest.raises(AssertionError, match="a copy of evidence that passes"):
        Unaltered(replace(PASSING, moments=moments))


def test_a_usage_error_is_no_outcome() -> None:
    """What cannot be rehearsed at all ends before anything is altered."""
    odd = {"name": "odd", "service": "orders/web:http", "expect": {"regex": "(?=x){revision}a(?!a)b$c"}}
    with pytest.raises(UsageError):
        rehearse_settings(environment(odd))
