"""A configuration that is right in everything, as text and as data, to be spoilt by one thing at a time."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from gate.config.load import load_configuration, parse_configuration
from gate.config.model import Configuration, Environment
from gate.errors import ConfigurationError

WHERE = "promotion-gate.yaml"
TEXT = """\
version: 1
environments:
  staging:
    promotes-to: production
    cluster: {context: staging}
    applications:
      - name: orders
        pin: {file: apps/staging/orders.yaml}
      - selector: {match-labels: {team: shop}}
        minimum: 3
    workloads:
      - {kind: Deployment, name: web, replicas: 1}
    requests:
      - name: version
        service: orders/web:http
        path: /version
        expect:
          json:
            $.release: "{label:app.kubernetes.io/version}"
        samples: 5
      - name: as-a-user
        url: https://shop.example.org/version
        workload: orders/web
        headers: {Authorization: SHOP_TOKEN}
        expect: {regex: "release {image.tag:web}"}
    timeout: 15m
    policy: {settle: 5s, degraded-grace: 60s, allow: [refresh]}
  production:
    applications: [{name: orders, source: 0}]
    requests:
      - {name: version, service: "orders/web:8080", route: cluster, expect: {body: "{revision}"}}
"""
DATA: dict[str, Any] = {
    "version": 1,
    "environments": {
        "staging": {
            "applications": [{"name": "orders"}],
            "requests": [{"name": "version", "service": "orders/web:http", "expect": {"body": "{revision}"}}],
        }
    },
}


def load(text: str = TEXT) -> Configuration:
    return load_configuration(text, WHERE)


def refused(text: str) -> str:
    """What the error of a text says that must be refused."""
    with pytest.raises(ConfigurationError) as caught:
        load_configuration(text, WHERE)
    return caught.value.diagnostics()


def changed(old: str, new: str) -> str:
    """The right text with one thing replaced, which must be there exactly once."""
    assert TEXT.count(old) == 1, old
    return TEXT.replace(old, new)


def attempt(call: Callable[..., Any], *arguments: object, refusal: type[Exception]) -> Any:
    """What the call returns, or the refusal it raises; any other error fails the test."""
    try:
        return call(*arguments)
    except refusal as error:
        return error


def staging(**keys: Any) -> Environment:
    """The environment of DATA with other keys; raises ConfigurationError."""
    data = copy.deepcopy(DATA)
    data["environments"]["staging"].update({key.replace("_", "-"): value for key, value in keys.items()})
    return parse_configuration(data, WHERE).environments["staging"]


def request(**keys: Any) -> Environment:
    """The environment of DATA with other keys in its one request; a key of None is left out."""
    one = {**DATA["environments"]["staging"]["requests"][0], **{key.replace("_", "-"): v for key, v in keys.items()}}
    return staging(requests=[{key: value for key, value in one.items() if value is not None}])


def problem(build: Any, **keys: Any) -> str:
    """What the error says when ``build`` must refuse these keys."""
    with pytest.raises(ConfigurationError) as caught:
        build(**keys)
    return caught.value.happened
