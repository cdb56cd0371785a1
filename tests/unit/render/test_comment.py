"""The pull request comment: as it was last found right, and harmless whatever texts it is made of."""

from pathlib import Path

import pytest
from hypothesis import given, settings

from gate.outcomes import LAYERS, Layer, Outcome
from gate.reasons import Reason
from gate.render.comment import LONGEST_COMMENT, Part, assemble, render_comment
from gate.render.summary import LONGEST_SUMMARY, render_summary
from gate.render.text import width
from gate.verdict import Verdict
from tests.support import golden, release, verdicts
from tests.support.markdown import assert_harmless, cells, parse, table_lines
from tests.support.sampling import examples
from tests.support.texts import ANYTHING, HOSTILE

GOLDEN = Path(__file__).parent / "golden"
LINKS = ("https://github.example/",)


def comment(verdict: Verdict) -> str:
    return render_comment(verdict, verdicts.publication())


@pytest.mark.parametrize("name", verdicts.every())
def test_comment_as_last_seen(name: str) -> None:
    golden.check(comment(verdicts.every()[name]), GOLDEN / f"comment-{name}.md")


def test_comment_with_hostile_text_everywhere_as_last_seen() -> None:
    golden.check(comment(verdicts.hostile(HOSTILE[0])), GOLDEN / "comment-hostile.md")


@pytest.mark.parametrize("name", verdicts.every())
def test_comment_holds_no_live_text_but_its_own(name: str) -> None:
    assert_harmless(comment(verdicts.every()[name]), LINKS, headings=1)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_stays_text(text: str) -> None:
    for rendered in (comment(verdicts.hostile(text)), render_summary(verdicts.hostile(text), verdicts.publication())):
        assert_harmless(rendered, LINKS, headings=1)
        assert rendered.startswith("### ❌ ")


@given(ANYTHING)
@settings(max_examples=examples(60), deadline=None)
def test_any_text_stays_text(text: str) -> None:
    verdict = verdicts.hostile(text)
    rendered = comment(verdict)
    assert width(rendered) <= LONGEST_COMMENT
    assert_harmless(rendered, LINKS, headings=1)
    layers = table_lines(rendered)[0]
    assert len(layers) == 2 + len(verdict.layers)
    assert all(cells(line) == 6 for line in layers)


@pytest.mark.parametrize("name", verdicts.every())
def test_the_first_line_says_verdict_environment_and_why(name: str) -> None:
    verdict = verdicts.every()[name]
    first = comment(verdict).splitlines()[0]
    assert first.startswith("### ")
    assert "staging" in first


def test_the_first_line_of_a_failure() -> None:
    assert comment(verdicts.failed()).splitlines()[0] == (
        "### ❌ staging failed at readiness: the new Pods did not become ready before the progress deadline"
    )


@pytest.mark.parametrize("name", [name for name in verdicts.every() if name != "passed"])
def test_whatever_has_not_passed_says_do_not_promote(name: str) -> None:
    rendered = comment(verdicts.every()[name])
    assert "**Do not promote" in rendered
    assert "May be promoted" not in rendered


def test_a_pass_without_four_passed_layers_is_not_shown_as_one() -> None:
    rendered = comment(verdicts.passed(layers=verdicts.passed().layers[:3]))
    assert "✅ staging" not in rendered
    assert "**Do not promote.**" in rendered
    assert "fault of the gate" in rendered


@pytest.mark.parametrize("name", verdicts.every())
def test_the_scope_is_always_stated(name: str) -> None:
    assert comment(verdicts.every()[name]).count("stateless web release; it says nothing about data") == 1


def test_every_layer_has_a_row_linked_to_its_reason() -> None:
    rows = table_lines(comment(verdicts.failed()))[0][2:]
    assert [row.split("|")[1].strip(" *") for row in rows] == [layer.value for layer in LAYERS]
    assert "reasons.md#progressdeadlineexceeded" in rows[2]
    assert "`status.replicas` `2` | `1` | 05:39:12" in rows[2]


def test_a_layer_that_waits_shows_no_evidence_of_the_old_release() -> None:
    old = release.ANSWERED.evidence
    waiting = release.WAITING[Layer.REQUEST].model_copy(update={"evidence": old})
    row = table_lines(comment(verdicts.failed(layers=(*verdicts.failed().layers[:3], waiting))))[0][-1]
    assert "200" not in row
    assert "waits until the new Pods are ready" in row


