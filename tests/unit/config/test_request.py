"""Requests and expectations: what each key takes, and the nearest thing that it must not take."""

from typing import Any

import pytest

from tests.unit.config.building import problem, request


@pytest.mark.parametrize(
    ("url", "path", "goes_to"),
    [
        ("https://a.b", None, "https://a.b/"),
        ("https://a.b/", "/version", "https://a.b/version"),
        ("https://a.b:8443", "/v?x=1", "https://a.b:8443/v?x=1"),
        ("https://a.b/version?x=1", None, "https://a.b/version?x=1"),
        ("http://[::1]:80", "/v", "http://[::1]:80/v"),
    ],
)
def test_a_url_and_its_path_are_one_address(url: str, path: str | None, goes_to: str) -> None:
    made = request(service=None, url=url, path=path, workload="orders/web").requests[0]
    assert made.full_url == goes_to


@pytest.mark.parametrize(
    ("expect", "identity"),
    [
        ({}, False),
        ({"status": 204}, False),
        ({"body": "ok"}, False),
        ({"body": "{{revision}}"}, False),
        ({"json": {"$.a": "b"}, "regex": "x"}, False),
        ({"body": "{revision}"}, True),
        ({"regex": "r {tree}"}, True),
        ({"json": {"$.a": "b", "$.c": "{image.tag:web}"}}, True),
    ],
)
def test_identity_is_at_least_one_template(expect: dict[str, Any], identity: bool) -> None:
    assert request(expect=expect).requests[0].expect.identity is identity


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"samples": 0}, "samples: must be at least 1"),
        ({"samples": 51}, "must be at most 50"),
        ({"samples": True}, "expected a whole number"),
        ({"samples": "3"}, "expected a whole number, found a text"),
        ({"samples": 3.0}, "samples"),
        ({"timeout": "0s"}, "must be at least 100ms"),
        ({"timeout": "6m"}, "must be at most 5m"),
        ({"method": "get"}, "did you mean GET?"),
        ({"method": "DELETE"}, "expected 'GET', 'HEAD' or 'POST'"),
        ({"name": ""}, "expected a name"),
        ({"name": "a b"}, "expected a name"),
        ({"service": "web:http"}, "expected namespace/service:port"),
        ({"service": None}, "exactly one of service"),
        ({"url": "https://a.b", "workload": "a/b"}, "exactly one of service"),
        ({"workload": "orders/web"}, "workload: workload goes with url"),
        ({"route": "external"}, "route: a service goes by route service-proxy or cluster"),
        ({"route": "exec"}, "expected 'service-proxy', 'cluster' or 'external'"),
        ({"service": None, "url": "https://a.b"}, "a url needs workload"),
        ({"service": None, "url": "https://a.b", "workload": "web"}, "namespace/name of a Deployment"),
        (
            {"service": None, "url": "https://a.b", "workload": "a/b", "route": "service-proxy"},
            "never by service-proxy",
        ),
        ({"service": None, "url": "https://a.b/c", "workload": "a/b", "path": "/d"}, "path: give the path once"),
        ({"service": None, "url": "https://u:p@a.b", "workload": "a/b"}, "credentials do not belong in a URL"),
        ({"path": "version"}, "a path starts with one slash"),
        ({"path": "/../api/v1/secrets"}, "no . or .. segments"),
        ({"ca-file": "ca.pem"}, "the kubeconfig says whom to trust"),
        ({"headers": {"Authorization": "TOKEN"}}, "the API server takes Authorization"),
        ({"headers": {"impersonate-User": "TOKEN"}}, "Impersonate-*"),
        ({"headers": {"X-A": "ONE", "x-a": "TWO"}}, "one header stands there twice"),
        ({"headers": {"Connection": "ONE"}}, "belongs to the connection"),
        ({"headers": {"X A": "ONE"}}, "the name of an HTTP header"),
        ({"headers": {"X-A": "INPUT_KUBECONFIG"}}, "is sent to nobody"),
        ({"headers": {"X-A": "GITHUB_TOKEN"}}, "is sent to nobody"),
        ({"headers": {"X-A": "ACTIONS_RUNTIME_TOKEN"}}, "is sent to nobody"),
        ({"headers": []}, "expected a mapping"),
    ],
)
def test_what_no_request_can_be(keys: dict[str, Any], said: str) -> None:
    assert said in problem(request, **keys)


@pytest.mark.parametrize(
    ("expect", "said"),
    [
        ({"status": 503}, "status: must be at most 499"),
        ({"status": 100}, "must be at least 200"),
        ({"status": "200"}, "expected a whole number, found a text"),
        ({"json": {}}, "json: must not be empty"),
        ({"json": {"release": "x"}}, "a JSONPath starts with $"),
        ({"json": {"$.": "x"}}, "not a JSONPath"),
        ({"json": {"$.a": ""}}, "must not be empty"),
        ({"json": {"$.a": True}}, "write it in quotes"),
        ({"json": {"$.a": 1.1}}, "write it in quotes"),
        ({"json": {"$.a": "{revison}"}}, "did you mean {revision}?"),
        ({"json": {"$.a": "{label}"}}, "needs a KEY"),
        ({"regex": ""}, "must not be empty"),
        ({"regex": "("}, "not a regular expression"),
        ({"regex": ".*"}, "every body"),
        ({"regex": "[0-9]{3}"}, "write {{ and }}"),
        ({"body": ""}, "must not be empty"),
        ({"body": '{"a": 1}'}, "write {{ and }}"),
        ({"stauts": 200}, "did you mean status?"),
        ("ok", "expected a mapping"),
    ],
)
def test_what_nobody_can_expect(expect: Any, said: str) -> None:
    assert said in problem(request, expect=expect)


@pytest.mark.parametrize("keys", [{"method": "HEAD"}, {"expect": {"status": 204, "body": "x"}}])
def test_an_answer_without_a_body_has_nothing_to_expect(keys: dict[str, Any]) -> None:
    assert "has no body" in problem(request, **keys)
    assert request(method="HEAD", expect={"status": 204}).requests[0].method == "HEAD"


SECRETS = [
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "AKIAIOSFODNN7EXAMPLE",
    "Bearer abc",
    "DEADBEEFDEADBEEF",
    "eyJhbGciOiJIUzI1NiJ9.e30.x",
    "hunter2",
    "A" * 101,
    "",
    "A-B",
    "_A",
    "A__B",
    "0ABC",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_header_value_is_a_name_and_never_repeated(secret: str) -> None:
    said = problem(request, route="cluster", headers={"Authorization": secret})
    assert "expected the NAME of an environment variable" in said
    assert secret == "" or secret not in said


def test_a_header_that_is_a_secret_is_not_repeated_either() -> None:
    said = problem(request, headers={"Authorization: Bearer hunter2": "TOKEN"})
    assert "headers[...]" in said
    assert "hunter2" not in said


@pytest.mark.parametrize("name", ["TOKEN", "SHOP_TOKEN", "A1", "X_2_Y"])
def test_names_of_variables(name: str) -> None:
    assert request(route="cluster", headers={"Authorization": name}).requests[0].headers == {"Authorization": name}
