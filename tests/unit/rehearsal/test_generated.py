"""From nothing: whatever the configuration, evidence that passes is made up from it, and nothing altered passes."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gate.config.model import Environment
from gate.errors import ConfigurationError, UsageError
from gate.outcomes import VerdictWord
from gate.rehearsal.conventions import Names, names
from gate.rehearsal.passing import decided, generate
from gate.rehearsal.plan import ENTRIES, MOST
from gate.rehearsal.results import Rehearsal
from tests.support.rehearsing import (
    VERSION,
    Json,
    altering_only,
    configurations,
    environment,
    rehearse_settings,
    rehearsed,
)
from tests.support.sampling import examples, sampled

CORE = (
    "previous-release-answers",
    "another-release-answers",
    "synced-but-degraded",
    "no-ready-endpoints",
    "comparison-of-another-commit",
    "comparison-stale",
    "old-pods-serving",
    "old-pods-draining",
    "image-digest-differs",
    "operation-failed",
    "operation-running",
    "out-of-sync",
    "pinned-to-another-commit",
    "pinned-to-a-branch",
    "generation-not-observed",
    "pin-moved-while-read",
    "pods-unreadable",
    "request-unreadable",
    "no-applications",
    "no-responses",
    "single-bundle",
    "application-replaced-between",
)
"""What applies to every configuration that can tell releases apart."""

SAMPLE = ("every-template", "opt-ins")
"""The configurations that `make test` rehearses."""

FIELDS = {
    "missing-application-field",
    "missing-deployment-field",
    "missing-replica-set-field",
    "missing-pod-field",
    "missing-service-field",
    "missing-endpoint-slice-field",
    "missing-response-field",
}


@pytest.mark.parametrize("name", sampled(configurations(), SAMPLE))
def test_unaltered_it_passes_and_nothing_altered_does(name: str) -> None:
    rehearsal = rehearsed(name)
    assert rehearsal.passed_unaltered, rehearsal.unaltered
    assert [(one.name, one.subject) for one in rehearsal.passing] == []
    assert rehearsal.advice == ()
    assert rehearsal.refuses
    check_shape(rehearsal)
    if name != "opt-ins":
        assert set(CORE) - {one.name for one in rehearsal.alterations} == set()


def check_shape(rehearsal: Rehearsal) -> None:
    """Each alteration of each subject once, tried or not; what was not tried says why."""
    tried = [(one.name, one.subject) for one in rehearsal.alterations]
    skipped = [(one.name, one.subject) for one in rehearsal.not_applicable]
    assert len({*tried, *skipped}) == len(tried) + len(skipped)
    assert all(one.why for one in rehearsal.not_applicable)
    assert rehearsal.not_tried == ()
    assert {one.group for one in rehearsal.alterations} >= FIELDS


def test_every_request_is_answered_by_another_release() -> None:
    with altering_only("previous-release-answers"):
        made = rehearse_settings(configurations()["ports"])
    assert [one.subject for one in made.alterations] == ["request phttp", "request p80", "request p9", "request other"]


def test_a_workload_that_is_not_managed_is_told_by_name_where_others_are() -> None:
    """Where it is the only one, that no workload is managed at all is told first."""
    with altering_only("expected-workload-not-managed"):
        (gone,) = rehearse_settings(configurations()["workloads"]).alterations
    assert (gone.failed_layer, gone.reason.value) == ("readiness", "ExpectedWorkloadAbsent")


def test_what_is_too_large_is_made_smaller_and_said() -> None:
    many = {"selector": {"match-labels": {"a": "b"}}, "minimum": 900}
    named = [{"name": f"app-{number}"} for number in range(60)]
    settings = environment(
        applications=[many, *named],
        workloads=[{"kind": "Deployment", "name": "web", "replicas": 70_000, "namespace": "orders"}],
    )
    passing = generate(settings, "staging")
    assert decided(passing).verdict.word is VerdictWord.PASSED
    assert len(passing.moments[0].applications) == MOST + ENTRIES - 1
    assert any("first 5 of 61" in note for note in passing.smaller)
    assert any("900" in note for note in passing.smaller)
    assert any("70000" in note for note in passing.smaller)


def test_what_cannot_pass_is_told_and_nothing_is_altered() -> None:
    """Two entries want different replicas of one Deployment, so that nothing can satisfy both."""
    twice = [
        {"kind": "Deployment", "name": "web", "replicas": 1},
        {"kind": "Deployment", "name": "web", "namespace": "orders", "replicas": 2},
    ]
    made = rehearse_settings(environment(workloads=twice))
    assert not made.passed_unaltered
    assert made.unaltered.reason.value == "ReplicasNotAsExpected"
    assert (made.alterations, made.not_applicable) == ((), ())
    assert not made.refuses


@pytest.mark.parametrize("expect", [{"regex": "(?=x){revision}a(?!a)b$c"}, {"json": {"$[?length(@.a)>3]": VERSION}}])
def test_an_expectation_that_nothing_made_up_satisfies_names_the_other_ways(expect: Json) -> None:
    settings = environment({"name": "odd", "service": "orders/web:http", "expect": expect})
    with pytest.raises(UsageError, match="request odd") as caught:
        generate(settings, "staging")
    assert "--from" in caught.value.change
    assert "contradict" not in caught.value.diagnostics()


@pytest.mark.parametrize(
    "expect",
    [
        {"json": {"$.a": "x"}, "body": "zz{revision}"},
        {"json": {"$.a": "x", "$.a.b": "{revision}"}},
        {"regex": "^a", "body": "zz{revision}"},
    ],
    ids=str,
)
def test_of_several_things_that_are_expected_one_may_rule_out_another(expect: Json) -> None:
    """Then no recording and no release will ever satisfy it."""
    settings = environment({"name": "odd", "service": "orders/web:http", "expect": expect})
    with pytest.raises(UsageError, match="request odd") as caught:
        generate(settings, "staging")
    assert caught.value.change.startswith("look first whether its keys and paths (json, regex, body) contradict")
    assert "--from" in caught.value.change


NAMES = st.from_regex(r"[a-z][a-z0-9-]{0,8}[a-z0-9]", fullmatch=True)
KEYS = st.from_regex(r"([a-z]{1,5}\.example/)?[A-Za-z][A-Za-z0-9_.-]{0,8}[a-z]", fullmatch=True).filter(
    lambda key: names(f"label:{key}") is not Names.SAME
)
TEMPLATES = st.one_of(
    st.sampled_from(["{revision}", "{short-revision}", "{tree}"]),
    st.builds("{{label:{}}}".format, KEYS.filter(lambda key: key != "pod-template-hash")),
    st.builds("{{annotation:{}}}".format, KEYS),
    st.builds("{{image.tag:{}}}".format, NAMES),
    st.builds("{{image.digest:{}}}".format, NAMES),
)
LITERALS = st.text("abc XYZ0.9_/:'<>\u00e9-", max_size=6)
TEXTS = st.builds("".join, st.tuples(LITERALS, TEMPLATES, LITERALS))
PATHS = st.lists(st.sampled_from([".a", ".b", "['c d']", "[0]", "[2]"]), min_size=1, max_size=4).map(
    lambda steps: "$" + "".join(steps)
)
EXPECTATIONS = st.one_of(
    st.builds(lambda path, text: {"json": {path: text}}, PATHS, TEXTS),
    st.builds(lambda text: {"body": text}, TEXTS),
    st.builds(lambda text: {"regex": f"(?:release|version):? {text}"}, TEMPLATES),
)
TARGETS = st.one_of(
    st.builds(
        lambda place, name, port: {"service": f"{place}/{name}:{port}"}, NAMES, NAMES, st.sampled_from(["h", "80"])
    ),
    st.builds(lambda place, name: {"url": "https://a.example", "workload": f"{place}/{name}"}, NAMES, NAMES),
)
REQUESTS = st.builds(
    lambda expect, target, samples: {"expect": expect, "samples": samples, **target},
    EXPECTATIONS,
    TARGETS,
    st.integers(1, 3),
)
APPLICATIONS = st.one_of(
    st.builds(
        lambda name, source: {"name": name, **source}, NAMES, st.sampled_from([{}, {"source": 1}, {"source": "x"}])
    ),
    st.builds(
        lambda key, minimum: {"selector": {"match-labels": {key: "yes"}}, "minimum": minimum}, KEYS, st.integers(1, 3)
    ),
)


def _made(requests: list[Json], applications: list[Json]) -> Environment | None:
    named = [{"name": f"r{number}", **one} for number, one in enumerate(requests)]
    try:
        return environment(*named, applications=applications)
    except ConfigurationError:
        return None  # twins


@given(st.lists(REQUESTS, min_size=1, max_size=3), st.lists(APPLICATIONS, min_size=1, max_size=3))
@settings(deadline=None, max_examples=examples(50))
def test_any_configuration_passes_unaltered(requests: list[Json], applications: list[Json]) -> None:
    made = _made(requests, applications)
    if made is not None:
        verdict = decided(generate(made, "staging")).verdict
        assert verdict.word is VerdictWord.PASSED, verdict.message


@given(st.lists(REQUESTS, min_size=1, max_size=1), st.just([{"name": "orders"}]))
@settings(deadline=None, max_examples=examples(4), suppress_health_check=[HealthCheck.too_slow])
def test_any_configuration_refuses_everything(requests: list[Json], applications: list[Json]) -> None:
    made = _made(requests, applications)
    if made is not None:
        rehearsal = rehearse_settings(made)
        assert rehearsal.refuses, (rehearsal.passing[:3], rehearsal.advice)
