"""Nothing can be written to a cluster, save one annotation where it is allowed."""

import json

import pytest

from gate.adapters.failures import Cause, ReadFailed
from gate.adapters.kubernetes.transport import REFRESH_PATCH, Call
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
        ("get", "/version"),
    ],
)
def test_no_other_write_can_even_be_made(method: str, path: str) -> None:
    with pytest.raises(InternalError):
        Call("x", path, method=method)


def test_a_read_and_the_refresh_can_be_made() -> None:
    assert Call("x", "/version").method == "GET"
    assert Call("x", "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/o", method="PATCH").query is None
