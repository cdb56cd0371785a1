"""Requests that cannot tell releases apart make the rehearsal fail with advice; opt-ins are said, not hidden."""

from collections.abc import Iterator

import pytest

from gate.config.model import Allow
from gate.rehearsal.identity import OPT_INS
from tests.support.rehearsing import (
    VERSION,
    Json,
    altering_only,
    configurations,
    environment,
    rehearse_settings,
    rehearsed,
)

ANSWERS = ("previous-release-answers", "another-release-answers", "one-answer-of-previous-release")


@pytest.fixture(autouse=True)
def _answers_only() -> Iterator[None]:
    """What is altered beside answers, and one thing that is always refused, other tests try."""
    with altering_only(*ANSWERS, "old-pods-serving"):
        yield


ALLOW = {"allow": ["answers-without-identity"]}


def _one(expect: Json, **keys: object) -> Json:
    return {"name": "ping", "service": "orders/web:http", "expect": expect, **keys}


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        (_one({"status": 200}), f'expect: {{json: {{$.release: "{VERSION}"}}}}'),
        (_one({"json": {"$.status": "ok"}}), f'expect: {{json: {{$.release: "{VERSION}"}}}}'),
        (_one({"body": "ok"}), f"expect: {{regex: 'release {VERSION}'}}"),
        (_one({"regex": "healthy"}), f"expect: {{regex: 'release {VERSION}'}}"),
        (_one({"status": 204}), "ask with GET for a path whose answer names the release"),
        (_one({"status": 200}, method="HEAD"), "ask with GET for a path whose answer names the release"),
    ],
)
def test_the_same_answer_for_every_release_fails_with_an_example(request_: Json, told: str) -> None:
    made = rehearse_settings(environment(request_))
    assert not made.refuses
    assert not made.passed_unaltered
    assert made.unaltered.reason.value == "NoReleaseIdentity"
    assert made.alterations == ()
    (advice,) = made.advice
    assert advice.startswith("request ping cannot tell releases apart")
    assert told in advice


def test_only_the_request_that_cannot_is_named() -> None:
    good = {"name": "version", "service": "orders/web:http", "expect": {"body": "{revision}"}}
    made = rehearse_settings(environment(good, _one({"status": 200})))
    assert not made.refuses
    assert [advice.partition(" cannot")[0] for advice in made.advice] == ["request ping"]


@pytest.mark.parametrize(
    "regex", ["({revision}|healthy)", "(?:v{label:a}|v[0-9]+[.][0-9]+)", "(v)?(?(1){revision}|healthy)"]
)
def test_an_alternative_without_the_template_is_found(regex: str) -> None:
    """The judge takes the request for one with an identity, and lets the answer of another release pass."""
    made = rehearse_settings(environment(_one({"regex": regex})))
    assert made.passed_unaltered
    assert not made.refuses
    assert {one.name for one in made.passing} >= {"previous-release-answers", "another-release-answers"}
    (advice,) = made.advice
    assert "another release satisfies it too" in advice
    assert "no alternative" in advice


@pytest.mark.parametrize(
    ("regex", "passing"),
    [
        ("ok|{revision}", set(ANSWERS)),
        ("(?!{revision})v", set(ANSWERS)),
        ("rel [^{revision}]", set(ANSWERS)),
        ("(?x) release #{revision}", set(ANSWERS)),
        ("release(?#{revision})", set(ANSWERS)),
        ("[{image.tag:web}]+$", {"another-release-answers"}),
    ],
)
def test_the_very_same_answer_of_either_release_is_not_refused(regex: str, passing: set[str]) -> None:
    """What the other release answers is what was there before: altering it changes nothing, and it passes."""
    made = rehearse_settings(environment(_one({"regex": regex})))
    assert made.not_tried == ()
    assert {one.name for one in made.passing} == passing
    assert not made.refuses
    (advice,) = made.advice
    assert "another release satisfies it too" in advice


@pytest.mark.parametrize(
    "regex", [f"release ({VERSION})", rf"release {VERSION}\b", f"({VERSION})$", rf"^{VERSION}[^,]*"]
)
def test_a_release_with_a_longer_name_is_warned_of(regex: str) -> None:
    (warning,) = rehearse_settings(environment(_one({"regex": regex}))).warnings
    assert warning.startswith("request ping takes a release with a longer name for the intended one")


@pytest.mark.parametrize(
    "expect",
    [
        {"regex": f'"{VERSION}"'},
        {"regex": f"release {VERSION}"},
        {"regex": rf"release {VERSION}(\s|$)"},
        {"regex": "{short-revision}"},
        {"json": {"$.release": VERSION}},
    ],
)
def test_where_the_whole_name_is_asked_for_nothing_is_said(expect: Json) -> None:
    made = rehearse_settings(environment(_one(expect)))
    assert made.refuses
    assert made.warnings == ()


def test_alternatives_that_all_hold_the_template_are_no_hole() -> None:
    assert rehearse_settings(environment(_one({"regex": "({revision}|release {revision})"}))).refuses


@pytest.mark.parametrize("expect", [{"status": 200}, {"regex": "({revision}|healthy)"}])
def test_what_is_allowed_is_a_warning_with_what_the_verdict_rests_on(expect: Json) -> None:
    made = rehearse_settings(environment(_one(expect), policy=ALLOW))
    assert made.refuses
    assert made.advice == ()
    assert "request ping cannot tell releases apart" in made.warnings[0]
    assert "endpoints leading to the new ReplicaSet's Pods" in made.warnings[0]
    skipped = {one.name: one.why for one in made.not_applicable}
    assert "answers-without-identity" in skipped["previous-release-answers"]
    assert not {"previous-release-answers", "another-release-answers"} & {one.name for one in made.alterations}
    assert "old-pods-serving" in {one.name for one in made.alterations}


def test_the_opt_in_takes_nothing_from_a_request_that_can() -> None:
    made = rehearse_settings(environment(policy=ALLOW))
    assert made.refuses
    assert "previous-release-answers" in {one.name for one in made.alterations}
    assert not any("cannot tell" in warning for warning in made.warnings)


def test_every_opt_in_says_what_it_lets_pass() -> None:
    assert set(OPT_INS) == set(Allow)
    said = "\n".join(rehearsed("opt-ins").warnings)
    for allow in Allow:
        assert f"allow {allow.value}: {OPT_INS[allow]}" in said
    assert "no state of Rehearsal" in said


def test_without_opt_ins_nothing_is_said() -> None:
    assert rehearsed("data").warnings == ()
    assert configurations()["data"].policy.allow == ()


def test_no_request_at_all() -> None:
    settings = environment().model_copy(update={"requests": ()})
    made = rehearse_settings(settings)
    assert not made.refuses
    assert "no request is configured" in made.advice[0]
