"""A change that promotes nothing passes, and is never told as if four layers had."""

import pytest
from pydantic import ValidationError

from gate.errors import ExitCode
from gate.outcomes import Layer, Outcome, VerdictWord
from gate.reasons import Reason
from gate.render.annotations import render_annotations
from gate.render.comment import render_comment
from gate.render.lines import render_report
from gate.render.outputs import render_result
from gate.render.publication import Publication
from gate.render.status import render_status
from gate.render.summary import render_summary
from gate.verdict import LayerResult, Verdict
from tests.support.verdicts import passed

WHY = "the change touches no file that pins production"
PUBLICATION = Publication(
    server_url="https://github.example", repository="acme/environments", docs_url="https://docs.example", version="1"
)


def nothing(**changes: object) -> Verdict:
    values = {
        "word": VerdictWord.PASSED,
        "reason": Reason.NOTHING_TO_GATE,
        "message": WHY,
        "final": True,
        "environment": "staging",
        "intended": "",
        "at": passed().at,
    }
    return Verdict.model_validate(values | changes)


def test_it_passes_and_claims_no_layer() -> None:
    verdict = nothing()
    assert verdict.exit_code is ExitCode.PASSED
    assert (verdict.layers, verdict.failed_layer) == ((), None)
    assert render_status(verdict) == ("success", f"passed: NothingToGate - {WHY}")
    assert render_result(verdict).verdict == "passed"


def test_every_text_says_why_and_none_says_more() -> None:
    verdict = nothing()
    texts = (
        render_comment(verdict, PUBLICATION),
        render_summary(verdict, PUBLICATION),
        "\n".join(render_report(verdict)),
        render_annotations(verdict)[0].title + render_annotations(verdict)[0].message,
    )
    for text in texts:
        assert WHY in text
        assert "gates nothing here" in text
        for wrong in ("May be promoted", "all four", "not known\n", "fault", "**intent**"):
            assert wrong not in text.replace("commit: not known\n", "")


def test_a_pass_needs_four_layers_or_nothing_to_gate() -> None:
    with pytest.raises(ValidationError):
        nothing(reason=Reason.ALL_LAYERS_AGREE)
    with pytest.raises(ValidationError):
        nothing(layers=passed().layers)
    with pytest.raises(ValidationError):
        nothing(final=False)
    layer = LayerResult(layer=Layer.INTENT, outcome=Outcome.HELD, reason=Reason.PIN_NOT_A_COMMIT, message="x")
    with pytest.raises(ValidationError):
        nothing(layers=(layer,))


def test_the_last_guard_sees_a_verdict_that_was_changed_behind_the_model() -> None:
    forged = passed().model_copy(update={"reason": Reason.NOTHING_TO_GATE})
    assert render_status(forged).state == "error"
    emptied = passed().model_copy(update={"layers": ()})
    assert render_status(emptied).state == "error"


def test_a_pass_that_was_not_taken_is_told_as_that() -> None:
    refused = PUBLICATION.model_copy(update={"refused": True})
    for render in (render_comment, render_summary):
        assert "could not be published as a status" in render(passed(), refused).splitlines()[0]
        assert "May be promoted" not in render(passed(), refused)
        assert "could not be published" not in render(passed(), PUBLICATION)
