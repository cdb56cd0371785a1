"""Labels and annotations that are the same in every release, and those of which nobody knows."""

from collections.abc import Iterator

import pytest

from tests.support.rehearsing import VERSION, Json, altering_only, environment, rehearse_settings

ANSWERS = ("previous-release-answers", "another-release-answers", "one-answer-of-previous-release")


@pytest.fixture(autouse=True)
def _answers_only() -> Iterator[None]:
    """What is altered beside answers other tests try."""
    with altering_only(*ANSWERS):
        yield


def _one(expect: Json, **keys: object) -> Json:
    return {"name": "ping", "service": "orders/web:http", "expect": expect, **keys}


SAME = "{label:app.kubernetes.io/name}"


@pytest.mark.parametrize(
    "expect",
    [
        {"json": {"$.app": SAME}},
        {"body": f"{SAME} of {{label:app.kubernetes.io/part-of}}"},
        {"json": {"$.a": "{label:app}"}},
        {"json": {"$.a": "{label:app}", "$.b": SAME}},
        {"regex": "hello from {label:app}"},
        {"body": "{label:app.kubernetes.io/instance}"},
        {"body": "{annotation:app.kubernetes.io/name}"},
        {"body": "{annotation:meta.helm.sh/release-name}"},
        {"body": "{label:tier}"},
        {"body": "{label:example.com/team}"},
        {"body": "{label:environment} by {annotation:owner}"},
    ],
    ids=str,
)
def test_a_label_that_names_the_application_tells_no_releases_apart(expect: Json) -> None:
    made = rehearse_settings(environment(_one(expect)))
    assert not made.refuses
    assert {one.name for one in made.passing} == set(ANSWERS)
    assert made.not_tried == ()
    assert made.warnings == ()
    (advice,) = made.advice
    assert "named after the application, its owner or its place, not a release" in advice
    assert "Expect what only the intended release says, for example" in advice
    assert VERSION in advice


def test_beside_one_that_names_the_release_it_does_no_harm() -> None:
    made = rehearse_settings(environment(_one({"json": {"$.app": SAME, "$.release": VERSION}})))
    assert made.refuses
    assert made.warnings == ()


def test_an_alternative_that_holds_no_other_template_is_a_hole() -> None:
    made = rehearse_settings(environment(_one({"regex": "(release {revision}|hello from {label:app})"})))
    assert {one.name for one in made.passing} >= {"previous-release-answers", "another-release-answers"}
    (advice,) = made.advice
    assert "another release satisfies it too" in advice
    assert "Let no alternative do without the template" in advice


@pytest.mark.parametrize(
    ("expect", "listed"),
    [
        ({"body": "{annotation:prometheus.io/port}"}, "{annotation:prometheus.io/port}"),
        ({"json": {"$.a": "{label:color}", "$.b": SAME, "$.c": "{label:b}"}}, "{label:b}, {label:color}"),
        ({"regex": "({revision}|painted {label:color})"}, "{label:color}"),
    ],
    ids=str,
)
def test_of_a_key_that_says_nothing_it_is_not_known_whether_it_changes(expect: Json, listed: str) -> None:
    """Evidence that is made up gives each release another value, and shows nothing of it."""
    made = rehearse_settings(environment(_one(expect)))
    assert made.refuses
    (warning,) = [one for one in made.warnings if "longer name" not in one]
    assert warning.startswith(f"request ping rests on {listed}: from nothing it is not known whether")
    assert "--live" in warning
    assert "--from" in warning


@pytest.mark.parametrize(
    "template",
    [
        "{revision}",
        "{short-revision}",
        "{tree}",
        "{image.tag:web}",
        "{image.digest:web}",
        VERSION,
        "{annotation:example.com/git-sha}",
    ],
)
@pytest.mark.parametrize("beside", [{}, {"$.color": "{label:color}", "$.app": "{label:app}"}])
def test_a_key_that_says_release_is_taken_at_its_word(template: str, beside: Json) -> None:
    made = rehearse_settings(environment(_one({"json": {"$.release": template, **beside}})))
    assert made.refuses
    assert made.warnings == ()


def test_it_is_not_known_either_where_nothing_could_be_altered() -> None:
    """Another request keeps the evidence from passing."""
    made = rehearse_settings(environment(_one({"status": 200}), _one({"body": "{label:color}"}, name="other")))
    assert not made.passed_unaltered
    assert [one.partition(":")[0] for one in made.warnings] == ["request other rests on {label"]
