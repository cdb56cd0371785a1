"""What a report says of three recorded verdicts, and that nothing from outside becomes live in it."""

import json
import re

import pytest

from gate.outcomes import Layer
from gate.reasons import Reason
from gate.render.page.style import STYLE
from gate.render.report import markdown, page
from gate.render.report.rows import Row, rows
from gate.render.report.subject import RefusedReport, Report, Told
from gate.report.commits import GitFacts
from gate.report.refusing import Files
from gate.verdict import Transition
from tests.conftest import ROOT
from tests.support import golden
from tests.support.dated import of_another_uid
from tests.support.markdown import assert_harmless, table_lines
from tests.support.pages import Page
from tests.support.recoveries import ROLLING, altered, commits, evidence_of, facts, refused, shown, story
from tests.support.texts import HOSTILE

GOLDEN = ROOT / "tests/unit/report/golden"
STORY = story()


def row(made: Report, head: str) -> Row:
    return next(one for one in rows(made) if one.head == head)


def test_the_recorded_story_as_last_seen() -> None:
    golden.check(markdown.render_markdown(shown(STORY)), GOLDEN / "story.md")


def test_a_refusal_as_last_seen() -> None:
    files = {**STORY, "recovered": evidence_of("argocd-rollback")}
    golden.check(markdown.render_refused(RefusedReport(reasons=refused(files))), GOLDEN / "refused.md")


def test_the_three_are_told_apart() -> None:
    made = shown(STORY)
    assert (made.kind, made.repairs_intent) == ("git-revert", "yes")
    assert made.good.tree == made.recovered.tree != made.bad.tree
    assert len({one.commit for one in made.three}) == 3
    for one in made.three:
        assert one.revisions == (f"{made.applications[0]}: Synced at {one.commit}",)
    [probe] = made.bad.probes
    assert probe.endswith(": Readiness probe failed: HTTP probe failed with statuscode: 404")
    assert made.good.probes == made.recovered.probes == ()
    assert [one.endpoints[0].partition(": ")[2] for one in made.three] == [
        "1 of 1 ready",
        "0 of 1 ready",
        "1 of 1 ready",
    ]
    assert "status 200, $.release is 1.1.0" in made.recovered.answers[0]
    assert "status 503" in made.bad.answers[0]


def test_the_times_are_those_of_operation_and_verdicts() -> None:
    made = shown(STORY)
    assert (made.time_to_detect.seconds, made.time_to_recover.seconds) == (12, 24)
    assert "first operation seen at the bad commit" in made.time_to_detect.measured


def test_without_an_operation_detection_is_measured_from_the_commit_and_else_from_the_first_look() -> None:
    never = altered(STORY, "bad", intended="b" * 40)
    record = commits(b=("2", (), "Bad"))
    raw = record.commits["b" * 40].model_copy(update={"committed_at": STORY["good"].verdict.at})
    known = GitFacts(record.model_copy(update={"commits": {"b" * 40: raw}}), {})
    assert "was committed" in shown(never, known).time_to_detect.measured
    unknown = shown(never, facts(record)).time_to_detect
    assert "when it was deployed is not known" in unknown.measured


def test_what_was_seen_and_not_judged_is_not_shown_as_an_answer() -> None:
    """The old Pods answered 200 beside the bad release: that is no result of it."""
    http = row(shown(story(ROLLING)), "HTTP result")
    good, bad, recovered = http.cells
    assert bad[0] == "pending: AwaitingReadiness"
    assert bad[1].startswith("seen, not judged: version by service-proxy")
    assert "status 200" in bad[1]
    assert not any("not judged" in line for line in (*good, *recovered))


def test_what_was_never_read_is_said() -> None:
    files = {**STORY, "bad": STORY["bad"].model_copy(update={"polls": ()})}
    made = shown(altered(files, "bad", layers=()), GitFacts(commits(), {}))
    assert row(made, "Sync revision").cells[1] == ("not judged", "no Application was read")
    assert row(made, "Endpoints").cells[1] == ("not judged", "no EndpointSlice was read")
    assert row(made, "HTTP result").cells[1] == ("not judged", "no answer is recorded")
    assert row(made, "Probe failures").cells[1] == ("none seen",)
    assert row(made, "Tree").cells[1] == ("not known",)
    assert "no operation seen at it" in row(made, "Times").cells[1]


