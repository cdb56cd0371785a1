"""A rehearsal in words: whole in a pipe, in a terminal of any width and as JSON, and harmless."""

import io
import json

import pytest
from hypothesis import given, settings
from rich.console import Console

from gate.outcomes import Layer, VerdictWord
from gate.reasons import Reason
from gate.rehearsal.results import Judged, NotApplicable, NotTried, Rehearsal, Tried
from gate.render.rehearsal import (
    NOT_REFUSED,
    NOT_TRIED,
    conclusion,
    render_rehearsal_json,
    render_rehearsal_lines,
    rows,
)
from gate.render.rehearsal_terminal import render_rehearsal_terminal
from tests.support.sampling import examples
from tests.support.texts import ANYTHING

PASSED = Judged(verdict=VerdictWord.PASSED, reason=Reason.ALL_LAYERS_AGREE, message="all four layers agree")


def tried(name: str = "synced-but-degraded", subject: str = "Application argocd/orders", **changes: object) -> Tried:
    values = {
        "verdict": VerdictWord.FAILED,
        "reason": Reason.HEALTH_DEGRADED,
        "failed_layer": Layer.READINESS,
        "message": "status.health.status is Degraded",
        "about": "health is Degraded",
        "group": name,
        "refused": True,
    }
    return Tried.model_validate({"name": name, "subject": subject, **values, **changes})


def rehearsal(*alterations: Tried, **changes: object) -> Rehearsal:
    values = {"environment": "staging", "start": "generated", "passed_unaltered": True, "unaltered": PASSED}
    skipped = NotApplicable(
        name="not-found", subject="request one", about="404", group="not-found", why="expects the status 404"
    )
    listed = {"alterations": alterations or (tried(),), "not_applicable": (skipped,)}
    return Rehearsal.model_validate({**values, **listed, **changes})


THROUGH = tried("previous-release-answers", "request one", refused=False, verdict=VerdictWord.PASSED, failed_layer="")


def lost(name: str = "old-pods-left", subject: str = "Deployment a/b", group: str = "") -> NotTried:
    named = {"name": name, "subject": subject, "about": "old Pods", "group": group or name}
    return NotTried(**named, why="of another shape", change="report it")


def shown(made: Rehearsal, width: int = 120) -> str:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    with console.capture() as captured:
        console.print(render_rehearsal_terminal(made))
    return captured.get()


def test_lines_for_a_pipe() -> None:
    lines = render_rehearsal_lines(rehearsal())
    assert lines[0] == "Rehearsal of staging, with evidence made up from the configuration alone."
    assert lines[1] == "Unaltered it passes (AllLayersAgree)."
    assert lines[2].split() == ["alteration", "verdict", "refused", "by", "reason", "what", "is", "altered"]
    assert lines[3].split("  ")[0] == "synced-but-degraded"
    assert [word in lines[3] for word in ("failed", "readiness", "HealthDegraded", "health is Degraded")] == [True] * 4
    assert lines[4] == "not applicable: not-found: expects the status 404"
    assert lines[-1] == "The one alteration was refused; 1 does not apply."


def test_what_passed_is_told_loudly() -> None:
    made = rehearsal(tried(), THROUGH)
    for text in ("\n".join(render_rehearsal_lines(made)), shown(made), shown(made, 80)):
        assert NOT_REFUSED in text
        assert "1 of 2 alterations passed: previous-release-answers" in text
    assert not made.refuses


def test_what_could_not_be_tried_is_told_as_loudly() -> None:
    made = rehearsal(tried(), not_tried=(lost(), lost("no-pods"), lost("no-pods", "Deployment a/c")))
    assert not made.refuses
    for text in ("\n".join(render_rehearsal_lines(made)), shown(made), shown(made, 80)):
        assert NOT_TRIED in text
        assert "3 could not be tried" in " ".join(text.split())
        assert "no-pods (2): of another shape; report it" in text
    first, second, third = rows(made)
    assert (first.refused, second.refused, third.refused) == (True, False, False)
    assert (second.name, second.layer, third.reason) == ("old-pods-left", NOT_TRIED, "Deployment a/b, Deployment a/c")
    values = json.loads(render_rehearsal_json(made))
    assert values["refuses"] is False
    assert set(values["not-tried"][0]) == {"name", "subject", "about", "group", "why", "change"}


def test_a_field_that_could_not_be_tried_makes_its_row_fail() -> None:
    field = tried("missing-pod-a", "Pod a/b", group="missing-pod-field")
    (row,) = rows(rehearsal(field, not_tried=(lost("missing-pod-b", "Pod a/b", "missing-pod-field"),)))
    assert (row.refused, row.layer, row.reason) == (False, NOT_TRIED, "missing-pod-b")
    assert row.about.startswith("each of 2 fields")