def test_ids_that_differ_only_behind_the_seventh_digit_are_shown_in_full() -> None:
    other = release.BAD[:7] + "0" * 33
    row = release.INTENT.evidence[0].model_copy(update={"value": other})
    intent = release.INTENT.model_copy(update={"evidence": (row,), "outcome": Outcome.PENDING})
    shown = table_lines(comment(verdicts.pending(layers=(intent,))))[0][2]
    assert other in shown
    assert release.BAD in shown


def test_a_commit_of_another_server_is_shown_without_a_link() -> None:
    rendered = render_comment(verdicts.failed(), verdicts.publication(revision_repository=None))
    assert f"commit/{release.BAD}" not in rendered
    assert "`c7581a7` “Release 2.1.0" in rendered


def test_a_commit_that_is_not_the_intended_one_is_not_told_as_it() -> None:
    rendered = comment(verdicts.failed(commit=release.commit(id=release.NEWER)))
    assert "Commit: [`c7581a7`]" in rendered.splitlines()[2]
    assert "Release 2.1.0" not in rendered.splitlines()[2]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (None, "no release before this one is known"),
        (release.changes(relation="unknown"), "could not be read"),
        (release.changes(relation="diverged"), "diverged"),
        (release.changes(relation="behind"), "behind"),
        (release.changes(commits=(), files=(), relation="identical"), "No commit and no file"),
        (release.changes(truncated=True), "Not everything is shown"),
        (release.changes(commits=(release.commit(),) * 6), "Not everything is shown"),
        (release.changes(files=tuple(f"f{n}" for n in range(20))), "and 12 more"),
    ],
)
def test_what_changed_says_what_it_does_not_know(changes: object, words: str) -> None:
    assert words in comment(verdicts.failed(changes=changes))


def test_notes_are_shown_and_the_scope_is_not_repeated_among_them() -> None:
    rendered = comment(verdicts.passed())
    assert "- Deployment shop/orders: container web uses registry.example/web:2: tag, content not pinned." in rendered
    assert "**Notes**" not in comment(verdicts.failed())


def test_many_notes_are_counted() -> None:
    assert "- 5 more notes" in comment(verdicts.failed(notes=tuple(f"note {n}" for n in range(25))))


def test_unpinned_image_remarks_are_no_difference() -> None:
    ready = release.READY.model_copy(update={"outcome": Outcome.HELD, "reason": Reason.NO_READY_ENDPOINTS})
    row = table_lines(comment(verdicts.held_open(layers=(ready,))))[0][2]
    assert "imageID" not in row
    assert "no ready Pod stands behind the Service" in row


def test_a_comment_too_long_loses_whole_parts_and_says_which() -> None:
    row = release.observed("&" * 120, "f" * 90, "v" * 190, "w" * 190)
    layers = tuple(one.model_copy(update={"evidence": (row,) * 400}) for one in verdicts.failed().layers)
    rendered = comment(verdicts.failed(layers=layers, notes=("&" * 300,) * 20))
    assert width(rendered) <= LONGEST_COMMENT
    assert "Left out for length: evidence" in rendered
    assert "The job summary has all of it." in rendered
    assert rendered.startswith("### ❌ staging failed")
    assert_harmless(rendered, LINKS, headings=1)


def test_the_longest_texts_everywhere_still_fit() -> None:
    verdict = verdicts.hostile("&" * 100_000)
    layers = tuple(one for one in verdict.layers for _ in range(20))
    whole = verdict.model_copy(
        update={"layers": layers, "notes": verdict.notes * 100, "timeline": verdict.timeline * 500}
    )
    assert width(comment(whole)) <= LONGEST_COMMENT
    assert len(render_summary(whole, verdicts.publication()).encode()) <= LONGEST_SUMMARY


def test_parts_are_dropped_by_rank_and_the_first_ones_stay() -> None:
    parts = (Part(0, "head", "h" * 20), Part(2, "two", "t" * 50), Part(1, "one", "o" * 30), Part(0, "foot", "f" * 5))
    text = assemble(parts, 110, len, "Elsewhere.")
    assert text == f"{'h' * 20}\n\n{'o' * 30}\n\n{'f' * 5}\n\nLeft out for length: two. Elsewhere.\n"
    assert assemble(parts[:1], 1, len, "Elsewhere.") == f"{'h' * 20}\n"
    assert assemble((), 1, len, "Elsewhere.") == "\n"


def test_the_summary_is_the_comment_at_full_length() -> None:
    golden.check(render_summary(verdicts.failed(), verdicts.publication()), GOLDEN / "summary-failed.md")


def test_the_timeline_is_a_picture_of_its_own() -> None:
    fences = [token for token in parse(comment(verdicts.failed())) if token.type == "fence" and token.info == "mermaid"]
    assert len(fences) == 1
    assert fences[0].content.startswith("gantt\n    dateFormat ")
