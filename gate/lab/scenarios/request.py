"""Scenarios about answers: 200 is not enough."""

from gate.lab.scenarios.act import PASSED, Act, Expected, Scenario
from gate.lab.stage import INGRESS_REQUEST, Stage


def _wrong(stage: Stage) -> str:
    return stage.pin(stage.release("1.1.0", answer="1.0.0"))


def _server_error(stage: Stage) -> str:
    return stage.pin(stage.release("1.1.0", environment={"STATUS": "500"}))


def _routed(stage: Stage) -> str:
    stage.route()
    return stage.pin(stage.release("1.1.0"))


def _not_routed(stage: Stage) -> str:
    stage.take_route_away()
    return stage.pin(stage.release("1.2.0"))


WRONG_RELEASE = Scenario(
    "wrong-release",
    "everything is ready and answers 200, with the body of another release",
    (
        Act(
            "wrong-release",
            "The new Pod names the release before",
            _wrong,
            Expected("failed", "WrongRelease", "request", ("'1.0.0'", "'1.1.0'")),
        ),
    ),
)
SERVER_ERROR = Scenario(
    "server-error",
    "everything is ready, and every answer is 500",
    (
        Act(
            "server-error",
            "Every answer is 500",
            _server_error,
            Expected("failed", "ServerError", "request", ("500",)),
        ),
    ),
)
DEFAULT_BACKEND = Scenario(
    "default-backend",
    "asked as a user, by URL: without a rule for the release, the ingress answers 200 from its default backend",
    (
        Act("routed", "The ingress leads to the Service", _routed, PASSED),
        Act(
            "default-backend",
            "The ingress has lost its rule",
            _not_routed,
            Expected("failed", "WrongBody", "request", ("not JSON",)),
        ),
    ),
    settings={"requests": [INGRESS_REQUEST]},
)
