"""Warnings about configurations that are valid and will probably disappoint."""

import copy

from gate.config.advice import advise
from gate.config.load import parse_configuration
from gate.config.model import Configuration
from tests.unit.config.building import DATA, WHERE, load


def _with(**keys: object) -> Configuration:
    data = copy.deepcopy(DATA)
    data["environments"]["staging"].update({key.replace("_", "-"): value for key, value in keys.items()})
    return parse_configuration(data, WHERE)


def test_a_sound_configuration_is_left_alone() -> None:
    assert advise(load()) == ()


def test_an_environment_that_is_elsewhere_is_named() -> None:
    assert advise(_with(promotes_to="production")) == (
        "environment staging: promotes-to names production, which is not in this file.",
    )


def test_an_environment_without_requests_cannot_pass() -> None:
    data = copy.deepcopy(DATA)
    del data["environments"]["staging"]["requests"]
    (said,) = advise(parse_configuration(data, WHERE))
    assert "NoRequest" in said


def test_a_request_without_identity_cannot_pass_unless_allowed() -> None:
    requests = [{"name": "alive", "service": "orders/web:http"}]
    (said,) = advise(_with(requests=requests))
    assert "request alive" in said
    assert "NoReleaseIdentity" in said
    assert advise(_with(requests=requests, policy={"allow": ["answers-without-identity"]})) == ()
