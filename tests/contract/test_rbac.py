"""The RBAC manifests: namespace by namespace it is the same right to read; the refresh is one right more."""

from typing import Any

import pytest
from ruamel.yaml import YAML

from gate.adapters.kubernetes.kinds import KINDS
from tests.conftest import ROOT

Rights = dict[tuple[str, str], tuple[str, ...]]
NAMES = ("rbac-read-only.yaml", "rbac-namespaced.yaml", "rbac-refresh.yaml")
READ = ("get", "list", "watch")


def _documents(name: str) -> list[dict[str, Any]]:
    return list(YAML(typ="safe", pure=True).load_all((ROOT / "docs" / name).read_text(encoding="utf-8")))


def _rights(name: str) -> Rights:
    """What all roles in a manifest grant together."""
    return {
        (group, resource): tuple(rule["verbs"])
        for role in _documents(name)
        if role["kind"] in ("Role", "ClusterRole")
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }


def test_namespace_by_namespace_it_is_the_same() -> None:
    assert _rights("rbac-namespaced.yaml") == _rights("rbac-read-only.yaml")


def test_every_kind_that_is_read_may_be_read_and_no_other() -> None:
    wanted = {(kind.api_version.rpartition("/")[0], kind.plural): READ for kind in KINDS.values()}
    assert _rights("rbac-namespaced.yaml") == {**wanted, ("", "services/proxy"): ("get",)}


def test_nothing_is_granted_beyond_a_namespace() -> None:
    kinds = {one["kind"] for one in _documents("rbac-namespaced.yaml") + _documents("rbac-refresh.yaml")}
    assert kinds == {"Namespace", "ServiceAccount", "Role", "RoleBinding"}


def test_the_refresh_is_a_patch_of_applications_that_are_named() -> None:
    assert _rights("rbac-refresh.yaml") == {("argoproj.io", "applications"): ("patch",)}
    (role,) = [one for one in _documents("rbac-refresh.yaml") if one["kind"] == "Role"]
    assert all(rule["resourceNames"] for rule in role["rules"])


@pytest.mark.parametrize("name", NAMES)
def test_every_role_is_bound_to_the_account(name: str) -> None:
    """By a binding in the namespace of the role; no secret and no wildcard is in any of them."""
    documents = _documents(name)
    roles = {(one["kind"], one["metadata"].get("namespace")) for one in documents if one["kind"].endswith("Role")}
    bindings = [one for one in documents if one["kind"].endswith("RoleBinding")]
    assert {(one["roleRef"]["kind"], one["metadata"].get("namespace")) for one in bindings} == roles
    for one in bindings:
        account = {"kind": "ServiceAccount", "name": "promotion-gate", "namespace": "promotion-gate"}
        assert one["subjects"] == [account]
    assert not {"*", "secrets"} & {part for key in _rights(name) for part in key}
