"""What a key says of itself: a release, what is the same in all of them, or neither. And what a selector fixes."""

import pytest

from gate.facts.workload import Deployment
from gate.rehearsal.conventions import Names, kept, names, selected

RELEASE = (
    "revision",
    "short-revision",
    "tree",
    "image.tag:app",
    "image.digest:name",
    "label:app.kubernetes.io/version",
    "label:version",
    "label:appVersion",
    "label:helm.sh/chart",
    "annotation:example.com/git-sha",
    "annotation:gitSHA",
    "annotation:gitsha",
    "annotation:image-tag",
    "annotation:example.com/build-number",
    "annotation:release.example.com/id",
    "annotation:commit",
)
SAME = (
    "label:app",
    "label:k8s-app",
    "label:app.kubernetes.io/name",
    "label:app.kubernetes.io/instance",
    "label:app.kubernetes.io/managed-by",
    "annotation:app.kubernetes.io/component",
    "label:argocd.argoproj.io/instance",
    "label:tags.datadoghq.com/env",
    "label:tier",
    "label:team",
    "annotation:example.com/owner",
    "label:environment",
    "label:stage",
    "label:heritage",
    "annotation:meta.helm.sh/release-name",
)
UNKNOWN = (
    "annotation:prometheus.io/port",
    "label:color",
    "label:shard",
    "label:App",
    "label:staged",
    "label:app.kubernetes.io/hostage",
    "annotation:checksum/config",
    "label:vintages",
    "label:release.example.com/name",
    "label:release",
)


@pytest.mark.parametrize(
    ("key", "said"),
    [(key, said) for said, keys in zip(Names, (RELEASE, SAME, UNKNOWN), strict=True) for key in keys],
)
def test_what_a_key_says(key: str, said: Names) -> None:
    assert names(key) is said


def _deployment(selector: object) -> Deployment:
    return Deployment.model_validate({"metadata": {"name": "web"}, "spec": {"selector": selector}})


def test_what_a_selector_asks_for_is_fixed() -> None:
    expressions = [
        {"key": "one", "operator": "In", "values": ["a"]},
        {"key": "two", "operator": "In", "values": ["a", "b"]},
        {"key": "there", "operator": "Exists"},
    ]
    both = {"matchLabels": {"color": "red"}, "matchExpressions": expressions}
    assert selected([_deployment(both)]) == {"label:color", "label:one"}
    assert selected([_deployment({"matchLabels": {"a": "b"}}), _deployment({"matchLabels": {"c": "d"}})]) == {
        "label:a",
        "label:c",
    }
    assert selected([_deployment(None), _deployment({})]) == frozenset()


def test_what_is_the_same_is_kept_and_nothing_is_added() -> None:
    assert kept({"a": "1", "b": "1"}, {"a": "2", "b": "2"}, ["a", "c"]) == {"a": "2", "b": "1"}
