"""Label and field selectors choose what the API server's choose."""

import pytest

from gate.lab.cluster.selectors import BadSelector, field_selector, label_selector, selects_labels
from gate.lab.cluster.store import Object

LABELS = {"app": "web", "app.kubernetes.io/version": "1.0.0", "empty": ""}
POD: Object = {
    "kind": "Pod",
    "metadata": {"name": "web-0", "namespace": "orders", "labels": LABELS},
    "spec": {"nodeName": "node1"},
    "status": {"phase": "Running"},
}


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("", True),
        ("app=web", True),
        ("app==web", True),
        ("app = web", True),
        ("app=other", False),
        ("other=web", False),
        ("app!=other", True),
        ("app!=web", False),
        ("other!=web", True),
        ("empty=", True),
        ("app=", False),
        ("app", True),
        ("other", False),
        ("!other", True),
        ("!app", False),
        ("app in (web, other)", True),
        ("app in(other)", False),
        ("app notin (other)", True),
        ("app notin (web)", False),
        ("other notin (web)", True),
        ("app in (web),app.kubernetes.io/version=1.0.0,!gone", True),
        ("app in (web),app.kubernetes.io/version=2.0.0", False),
        ("notin=web", False),
    ],
)
def test_labels(text: str, chosen: bool) -> None:
    assert label_selector(text)(POD) is chosen


def test_without_labels_only_what_asks_for_none_is_chosen() -> None:
    bare: Object = {"metadata": {"name": "bare"}}
    assert label_selector("!app")(bare)
    assert not label_selector("app")(bare)


@pytest.mark.parametrize("text", ["a===b", "=b", "a in b", "a b", "a in (b", "!a=b"])
def test_what_is_no_label_selector_is_refused(text: str) -> None:
    with pytest.raises(BadSelector, match="unable to parse requirement"):
        label_selector(text)


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("", True),
        ("metadata.name=web-0", True),
        ("metadata.name=web-1", False),
        ("metadata.name!=web-1,status.phase=Running", True),
        ("spec.nodeName==node1,metadata.namespace=orders", True),
        ("status.podIP=", True),
        ("status.podIP!=", False),
    ],
)
def test_fields(text: str, chosen: bool) -> None:
    assert field_selector("Pod", text)(POD) is chosen


@pytest.mark.parametrize("text", ["spec.image=x", "involvedObject.kind=Pod", "metadata.labels=x"])
def test_a_field_that_the_kind_has_not_is_refused(text: str) -> None:
    with pytest.raises(BadSelector, match="field label not supported"):
        field_selector("Pod", text)


def test_what_is_no_field_selector_is_refused() -> None:
    with pytest.raises(BadSelector, match="invalid selector"):
        field_selector("Pod", "metadata.name")


@pytest.mark.parametrize(
    ("selector", "chosen"),
    [
        ({}, True),
        ({"matchLabels": {"app": "web"}}, True),
        ({"matchLabels": {"app": "web", "other": "x"}}, False),
        ({"matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}]}, False),
        ({"matchExpressions": [{"key": "app", "operator": "Exists"}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}, False),
        ({"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "other", "operator": "Exists"}]}, False),
    ],
)
def test_selectors_of_a_spec(selector: Object, chosen: bool) -> None:
    assert selects_labels(selector, LABELS) is chosen
