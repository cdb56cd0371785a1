"""By what in an answer a first configuration tells releases apart, and what is never taken for it."""

from typing import Any

import pytest

from gate.app.init.identity import find_identity, telling_values
from gate.app.init.text import scalar
from gate.facts.release import Release
from gate.facts.workload import Deployment, ReplicaSet

LABEL = "label:app.kubernetes.io/version"
SHA = "a" * 40


def _template(version: str, image: str) -> dict[str, Any]:
    labels = {"app": "web", "app.kubernetes.io/version": version, "tier": "front"}
    return {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": image}]}}


def _metadata(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "namespace": "orders",
        "uid": name,
        "generation": 1,
        "creationTimestamp": "2026-01-01T00:00:00Z",
    }


def _release(version: str, image: str, *earlier: tuple[str, str]) -> Release:
    raw = {"metadata": _metadata("web"), "spec": {"replicas": 1, "template": _template(version, image)}}
    sets = [
        ReplicaSet.model_validate({"metadata": _metadata(f"web-{index}"), "spec": {"template": _template(*one)}})
        for index, one in enumerate(earlier)
    ]
    return Release("Deployment orders/web", Deployment.model_validate(raw), None, tuple(sets), (), ())


def test_labels_that_are_the_same_for_ever_are_not_offered() -> None:
    values = telling_values(_release("2.0.0", "shop/web:2.0.0"), SHA)
    assert list(values) == [LABEL, "revision", "short-revision", "image.tag:web"]


def test_a_moving_tag_tells_nothing() -> None:
    assert "image.tag:web" not in telling_values(_release("2.0.0", "shop/web:latest"), SHA)


def test_what_an_earlier_release_said_too_tells_nothing() -> None:
    assert LABEL not in telling_values(_release("main", "web:2", ("main", "web:1")), SHA)
    assert LABEL in telling_values(_release("2.0.0", "web:2", ("1.0.0", "web:1")), SHA)
    assert LABEL in telling_values(_release("2.0.0", "web:2", ("2.0.0", "web:2")), SHA), "another setting, same images"


VALUES = {LABEL: "2.0.0", "revision": SHA, "image.tag:web": "v2"}


@pytest.mark.parametrize(
    ("body", "expect"),
    [
        ('{"release": "2.0.0"}', {"json": {"$.release": f"{{{LABEL}}}"}}),
        ('{"a": {"b": "2.0.0"}, "release": "2.0.0"}', {"json": {"$.release": f"{{{LABEL}}}"}}),
        (f'{{"build": {{"git-sha": "{SHA}"}}}}', {"json": {"$.build['git-sha']": "{revision}"}}),
        ("web 2.0.0 is up", {"regex": f"{{{LABEL}}}"}),
        ('{"text": "web 2.0.0 is up"}', {"regex": f"{{{LABEL}}}"}),
        ('{"tag": "v2"}', {"json": {"$.tag": "{image.tag:web}"}}),
        ("web 2.0.01", None),
        ("tag v2", None),  # too short to be found by chance in a text
        ('{"release": "1.0.0"}', None),
        ('{"release": 2}', None),
        ("", None),
        ("[" * 100_000, None),
    ],
)  # fmt: skip
def test_what_is_expected_of_an_answer(body: str, expect: dict[str, Any] | None) -> None:
    told = find_identity(body, VALUES)
    assert (None if told is None else dict(told.expect)) == expect


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("orders", "orders"),
        ("orders/web:http", "orders/web:http"),
        ("/version", "/version"),
        ("$.release", "$.release"),
        ("123", '"123"'),
        ("on", '"on"'),
        ("a: b", '"a: b"'),
        ("arn:aws:eks:eu/x", '"arn:aws:eks:eu/x"'),
        ("x # y", '"x # y"'),
        ("x\ny", '"x\\ny"'),
    ],
)
def test_names_are_quoted_where_they_could_mean_something_else(text: str, written: str) -> None:
    assert scalar(text) == written
