"""What the web program of the test releases answers, as its environment says."""

import json
from typing import Any

import pytest

from gate.lab.cluster.store import Object
from gate.lab.cluster.web import Program, answer_of

RUNNING: dict[str, Any] = {"running": {"startedAt": "2026-12-01T12:00:00Z"}}


def pod(state: Object = RUNNING, /, **environment: str) -> Object:
    variables = [{"name": name, "value": value} for name, value in environment.items()]
    return {
        "metadata": {"name": "orders-1"},
        "spec": {"containers": [{"name": "web", "env": variables}]},
        "status": {"containerStatuses": [{"name": "web", "state": state}]},
    }


def test_it_says_which_release_it_is_and_on_which_pod() -> None:
    answer = answer_of(pod(RELEASE="1.0.0"), "GET", "/version")
    assert answer is not None
    assert (answer.status, answer.headers) == (200, {"Content-Type": "application/json"})
    assert answer.body == b'{"pod":"orders-1","release":"1.0.0"}\n'


def test_it_can_name_another_release_or_answer_with_another_status() -> None:
    answer = answer_of(pod(RELEASE="1.1.0", ANSWER="1.0.0", STATUS="500"), "GET", "/version?x=1")
    assert answer is not None
    assert (answer.status, json.loads(answer.body)["release"]) == (500, "1.0.0")


@pytest.mark.parametrize(
    ("path", "status", "body"),
    [("/healthz", 200, b"ok\n"), ("/not-there", 404, b"404 page not found\n"), ("/", 404, b"404 page not found\n")],
)
def test_other_paths(path: str, status: int, body: bytes) -> None:
    answer = answer_of(pod(RELEASE="1.0.0", STATUS="500"), "GET", path)
    assert answer is not None
    assert (answer.status, answer.body) == (status, body)


def test_a_head_request_has_no_body() -> None:
    answer = answer_of(pod(), "HEAD", "/version")
    assert answer is not None
    assert (answer.status, answer.body) == (200, b"")


@pytest.mark.parametrize(
    "silent",
    [
        pod({"waiting": {"reason": "CrashLoopBackOff"}}),
        pod({"terminated": {"exitCode": 0}}),
        pod(EXIT="0", AFTER="60"),
        pod(STATUS="no number"),
        {"metadata": {"name": "orders-1"}, "spec": {"containers": [{"name": "web"}]}},
    ],
)
def test_nobody_listens_where_no_program_serves(silent: Object) -> None:
    assert answer_of(silent, "GET", "/version") is None


def test_nobody_listens_on_another_port() -> None:
    assert answer_of(pod(), "GET", "/version", port=8081) is None


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, (None, 0, 0)),
        ({"EXIT": "3", "AFTER": "2"}, (3, 2, 0)),
        ({"EXIT": "-1", "AFTER": "2"}, (None, 0, 0)),
        ({"LINGER": "8"}, (None, 0, 8)),
        ({"AFTER": "soon", "EXIT": "0"}, (1, 0, 0)),
    ],
)
def test_how_it_ends(environment: dict[str, str], expected: tuple[int | None, int, int]) -> None:
    program = Program.of(pod(**environment)["spec"]["containers"][0])
    assert (program.exit_code, program.after, program.linger) == expected