def test_other_settings_are_said_and_not_refused() -> None:
    asked = STORY["bad"].asked.model_copy(update={"settings_digest": f"sha256:{'1' * 64}"})
    files = {**STORY, "bad": STORY["bad"].model_copy(update={"asked": asked})}
    assert any("judged by different settings" in note for note in shown(files).notes)
    assert not any("different settings" in note for note in shown(STORY).notes)


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (Reason.ROLLED_BACK, "rollback inside Argo CD"),
        (Reason.NOT_MENDED, "edit of the live objects by hand"),
        (Reason.PIN_MOVED_BACK, "pin moved back"),
    ],
)
def test_what_else_was_tried_on_the_way_is_told(reason: Reason, words: str) -> None:
    last = STORY["bad"].verdict.timeline[-1]
    turn = Transition(at=last.at, layer=Layer.SYNC, outcome=last.outcome, reason=reason)
    files = altered(STORY, "bad", timeline=(*STORY["bad"].verdict.timeline, turn))
    assert any(words in note and "evidence of the bad commit" in note for note in shown(files).notes)
    assert not any(words in note for note in shown(STORY).notes)


def test_an_application_that_was_made_anew_is_said() -> None:
    files = story()
    said = "The Applications are not the same objects in all three (metadata.uid)"
    assert not any(said in note for note in shown(files).notes)
    anew: Files = {**files, "good": of_another_uid(files["good"])}
    assert any(said in note for note in shown(anew).notes)


def test_nothing_is_said_about_data_and_no_rollback_is_recommended() -> None:
    text = markdown.render_markdown(shown(STORY))
    assert "Whether data was harmed is not looked at" in text
    assert "rollback" not in text.lower()


def test_json_is_the_same_for_the_same_files_and_keeps_its_keys() -> None:
    made = shown(STORY)
    told = json.loads(made.model_dump_json(by_alias=True))
    assert told["schema"] == "promotion-gate/report/v1"
    assert told["outcome"] == "recovered"
    assert set(told["relations"]) == {
        "good-to-bad", "bad-to-recovered", "good-to-recovered", "same-tree", "undone", "undone-by", "says-revert",
    }  # fmt: skip
    assert Report.model_validate_json(json.dumps(told)) == made
    assert shown(STORY) == made


def _with(text: str) -> Report:
    """A report in which every text that comes from outside is this one."""
    made = shown(STORY)
    told = {
        "subject": text, "message": text, "revisions": (text,), "health": (text,), "probes": (text,),
        "endpoints": (text,), "answers": (text,), "run": text, "run_url": text,
    }  # fmt: skip
    three: dict[str, Told] = {one.role: one.model_copy(update=told) for one in made.three}
    return made.model_copy(
        update={**three, "environment": text, "applications": (text,), "notes": (text,), "kind_message": text}
    )


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_stays_text(text: str) -> None:
    made = _with(text)
    rendered = markdown.render_markdown(made)
    assert_harmless(rendered, (), headings=1)
    [table] = table_lines(rendered)
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {5}
    taken_apart = Page(page.render_page(made))
    assert {tag for tag, _ in taken_apart.elements}.isdisjoint({"script", "img", "a", "form", "iframe"})
    reasons = RefusedReport(reasons=(text, text))
    assert_harmless(markdown.render_refused(reasons), (), headings=1)
    assert {tag for tag, _ in Page(page.render_refused(reasons)).elements}.isdisjoint({"script", "img", "a"})


def test_a_word_that_is_wider_than_a_phone_is_broken_wherever_it_stands() -> None:
    """The rule is inherited; only heads of tables and short times are kept on one line."""
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", STYLE)
    said = {place.strip(): what for place, what in rules if "overflow-wrap" in what}
    assert set(said) == {"body", "thead th, .evidence td:nth-child(n+4)"}
    assert "overflow-wrap: anywhere" in said["body"]


def test_the_page_is_whole_and_loads_nothing() -> None:
    text = page.render_page(shown(STORY))
    taken_apart = Page(text)
    assert "default-src &#x27;none&#x27;" in text
    assert [tag for tag, _ in taken_apart.elements if tag in ("script", "link", "img")] == []
    assert all(one["href"].startswith("https://github.com/acme/") for one in taken_apart.all_of("a") if one["href"])
    assert len(taken_apart.all_of("h1")) == 1
    for one in shown(STORY).three:
        assert one.commit in "".join(taken_apart.texts)
