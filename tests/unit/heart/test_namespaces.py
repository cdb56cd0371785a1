"""Services lead to Pods of their own namespace only, whatever labels there are in others."""

from tests.support.bundles import Json, both, changed, find, recording
from tests.support.namespaces import deployed_twice
from tests.support.raw_application import NAMESPACE
from tests.support.several import PASSED, outcome


def test_one_application_in_two_namespaces_passes() -> None:
    assert outcome(changed(recording(), deployed_twice)) == PASSED


def test_and_each_of_them_needs_its_own_endpoints() -> None:
    def no_endpoints(moment: Json) -> None:
        deployed_twice(moment)
        find(moment, "EndpointSlice", 1)["endpoints"] = []

    assert outcome(changed(recording(), no_endpoints))[1] == "NoReadyEndpoints"


def _asked_by_url(moment: Json) -> None:
    for response in moment["responses"]:
        response["route"] = "external"


def _service_elsewhere(moment: Json) -> None:
    """Only in the other namespace is there a Service; it selects by the same labels."""
    deployed_twice(moment)
    for app in both(moment):
        status = app["status"]
        for part in (status, status["operationState"]["syncResult"]):
            part["resources"] = [
                one for one in part["resources"] if (one["kind"], one["namespace"]) != ("Service", NAMESPACE)
            ]


def test_a_service_of_another_namespace_leads_nobody_to_a_workload() -> None:
    raw = recording()
    request = raw["config"]["environments"]["staging"]["requests"][0]
    del request["service"], request["path"]
    request |= {"url": "https://shop.example/version", "workload": f"{NAMESPACE}/web"}
    assert outcome(changed(changed(raw, deployed_twice), _asked_by_url)) == PASSED
    assert outcome(changed(changed(raw, _service_elsewhere), _asked_by_url))[1] == "NoReadyEndpoints"