def test_what_passed_comes_before_what_could_not_be_tried() -> None:
    through = tried("missing-pod-a", "Pod a/b", group="missing-pod-field", refused=False, failed_layer="")
    made = rehearsal(through, not_tried=(lost("missing-pod-b", "Pod a/b", "missing-pod-field"),))
    (row,) = rows(made)
    assert row.layer == NOT_REFUSED
    assert conclusion(made) == ("NOT REFUSED: 1 of 1 alterations passed: missing-pod-a; 1 could not be tried.")


def test_several_subjects_and_several_fields_are_one_row() -> None:
    fields = [tried(f"missing-pod-{name}", "Pod a/b", group="missing-pod-field") for name in ("a", "b", "c")]
    one, two = rows(rehearsal(tried(), tried(subject="Application argocd/other"), *fields))
    assert (one.name, one.about) == ("synced-but-degraded (2)", "health is Degraded")
    assert two.name == "missing-pod-field (3)"
    assert two.about == "each of 3 fields that a pass rests on, missing in turn"


def test_a_row_names_the_subject_or_the_field_that_passed() -> None:
    through = tried(subject="Application argocd/other", refused=False, verdict=VerdictWord.PASSED, failed_layer="")
    (row,) = rows(rehearsal(tried(), through))
    assert (row.refused, row.layer) == (False, NOT_REFUSED)
    assert "argocd/other" in row.reason
    field = through.model_copy(update={"name": "missing-pod-a", "group": "missing-pod-field"})
    (row,) = rows(rehearsal(field))
    assert "missing-pod-a" in row.reason


def test_evidence_that_does_not_pass_says_why_and_nothing_else() -> None:
    failed = tried()
    judged = Judged(
        verdict=failed.verdict, reason=failed.reason, failed_layer=failed.failed_layer, message=failed.message
    )
    made = rehearsal(alterations=(), not_applicable=(), passed_unaltered=False, unaltered=judged)
    for text in (" ".join(render_rehearsal_lines(made)), shown(made)):
        assert "does not pass: failed at readiness: HealthDegraded" in text
        assert "Nothing was altered" in text
    assert not made.refuses


def test_nothing_tried_is_no_success() -> None:
    assert not rehearsal(alterations=(), not_applicable=()).refuses


def test_advice_makes_it_fail_and_warnings_do_not() -> None:
    assert rehearsal(warnings=("allow refresh: ...",)).refuses
    advised = rehearsal(advice=("request one cannot tell releases apart",))
    assert not advised.refuses
    assert "has to be mended" in conclusion(advised)
    for text in ("\n".join(render_rehearsal_lines(advised)), shown(advised)):
        assert "request one cannot tell releases apart" in text


@pytest.mark.parametrize("width", [200, 120, 110, 109, 80, 40, 20])
def test_nothing_is_lost_at_any_width(width: int) -> None:
    made = rehearsal(tried(), THROUGH, warnings=("a warning",), advice=("some advice",), notes=("a note",))
    text = shown(made, width)
    assert max(map(len, text.splitlines())) <= width
    flat = "".join(text.split())
    said = ("synced-but-degraded", "readiness", "HealthDegraded", "healthisDegraded", "awarning", "someadvice", "anote")
    assert all(one in flat for one in (*said, "expectsthestatus404", "previous-release-answers"))


def test_json_is_one_object_with_kebab_case() -> None:
    values = json.loads(render_rehearsal_json(rehearsal(tried(), THROUGH)))
    assert values["environment"] == "staging"
    assert values["passed-unaltered"] is True
    assert values["refuses"] is False
    first, second = values["alterations"]
    assert set(first) == {
        "name",
        "subject",
        "about",
        "group",
        "verdict",
        "reason",
        "failed-layer",
        "message",
        "refused",
    }
    assert (first["name"], first["verdict"], first["reason"]) == ("synced-but-degraded", "failed", "HealthDegraded")
    assert (first["failed-layer"], first["refused"]) == ("readiness", True)
    assert (second["failed-layer"], second["refused"]) == ("", False)
    (skipped,) = values["not-applicable"]
    assert skipped["why"] == "expects the status 404"
    assert "refused" not in skipped


@given(ANYTHING)
@settings(deadline=None, max_examples=examples(30))
def test_no_command_and_no_escape_sequence_gets_out(text: str) -> None:
    made = rehearsal(
        tried(subject=text, message=text), environment=text or "e", warnings=(text,), advice=(text,), notes=(text,)
    )
    lines = render_rehearsal_lines(made)
    assert all(character.isprintable() for line in lines for character in line)
    assert not any(line.lstrip().startswith("::") or "##[" in line for line in lines)
    assert all(character == "\n" or character.isprintable() for character in shown(made, 80))
    printed = render_rehearsal_json(made)
    assert printed.isascii()
    assert "##[" not in printed
    json.loads(printed)
