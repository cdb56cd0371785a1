"""Several Applications: what is expected of them together, and whom a selector must have seen."""

import pytest

from tests.support.bundles import OLD, Json, changed
from tests.support.several import (
    LABELS,
    PASSED,
    Outcome,
    add_third,
    by_selector,
    expecting,
    outcome,
    second_application,
    settings,
)

TWO = second_application()
SELECTED = by_selector(TWO)

ABSENT = ("held", "ExpectedWorkloadAbsent", "readiness", False)
BOTH = {"named": TWO, "selected": SELECTED}


@pytest.mark.parametrize("how", BOTH)
@pytest.mark.parametrize(
    "workloads",
    [
        [{"name": "web"}],
        [{"name": "cart"}],
        [{"name": "web", "namespace": "shop", "replicas": 1}, {"name": "cart", "namespace": "shop", "replicas": 1}],
    ],
)
def test_one_application_that_brings_an_expected_deployment_is_enough(how: str, workloads: list[Json]) -> None:
    assert outcome(expecting(BOTH[how], *workloads)) == PASSED


@pytest.mark.parametrize("how", BOTH)
@pytest.mark.parametrize(
    ("workloads", "expected"),
    [
        ([{"name": "gone"}], ABSENT),
        ([{"name": "web"}, {"name": "gone"}], ABSENT),
        ([{"name": "web-6d4cf56db"}], ABSENT),
        ([{"name": "cart", "namespace": "elsewhere"}], ABSENT),
        ([{"name": "cart", "replicas": 2}], ("held", "ReplicasNotAsExpected", "readiness", False)),
    ],
)
def test_an_expected_deployment_that_no_application_brings_is_held(
    how: str, workloads: list[Json], expected: Outcome
) -> None:
    assert outcome(expecting(BOTH[how], *workloads)) == expected


def test_an_expected_deployment_that_lives_and_is_not_managed_is_held() -> None:
    one = by_selector(TWO, minimum=1)
    settings(one)["requests"].pop()

    def unmanaged(moment: Json) -> None:
        for key in ("applications", "applications-again"):
            del moment[key][1]

    assert outcome(expecting(one, {"name": "cart"})) == PASSED
    assert outcome(expecting(changed(one, unmanaged), {"name": "web"})) == PASSED
    assert outcome(expecting(changed(one, unmanaged), {"name": "cart"})) == ABSENT


def unreadable(raw: Json, what: str, status: int | None, polls: list[int] | None = None) -> Json:
    """The recording with a read that failed."""
    read = {"what": what, "error": "refused", "status": status}
    return changed(raw, lambda moment: moment.update(unreadable=[read]), polls=polls)


@pytest.mark.parametrize("polls", [[0, 1], [1]])
@pytest.mark.parametrize(
    "what", ["Application argocd/third", "Application argocd/", "Application argocd", "Application"]
)
@pytest.mark.parametrize(("status", "reason"), [(None, "EvidenceUnreadable"), (403, "AccessDenied")])
def test_a_selector_does_not_pass_beside_an_application_that_nobody_could_read(
    status: int | None, reason: str, what: str, polls: list[int]
) -> None:
    """Its labels are unknown, so that it may be one of those that must be released."""
    assert outcome(unreadable(SELECTED, what, status, polls)) == ("held", reason, "intent", False)


@pytest.mark.parametrize("raw", [TWO, SELECTED], ids=["named", "selected"])
def test_an_unreadable_application_of_another_namespace_is_none_of_ours(raw: Json) -> None:
    assert outcome(unreadable(raw, "Application elsewhere/third", None)) == PASSED


def test_an_unreadable_application_is_none_of_ours_where_all_are_named() -> None:
    assert outcome(unreadable(TWO, "Application argocd/third", None)) == PASSED
    assert outcome(unreadable(TWO, "Application argocd/cart", None))[0] == "held"


OTHER = {"team": "another"}


@pytest.mark.parametrize("polls", [[0, 1], [1]])
@pytest.mark.parametrize(
    ("first", "again", "expected"),
    [
        (None, LABELS, ("held", "ApplicationAbsent", "intent", False)),
        (LABELS, None, ("held", "EvidenceMissing", "sync", False)),
    ],
)
def test_an_application_seen_in_one_of_both_reads_only_keeps_a_selector_from_passing(
    first: Json | None, again: Json | None, expected: Outcome, polls: list[int]
) -> None:
    assert outcome(changed(SELECTED, lambda moment: add_third(moment, first=first, again=again), polls=polls)) == (
        expected
    )


@pytest.mark.parametrize(
    ("first", "again"), [(LABELS, LABELS), (OTHER, OTHER), (None, OTHER), (OTHER, None), (None, None)]
)
def test_a_further_application_in_both_reads_or_with_other_labels_passes(
    first: Json | None, again: Json | None
) -> None:
    assert outcome(changed(SELECTED, lambda moment: add_third(moment, first=first, again=again))) == PASSED


@pytest.mark.parametrize("key", ["applications", "applications-again"])
@pytest.mark.parametrize(("labels", "expected"), [(LABELS, False), (OTHER, True)])
def test_labels_in_either_read_make_an_unpinned_application_count(key: str, labels: Json, *, expected: bool) -> None:
    def change(moment: Json) -> None:
        add_third(moment, first=OTHER, again=OTHER)
        moment[key][2]["metadata"]["labels"] = dict(labels)
        for one in ("applications", "applications-again"):
            moment[one][2]["spec"]["source"]["targetRevision"] = OLD

    assert (outcome(changed(SELECTED, change)) == PASSED) is expected


def test_fewer_applications_than_a_selector_must_find_do_not_pass() -> None:
    assert outcome(by_selector(TWO, minimum=3)) == ("held", "ApplicationAbsent", "intent", False)
