"""The models: what each key takes, and the nearest thing that it must not take."""

from datetime import timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from gate.config.addresses import ServiceAddress, WorkloadAddress
from gate.config.model import Allow, Configuration, Policy, Request
from gate.config.targets import ApplicationTarget, Pin
from gate.config.templates import Template
from tests.unit.config.building import load, problem, staging


def test_the_right_text_is_read_whole() -> None:
    read = load().environments["staging"]
    assert read.promotes_to == "production"
    assert read.cluster.context == "staging"
    assert read.argocd.namespace == "argocd"
    assert [one.name for one in read.applications] == ["orders", None]
    assert read.applications[0].pin == Pin(file="apps/staging/orders.yaml")
    assert read.applications[1].selector is not None
    assert read.applications[1].selector.match_labels == {"team": "shop"}
    assert read.applications[1].minimum == 3
    assert read.workloads[0].replicas == 1
    assert read.timeout == timedelta(minutes=15)
    assert read.policy == Policy(allow=(Allow.REFRESH,))
    assert read.policy.allows(Allow.REFRESH)
    assert not read.policy.allows(Allow.ANSWERS_WITHOUT_IDENTITY)


def test_requests_have_parts_routes_and_defaults() -> None:
    first, second = load().environments["staging"].requests
    assert first.service is not None
    assert (first.service.namespace, first.service.name, first.service.port) == ("orders", "web", "http")
    assert (first.by_route, first.samples, first.timeout) == ("service-proxy", 5, timedelta(seconds=5))
    assert first.full_url is None
    assert first.expect.json_values == {"$.release": "{label:app.kubernetes.io/version}"}
    assert first.expect.templates == (Template("label", "app.kubernetes.io/version"),)
    assert second.by_route == "external"
    assert second.workload == "orders/web"
    assert second.headers == {"Authorization": "SHOP_TOKEN"}


def test_models_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        load().environments["staging"].timeout = timedelta(days=1)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"applications": []}, "applications: must not be empty"),
        ({"applications": {}}, "expected a list, found a mapping"),
        ({"applications": [{}]}, "exactly one of name and selector"),
        (
            {"applications": [{"name": "a", "selector": {"matchLabels": {"a": "b"}}, "minimum": 1}]},
            "exactly one of name",
        ),
        ({"applications": [{"selector": {}, "minimum": 1}]}, "match-labels: required"),
        ({"applications": [{"selector": {"matchLabels": {}}, "minimum": 1}]}, "must not be empty"),
        ({"applications": [{"selector": {"matchLabels": {"a": "b"}}}]}, "a selector needs minimum"),
        ({"applications": [{"selector": {"matchLabels": {"a": "b"}}, "minimum": 0}]}, "must be at least 1"),
        ({"applications": [{"selector": {"matchLabels": {"a b": "c"}}, "minimum": 1}]}, "expected a key"),
        ({"applications": [{"selector": {"matchLabels": {"a": "b c"}}, "minimum": 1}]}, "the value of a label"),
        (
            {"applications": [{"selector": {"matchLabels": {"a": "b"}, "match-labels": {"a": "b"}}, "minimum": 1}]},
            "matchLabels: unknown key; did you mean match-labels?",
        ),
        ({"applications": [{"name": "a", "minimum": 1}]}, "minimum goes with selector"),
        ({"applications": [{"name": "A"}]}, "expected a Kubernetes name"),
        ({"applications": [{"name": "a", "source": -1}]}, "index of a source"),
        ({"applications": [{"name": "a", "source": True}]}, "index of a source"),
        ({"applications": [{"name": "a", "source": ""}]}, "index of a source"),
        ({"applications": [{"name": "a", "pin": {}}]}, "pin.file: required"),
        ({"applications": [{"name": "a", "pin": {"file": "../x"}}]}, "without .."),
        ({"applications": [{"name": "a", "pin": {"file": "/x"}}]}, "relative to the root"),
        ({"applications": [{"name": "a", "pin": {"file": "a/../x"}}]}, "without .."),
        ({"applications": [{"name": "a", "pin": {"file": "a/"}}]}, "the path of a file"),
        ({"applications": [{"name": "a", "source": 0, "pin": {"file": "x", "source": 1}}]}, "differs from source"),
        ({"applications": [{"name": "a"}, {"name": "a"}]}, "applications[1]: the same as number 1"),
        ({"applications": [{"name": "a"}, {"name": "a", "namespace": "argocd"}]}, "argocd/a"),
        ({"workloads": []}, "workloads: must not be empty"),
        ({"workloads": [{"kind": "StatefulSet", "name": "a"}]}, "expected 'Deployment'"),
        ({"workloads": [{"kind": "Deployment", "name": "a", "replicas": 0}]}, "must be at least 1"),
        ({"workloads": [{"kind": "Deployment", "name": "a"}] * 2}, "workloads[1]: the same as number 1"),
        ({"requests": []}, "requests: must not be empty"),
        ({"timeout": "1s"}, "timeout: must be at least 2s"),
        ({"timeout": "5s"}, "timeout: must be longer than policy.settle"),
        ({"timeout": "25h"}, "between 0s and 24h"),
        ({"policy": {"settle": "999ms"}}, "settle: must be at least 1s"),
        ({"policy": {"settle": 0}}, "settle: must be at least 1s"),
        ({"policy": {"allow": "refresh"}}, "expected a list, found a text"),
        ({"policy": {"allow": ["refersh"]}}, "did you mean refresh?"),
        ({"policy": {"allow": ["refresh", "refresh"]}}, "allow[1]: the same as number 1"),
        ({"policy": {"unjudged-kinds": ["Deployment"]}}, "cannot be left unjudged"),
        ({"policy": {"unjudged-kinds": ["batch/CronJob"]}}, "without a group"),
        ({"cluster": {"context": ""}}, "one line of text"),
        ({"cluster": {"contxt": "a"}}, "did you mean context?"),
        ({"argocd": {"namespace": "a.b"}}, "expected a namespace"),
        ({"promotes-to": "a b"}, "expected a name"),
    ],
)
def test_what_no_environment_can_be(keys: dict[str, Any], said: str) -> None:
    assert said in problem(staging, **keys)


