"""What the reader's account may do is what docs/rbac-read-only.yaml grants, and nothing else."""

import json
from pathlib import Path

import pytest
import yaml

from gate.lab.cluster.accounts import READER_RULES
from gate.lab.cluster.kinds import KINDS
from tests.support.lab_cluster import NAMESPACE, lab_server, send, stand
from tests.support.loopback import asynchronous

MANIFEST = Path(__file__).resolve().parents[2] / "docs" / "rbac-read-only.yaml"


def test_the_rules_are_those_of_the_documented_manifest() -> None:
    documents = yaml.safe_load_all(MANIFEST.read_text())
    (role,) = [one for one in documents if one["kind"] == "ClusterRole"]
    granted = {
        (group, resource): tuple(rule["verbs"])
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }
    assert granted == READER_RULES


@asynchronous
async def test_the_reader_reads_these_kinds_and_writes_none() -> None:
    async with lab_server() as server:
        stand(server.store)
        token = server.accounts.reader.token
        for kind in KINDS.values():
            place = f"/namespaces/{NAMESPACE}" if kind.namespaced else ""
            path = f"{kind.root}{place}/{kind.plural}"
            granted = (kind.group, kind.plural) in READER_RULES
            assert (await send(server, "GET", path, token=token))[0] == (200 if granted else 403)
            for method, where in (
                ("POST", path),
                ("PUT", f"{path}/web"),
                ("PATCH", f"{path}/web"),
                ("DELETE", f"{path}/web"),
            ):
                assert (await send(server, method, where, b"{}", token=token))[0] == 403
        assert server.store.get("Deployment", NAMESPACE, "web")["metadata"]["generation"] == 1


@pytest.mark.parametrize("path", ["/version", "/readyz", "/api", "/apis", "/api/v1", "/apis/apps", "/apis/apps/v1"])
@asynchronous
async def test_everybody_with_a_token_may_ask_what_there_is(path: str) -> None:
    async with lab_server() as server:
        assert (await send(server, "GET", path, token=server.accounts.reader.token))[0] == 200
        assert (await send(server, "GET", path, token="other"))[0] == 401


@pytest.mark.parametrize(
    ("verb", "resource", "allowed"),
    [
        ("list", {"group": "apps", "resource": "deployments"}, True),
        ("get", {"resource": "services", "subresource": "proxy"}, True),
        ("create", {"resource": "services", "subresource": "proxy"}, False),
        ("patch", {"group": "argoproj.io", "resource": "applications"}, False),
        ("list", {"resource": "secrets"}, False),
        ("list", {"group": "other", "resource": "deployments"}, False),
    ],
)
@asynchronous
async def test_a_review_says_what_the_reader_may(verb: str, resource: dict[str, str], allowed: bool) -> None:
    body = {"spec": {"resourceAttributes": {"verb": verb, "namespace": NAMESPACE, **resource}}}
    path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    async with lab_server() as server:
        for account, expected in ((server.accounts.reader, allowed), (server.accounts.admin, True)):
            status, _, answer = await send(server, "POST", path, json.dumps(body).encode(), token=account.token)
            assert (status, json.loads(answer)["status"]["allowed"]) == (201, expected)
        for media in ("application/json", "application/vnd.kubernetes.protobuf"):
            assert (await send(server, "POST", path, b"nonsense", {"Content-Type": media}))[0] == 400


def _field(number: int, value: bytes) -> bytes:
    return bytes([number << 3 | 2, len(value)]) + value


@pytest.mark.parametrize(("verb", "allowed"), [(b"list", True), (b"delete", False)])
@asynchronous
async def test_kubectl_asks_the_same_in_protobuf(verb: bytes, allowed: bool) -> None:
    resource = _field(1, NAMESPACE.encode()) + _field(2, verb) + _field(3, b"apps") + _field(5, b"deployments")
    review = _field(1, b"") + _field(2, _field(1, resource)) + _field(3, b"\x08\x00")
    kind = _field(1, b"authorization.k8s.io/v1") + _field(2, b"SelfSubjectAccessReview")
    body = b"k8s\0" + _field(1, kind) + _field(2, review) + _field(3, b"") + _field(4, b"")
    path, media = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "application/vnd.kubernetes.protobuf"
    async with lab_server() as server:
        token = server.accounts.reader.token
        status, _, answer = await send(server, "POST", path, body, {"Content-Type": media}, token)
        assert (status, json.loads(answer)["status"]["allowed"]) == (201, allowed)
        assert (await send(server, "POST", path, body[:-8], {"Content-Type": media}, token))[0] == 400


@asynchronous
async def test_a_kubeconfig_has_one_context_and_the_accounts_token() -> None:
    async with lab_server() as server:
        text = server.kubeconfig("staging", server.accounts.reader)
        config = yaml.safe_load(text)
        assert config["current-context"] == "staging"
        assert config["clusters"][0]["cluster"] == {"server": server.url}
        assert config["users"][0]["user"] == {"token": server.accounts.reader.token}
        assert server.accounts.reader.token not in repr(server.accounts)
        assert server.accounts.reader.token != server.accounts.admin.token
        for_kubectl = yaml.safe_load(server.kubeconfig("staging", kubectl=True))["clusters"][0]["cluster"]["server"]
        assert for_kubectl == f"{server.url}/as/{server.accounts.admin.token}"
