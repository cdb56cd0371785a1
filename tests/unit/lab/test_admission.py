"""What the API server's model does to a body: defaults, and refusals in the real one's words."""

from typing import Any

import pytest

from gate.lab.cluster.admission import BadBody, Invalid, admit
from gate.lab.cluster.kinds import KINDS
from gate.lab.cluster.store import NotFound, Object
from gate.lab.manifests import hook_job, stateful_release, web_release

_PORT_RULE = "must be between 1 and 65535, inclusive"
_DEPLOYMENT = 'Deployment.apps "web" is invalid'
_LABELS = '{"app":"web","app.kubernetes.io/version":"1.0.0"}'
_NO_MATCH = "`selector` does not match template `labels`"
_NOT_WITH_RECREATE = "may not be specified when strategy `type` is 'Recreate'"


def _service(**spec: Any) -> Object:
    body = web_release("web", "1.0.0")[0]
    return {**body, "spec": {**body["spec"], **spec}}


def _deployment(**spec: Any) -> Object:
    body = web_release("web", "1.0.0")[1]
    return {**body, "spec": {**body["spec"], **spec}}


def _message(body: Object, before: Object | None = None) -> str:
    with pytest.raises(Invalid) as caught:
        admit(body, before)
    assert all(cause.message in str(caught.value) and cause.field in str(caught.value) for cause in caught.value.causes)
    return str(caught.value)


def test_the_body_itself_stays_as_it_is() -> None:
    body = _deployment()
    admit(body)
    assert body == _deployment()


def test_admitting_twice_changes_nothing_more() -> None:
    for body in (_service(), _deployment(), hook_job("hook"), *stateful_release("web", "1.0.0")):
        first = admit(body)
        assert admit(first, first) == first


def test_a_service_keeps_the_address_that_it_was_given() -> None:
    first = admit(_service())
    assert first["spec"]["clusterIP"].startswith("10.96.")
    assert first["spec"]["clusterIPs"] == [first["spec"]["clusterIP"]]
    assert admit(_service(selector={}), first)["spec"]["clusterIP"] == first["spec"]["clusterIP"]
    other = _service()
    other["metadata"]["name"] = "other"
    assert admit(other)["spec"]["clusterIP"] != first["spec"]["clusterIP"]
    assert admit(_service(clusterIP="None"))["spec"]["clusterIP"] == "None"
    assert "may not change once set" in _message(_service(clusterIP="10.96.1.2"), first)


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        (None, {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}}),
        ({"type": "Recreate"}, {"type": "Recreate"}),
        (
            {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0}},
            {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": 0}},
        ),
    ],
)
def test_a_strategy_is_filled_in(strategy: Object | None, expected: Object) -> None:
    body = _deployment(strategy=strategy)
    if strategy is None:
        del body["spec"]["strategy"]
    assert admit(body)["spec"]["strategy"] == expected


def test_a_job_selects_its_own_pods_and_says_what_becomes_of_them() -> None:
    job = admit(hook_job("hook"))
    uid = job["metadata"]["uid"]
    assert job["spec"]["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}
    assert job["spec"]["template"]["metadata"]["labels"]["batch.kubernetes.io/controller-uid"] == uid
    silent = hook_job("hook")
    del silent["spec"]["template"]["spec"]["restartPolicy"]
    assert 'valid values: "OnFailure", "Never"' in _message(silent)


def test_a_secret_is_stored_encoded() -> None:
    body = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"a": "b"}}
    made = admit(body)
    assert (made["data"], made["type"], "stringData" in made) == ({"a": "Yg=="}, "Opaque", False)


def test_nobody_says_the_uid_version_or_status_of_a_new_object_but_of_what_has_no_status_subresource() -> None:
    given = {"uid": "mine", "resourceVersion": "7", "deletionTimestamp": "2026-01-01T00:00:00Z"}
    body = _deployment()
    made = admit({**body, "metadata": {**body["metadata"], **given}, "status": {"replicas": 3}})
    assert made["metadata"]["uid"] != "mine"
    assert not {"resourceVersion", "deletionTimestamp"} & made["metadata"].keys()
    assert made["status"] == {}
    application = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "a"}, "spec": {}}
    assert admit({**application, "status": {"sync": {}}})["status"] == {"sync": {}}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            _service(ports=[{"name": "http", "port": 70000, "targetPort": 8080}]),
            f'Service "web" is invalid: spec.ports[0].port: Invalid value: 70000: {_PORT_RULE}',
        ),
        (_service(ports=[]), 'Service "web" is invalid: spec.ports: Required value'),
        (
            _service(ports=[{"name": "a", "port": 1}, {"name": "a", "port": 2}]),
            'Service "web" is invalid: spec.ports[1].name: Duplicate value: "a"',
        ),
        (
            _deployment(selector={"matchLabels": {"app": "other"}}),
            f"{_DEPLOYMENT}: spec.template.metadata.labels: Invalid value: {_LABELS}: {_NO_MATCH}",
        ),
        (
            _deployment(replicas=-1),
            'Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
        ),
        (
            _deployment(strategy={"type": "Recreate", "rollingUpdate": {}}),
            f"{_DEPLOYMENT}: spec.strategy.rollingUpdate: Forbidden: {_NOT_WITH_RECREATE}",
        ),
    ],
)
def test_what_is_wrong_is_said_as_the_api_server_says_it(body: Object, message: str) -> None:
    assert _message(body) == message


@pytest.mark.parametrize("port", [1, 65535])
def test_the_outermost_ports_are_ports(port: int) -> None:
    assert admit(_service(ports=[{"port": port}]))["spec"]["ports"][0]["targetPort"] == port


@pytest.mark.parametrize("port", [0, 65536, "80", None])
def test_nothing_else_is_a_port(port: Any) -> None:
    assert "must be between 1 and 65535, inclusive" in _message(_service(ports=[{"port": port, "targetPort": 1}]))


def test_what_may_not_change_does_not() -> None:
    before = admit(_deployment())
    after = _deployment(selector={"matchLabels": {"app.kubernetes.io/version": "1.0.0"}})
    assert _message(after, before) == (
        'Deployment.apps "web" is invalid: spec.selector: Invalid value: '
        '{"matchLabels":{"app.kubernetes.io/version":"1.0.0"}}: field is immutable'
    )
    stateful = admit(stateful_release("web", "1.0.0")[1])
    renamed = {**stateful, "spec": {**stateful["spec"], "serviceName": "other"}}
    assert "updates to statefulset spec for fields other than 'replicas'" in _message(renamed, stateful)
    grown = {**stateful, "spec": {**stateful["spec"], "replicas": 3}}
    assert admit(grown, stateful)["spec"]["replicas"] == 3


@pytest.mark.parametrize(
    "body",
    [
        _deployment(replicas="two"),
        _deployment(template="none"),
        _deployment(template={"spec": {"containers": "many"}}),
        _deployment(template={"spec": {"containers": [7]}}),
        _service(ports=[7]),
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}},
    ],
)
def test_a_body_of_another_form_is_refused_and_nothing_else_happens(body: Object) -> None:
    with pytest.raises(BadBody, match=f"cannot be handled as a {body['kind']}"):
        admit(body)


def test_a_kind_that_is_not_served_is_not_found() -> None:
    assert "Rollout" not in KINDS
    for body in ({"kind": "Rollout", "apiVersion": "argoproj.io/v1alpha1"}, {"kind": "Deployment", "apiVersion": "v1"}):
        with pytest.raises(NotFound, match="no matches for kind"):
            admit({**body, "metadata": {"name": "a"}})
