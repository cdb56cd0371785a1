"""Nothing can be written to a cluster, save one annotation where it is allowed."""

import json

import pytest

from gate.adapters.failures import Cause, ReadFailed
from gate.adapters.kubernetes.review import Right
from gate.adapters.kubernetes.transport import REFRESH_PATCH, REVIEWS, Call
from gate.errors import InternalError
from tests.support.kubernetes import cluster, failing, status, thing
from tests.support.loopback import Reply, asynchronous


@pytest.mark.parametrize(
    ("kind", "namespace", "name"),
    [
        ("Secret", "orders", "web"),
        ("Pod", "", "web"),
        ("Pod", "orders", ""),
        ("Pod", "orders", ".."),
        ("Pod", "orders", "a/../../secrets/b"),
        ("Pod", "orders/secrets", "b"),
        ("Pod", "orders", "a?watch=1"),
        ("Pod", "orders", "a%2fb"),
        ("Pod", "Orders", "a"),
        ("Pod", "orders", "a..b"),
        ("Pod", "orders", "a\n"),
    ],
)
@asynchronous
async def test_nothing_but_the_known_kinds_and_possible_names_is_asked_for(
    kind: str, namespace: str, name: str
) -> None:
    async with cluster(lambda _: Reply(body={})) as (api, server):
        with pytest.raises(ReadFailed) as caught:
            await api.get(kind, namespace, name)
        assert caught.value.status is None
        assert server.asked == []


@asynchronous
async def test_a_refresh_writes_one_annotation_and_only_where_it_is_allowed() -> None:
    async with cluster(lambda _: Reply(body=thing("Application")), may_refresh=True) as (api, server):
        await api.request_refresh("argocd", "orders")
        (asked,) = server.asked
        assert (asked.method, asked.target) == (
            "PATCH",
            "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/orders",
        )
        assert asked.headers["content-type"] == "application/merge-patch+json"
        assert json.loads(asked.body) == {"metadata": {"annotations": {"argocd.argoproj.io/refresh": "normal"}}}
        assert asked.body == REFRESH_PATCH
    async with cluster(lambda _: Reply(body=thing("Application"))) as (api, server):
        with pytest.raises(InternalError):
            await api.request_refresh("argocd", "orders")
        assert server.asked == []


@asynchronous
async def test_a_refresh_that_is_refused_is_a_failure() -> None:
    error = await failing(
        lambda api: api.request_refresh("argocd", "orders"),
        lambda _: status(403, "Forbidden", "cannot patch"),
        may_refresh=True,
    )
    assert error.cause is Cause.FORBIDDEN
    assert "cannot patch" in error.error


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PATCH", "/apis/apps/v1/namespaces/orders/deployments/web"),
        ("PATCH", "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications"),
        ("PATCH", "/apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects/default"),
        ("PATCH", "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/orders/status"),
        ("PATCH", "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/orders?force=true"),
        ("POST", "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/orders"),
        ("PUT", "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/orders"),
        ("DELETE", "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/orders"),
        ("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"),  # a question without its text
        ("get", "/version"),
    ],
)
def test_no_other_write_can_even_be_made(method: str, path: str) -> None:
    with pytest.raises(InternalError):
        Call("x", path, method=method)


@pytest.mark.parametrize(
    "path",
    [
        "/apis/authorization.k8s.io/v1/subjectaccessreviews",
        "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews/x",
        "/api/v1/namespaces/orders/pods",
        "/api/v1/namespaces/orders/serviceaccounts/gate/token",
    ],
)
def test_nothing_but_a_question_after_ones_own_rights_has_a_body(path: str) -> None:
    with pytest.raises(InternalError):
        Call("x", path, method="POST", body=b"{}")
    with pytest.raises(InternalError):
        Call("x", "/version", body=b"{}")
    assert Call("x", REVIEWS, method="POST", body=b"{}").path == REVIEWS


@pytest.mark.parametrize("allowed", [True, False])
@asynchronous
async def test_a_right_is_asked_for_and_answered(allowed: bool) -> None:
    answer = {"kind": "SelfSubjectAccessReview", "status": {"allowed": allowed}}
    async with cluster(lambda _: Reply(201, answer)) as (api, server):
        assert await api.may(Right("get", "Service", "orders", "proxy")) is allowed
        [asked] = server.asked
        wanted = {"verb": "get", "resource": "services", "subresource": "proxy", "namespace": "orders"}
        assert (asked.method, json.loads(asked.body)["spec"]) == ("POST", {"resourceAttributes": wanted})
        assert asked.headers["content-type"] == "application/json"


@pytest.mark.parametrize("reply", [Reply(201, {"kind": "Status"}), status(403, "Forbidden"), Reply(200, "no")])
@asynchronous
async def test_a_right_that_is_not_answered_is_neither_yes_nor_no(reply: Reply) -> None:
    assert (await failing(lambda api: api.may(Right("list", "Pod", "orders")), lambda _: reply)).what != ""


def test_a_read_and_the_refresh_can_be_made() -> None:
    assert Call("x", "/version").method == "GET"
    assert Call("x", "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/o", method="PATCH").query is None