def test_the_same_request_twice_is_refused() -> None:
    one = {"name": "version", "service": "orders/web:http"}
    assert "requests[1]: the same as number 1" in problem(staging, requests=[one, {**one, "path": "/x"}])
    assert len(staging(requests=[one, {**one, "name": "other"}]).requests) == 2


def test_applications_of_one_name_in_two_namespaces_are_two() -> None:
    assert len(staging(applications=[{"name": "a"}, {"name": "a", "namespace": "other"}]).applications) == 2


def test_selectors_are_the_same_whatever_the_order_of_labels() -> None:
    first = {"selector": {"matchLabels": {"a": "1", "b": "2"}}, "minimum": 1}
    second = {"selector": {"match-labels": {"b": "2", "a": "1"}}, "minimum": 2}
    assert "applications[1]: the same as number 1" in problem(staging, applications=[first, second])


def test_a_source_beside_the_pin_is_the_applications_source() -> None:
    made = staging(applications=[{"name": "a", "pin": {"file": "x", "source": "manifests"}}])
    assert made.applications[0].source == "manifests"
    assert ApplicationTarget(name="a", pin=Pin(file="x", source=1)).source == 1


def test_empty_lists_of_opt_ins_are_the_default() -> None:
    assert staging(policy={"allow": [], "unjudged-kinds": []}).policy == Policy()
    assert staging(policy={"unjudged-kinds": ["CronJob"]}).policy.unjudged_kinds == ("CronJob",)


def _environments(**promotes: str | None) -> dict[str, Any]:
    return {
        name: {"applications": [{"name": "a"}], **({} if target is None else {"promotes-to": target})}
        for name, target in promotes.items()
    }


@pytest.mark.parametrize(
    ("promotes", "said"),
    [
        ({"a": "a"}, "a -> a"),
        ({"a": "b", "b": "a"}, "a -> b -> a"),
        ({"a": "b", "b": "c", "c": "b"}, "b -> c -> b"),
    ],
)
def test_promotion_in_a_circle_is_refused(promotes: dict[str, str | None], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Configuration.model_validate({"version": 1, "environments": _environments(**promotes)})


def test_promotion_in_a_line_is_not() -> None:
    made = Configuration.model_validate({"version": 1, "environments": _environments(a="c", b="c", c=None)})
    assert made.environments["a"].promotes_to == "c"


def test_environments_differ_in_more_than_upper_and_lower_case() -> None:
    with pytest.raises(ValidationError, match="differs from staging"):
        Configuration.model_validate({"version": 1, "environments": _environments(staging=None, Staging=None)})


def test_models_are_made_by_their_python_names_too() -> None:
    made = Request(name="a", service=ServiceAddress("a/b:http"), ca_file=None)
    assert made.by_route == "service-proxy"
    external = Request(name="a", url="https://a.b", workload=WorkloadAddress("a/b"))
    assert external.by_route == "external"


def test_an_error_of_the_models_does_not_repeat_values() -> None:
    with pytest.raises(ValidationError) as caught:
        Configuration.model_validate({"version": 1, "environments": "hunter2"})
    assert "hunter2" not in str(caught.value)
