"""Several Deployments, in one Application or in two of one namespace: what passes, and the nearest that does not."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.support import raw_workload as kube
from tests.support.bundles import OLD, Json, answers, changed, find, judge
from tests.support.several import (
    PASSED,
    Outcome,
    by_selector,
    expecting,
    named,
    outcome,
    second_application,
    second_deployment,
    settings,
)

TWO = second_application()
SELECTED = by_selector(TWO)
WORKER = second_deployment()


def test_web_and_worker_in_one_application_pass() -> None:
    assert outcome(WORKER) == PASSED
    assert outcome(expecting(WORKER, {"name": "web"}, {"name": "worker", "replicas": 1})) == PASSED
    assert outcome(second_deployment(replicas=2, strategy="Recreate", previous=False)) == PASSED


def _without(kind: str, name: str) -> Callable[[Json], None]:
    return lambda moment: moment["objects"].remove(named(moment, kind, name))


def _worker_status(**counters: Any) -> Callable[[Json], None]:
    return lambda moment: named(moment, "Deployment", "worker")["status"].update(counters)


def _worker_unready(moment: Json) -> None:
    for claim in named(moment, "Pod", "worker")["status"]["conditions"]:
        claim["status"] = "False"


def _old_worker(moment: Json) -> None:
    old = copy.deepcopy(named(moment, "Pod", "worker"))
    (owner,) = old["metadata"]["ownerReferences"]
    before = named(moment, "ReplicaSet", "worker")["metadata"]
    owner.update(name=before["name"], uid=before["uid"])
    old["metadata"].update(name="worker-old", uid="worker-old", labels={**before["labels"]})
    moment["objects"].append(old)


def _worker_behind_web(moment: Json) -> None:
    named(moment, "EndpointSlice", "web")["endpoints"].append(kube.endpoint(named(moment, "Pod", "worker")))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (_without("Deployment", "worker"), ("held", "WorkloadAbsent", "readiness", False)),
        (_without("Pod", "worker"), ("pending", "PodsNotReady", "readiness", False)),
        (_worker_unready, ("pending", "PodsNotReady", "readiness", False)),
        (_worker_status(readyReplicas=0, availableReplicas=0), ("pending", "RolloutInProgress", "readiness", False)),
        (_worker_status(observedGeneration=1), ("pending", "GenerationNotObserved", "readiness", False)),
        (_old_worker, ("pending", "OldPodsServing", "readiness", False)),
        (_worker_behind_web, ("held", "StrayEndpoint", "readiness", False)),
    ],
)
def test_a_worker_that_is_not_released_keeps_its_application_from_passing(
    change: Callable[[Json], None], expected: Outcome
) -> None:
    assert outcome(changed(WORKER, change)) == expected


@pytest.mark.parametrize(
    ("workload", "expected"),
    [
        ("web", PASSED),
        ("worker", ("held", "NoReadyEndpoints", "readiness", False)),
        ("nobody", ("held", "IdentityUnresolved", "request", False)),
    ],
)
def test_a_url_passes_for_the_deployment_that_a_service_leads_to(workload: str, expected: Outcome) -> None:
    def external(moment: Json) -> None:
        moment["responses"] = [{**one, "route": "external"} for one in moment["responses"]]

    made = changed(WORKER, external)
    (request,) = settings(made)["requests"]
    del request["service"]
    request.update(url="https://shop.example", workload=f"shop/{workload}")
    assert outcome(made) == expected


@pytest.mark.parametrize("raw", [TWO, SELECTED], ids=["named", "selected"])
def test_two_applications_in_one_namespace_pass_with_their_own_services(raw: Json) -> None:
    assert outcome(raw) == PASSED
    verdict = judge(raw)
    assert verdict.applications in (("argocd/shop", "argocd/cart"), ("argocd/cart", "argocd/shop"))
    readiness = verdict.layers[2].message
    assert "Deployment shop/web: 1 of 1" in readiness
    assert "Deployment shop/cart: 1 of 1" in readiness


def _endpoints_of_web(moment: Json) -> None:
    endpoints = named(moment, "EndpointSlice", "web")["endpoints"]
    named(moment, "EndpointSlice", "cart")["endpoints"] = copy.deepcopy(endpoints)


def _endpoints_of_both(moment: Json) -> None:
    endpoints = named(moment, "EndpointSlice", "web")["endpoints"]
    named(moment, "EndpointSlice", "cart")["endpoints"] += copy.deepcopy(endpoints)


def _no_endpoints(moment: Json) -> None:
    named(moment, "EndpointSlice", "cart")["endpoints"] = []


def _selects(**labels: str) -> Callable[[Json], None]:
    return lambda moment: named(moment, "Service", "cart")["spec"].update(selector=labels)


def _old_answer(moment: Json) -> None:
    (moment["responses"][-1],) = answers(OLD, seconds=0, samples=1, request="cart", at=moment["responses"][-1]["at"])


def _old_answers(moment: Json) -> None:
    body = answers(OLD, seconds=0)[0]["body"]
    moment["responses"] = [{**one, "body": body} if one["request"] == "cart" else one for one in moment["responses"]]


def _unanswered(moment: Json) -> None:
    moment["responses"] = [one for one in moment["responses"] if one["request"] != "cart"]


def _later_operation(moment: Json) -> None:
    """The second Application's operation ended in the second of the reads."""
    for key in ("applications", "applications-again"):
        status = moment[key][1]["status"]
        status["operationState"]["finishedAt"] = status["reconciledAt"] = moment["now"]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (_endpoints_of_web, ("held", "StrayEndpoint", "readiness", False)),
        (_endpoints_of_both, ("held", "StrayEndpoint", "readiness", False)),
        (_no_endpoints, ("held", "NoReadyEndpoints", "readiness", False)),
        (_selects(app="web"), ("held", "StrayEndpoint", "readiness", False)),
        (_selects(app="nobody"), ("held", "IdentityUnresolved", "request", False)),
        (_selects(), ("held", "IdentityUnresolved", "request", False)),
        (_without("Service", "cart"), ("held", "ServiceAbsent", "readiness", False)),
        (_without("EndpointSlice", "cart"), ("held", "NoReadyEndpoints", "readiness", False)),
        (_without("Deployment", "cart"), ("held", "WorkloadAbsent", "readiness", False)),
        (_old_answer, ("pending", "MixedAnswers", "request", False)),
        (_old_answers, ("failed", "WrongRelease", "request", True)),
        (_unanswered, ("held", "TooFewSamples", "request", False)),
        (_later_operation, ("pending", "ReadTooEarly", "readiness", False)),
    ],
)
def test_a_second_application_that_is_not_released_keeps_both_from_passing(
    change: Callable[[Json], None], expected: Outcome
) -> None:
    assert outcome(changed(TWO, change)) == expected


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize(
    ("key", "always", "at_the_end"),
    [
        ("applications", ("pending", "NotPinned", "intent", False), ("held", "PinMovedBack", "intent", False)),
        ("applications-again", ("pending", "BundleMoved", "sync", False), ("pending", "BundleMoved", "sync", False)),
    ],
)
def test_either_application_at_another_pin_keeps_both_from_passing(
    key: str, number: int, always: Outcome, at_the_end: Outcome
) -> None:
    def change(moment: Json) -> None:
        moment[key][number]["spec"]["source"]["targetRevision"] = OLD

    assert outcome(changed(TWO, change)) == always
    assert outcome(changed(TWO, change, polls=[1])) == at_the_end


@pytest.mark.parametrize("number", [0, 1])
def test_no_service_of_either_may_be_down(number: int) -> None:
    """Each in turn, requested or only managed."""

    def down(moment: Json) -> None:
        find(moment, "EndpointSlice", number)["endpoints"] = []

    asked_once = copy.deepcopy(TWO)
    del settings(asked_once)["requests"][number]
    assert outcome(asked_once) == PASSED
    for raw in (TWO, asked_once):
        assert outcome(changed(raw, down)) == ("held", "NoReadyEndpoints", "readiness", False)
