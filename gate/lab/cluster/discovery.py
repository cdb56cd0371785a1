"""What the API server says about itself: its version, its groups, and the resources of each."""

from typing import NamedTuple

from gate.lab.cluster.kinds import KINDS, Kind
from gate.lab.cluster.store import Object

VERSION = "v1.34.4"
_VERBS = ["create", "delete", "get", "list", "patch", "update", "watch"]
_CUSTOM_VERBS = ["delete", "get", "list", "patch", "create", "update", "watch"]
_STATUS_VERBS = ["get", "patch", "update"]
_REVIEWS = "authorization.k8s.io/v1"


class _Names(NamedTuple):
    """What kubectl may call a kind beside its name; ``all``: whether ``kubectl get all`` shows it."""

    short: tuple[str, ...] = ()
    all: bool = False


_NAMES = {
    "Namespace": _Names(("ns",)),
    "Service": _Names(("svc",), all=True),
    "ConfigMap": _Names(("cm",)),
    "ServiceAccount": _Names(("sa",)),
    "Pod": _Names(("po",), all=True),
    "Event": _Names(("ev",)),
    "Deployment": _Names(("deploy",), all=True),
    "ReplicaSet": _Names(("rs",), all=True),
    "StatefulSet": _Names(("sts",), all=True),
    "DaemonSet": _Names(("ds",), all=True),
    "Job": _Names(all=True),
    "Application": _Names(("app", "apps")),
    "ApplicationSet": _Names(("appset", "appsets")),
    "AppProject": _Names(("appproj", "appprojs")),
}


def discover(path: str, address: str) -> Object | None:
    """The answer to a GET of ``/version``, ``/api``, ``/apis`` or below; None for what is not there."""
    parts = path.strip("/").split("/")
    if parts == ["version"]:
        return _version()
    if parts == ["api"]:
        nearest = [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}]
        return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": nearest}
    if parts == ["apis"]:
        return {
            "kind": "APIGroupList",
            "apiVersion": "v1",
            "groups": [_group(one) for one in _group_versions() if "/" in one],
        }
    if len(parts) == 2 and parts[0] == "apis":
        found = next((one for one in _group_versions() if one.startswith(f"{parts[1]}/")), None)
        return None if found is None else {"kind": "APIGroup", "apiVersion": "v1", **_group(found)}
    group_version = path.strip("/").partition("/")[2]
    known = group_version in _group_versions() and (parts[0] == "apis") is ("/" in group_version)
    return _resources(group_version) if known else None


def knows_group(group: str) -> bool:
    """Whether any version of this API group is served."""
    return group == "" or any(one.startswith(f"{group}/") for one in _group_versions())


def _version() -> Object:
    return {
        "major": "1",
        "minor": "34",
        "emulationMajor": "1",
        "emulationMinor": "34",
        "minCompatibilityMajor": "1",
        "minCompatibilityMinor": "33",
        "gitVersion": VERSION,
        "gitCommit": "",
        "gitTreeState": "",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": "",
        "platform": "",
    }


def _group_versions() -> list[str]:
    return [*dict.fromkeys(kind.api_version for kind in KINDS.values()), _REVIEWS]


def _group(group_version: str) -> Object:
    name, _, version = group_version.partition("/")
    one = {"groupVersion": group_version, "version": version}
    return {"name": name, "versions": [one], "preferredVersion": one}


def _resources(group_version: str) -> Object:
    resources = [one for kind in KINDS.values() if kind.api_version == group_version for one in _of_kind(kind)]
    if group_version == "v1":
        resources.append(
            _resource("services/proxy", "ServiceProxyOptions", True, ["create", "delete", "get", "patch", "update"])
        )
    if group_version == _REVIEWS:
        kind = "SelfSubjectAccessReview"
        resources.append({**_resource(f"{kind.lower()}s", kind, False, ["create"]), "singularName": kind.lower()})
    found: Object = {"kind": "APIResourceList", "groupVersion": group_version}
    if "/" in group_version:  # the oldest group says less
        found["apiVersion"] = "v1"
    return {**found, "resources": sorted(resources, key=lambda one: str(one["name"]))}


def _of_kind(kind: Kind) -> list[Object]:
    names = _NAMES.get(kind.name, _Names())
    verbs = _CUSTOM_VERBS if kind.group == "argoproj.io" else _VERBS
    one = {**_resource(kind.plural, kind.name, kind.namespaced, verbs), "singularName": kind.name.lower()}
    if names.short:
        one["shortNames"] = list(names.short)
    if names.all:
        one["categories"] = ["all"]
    if not kind.status:
        return [one]
    return [one, _resource(f"{kind.plural}/status", kind.name, kind.namespaced, _STATUS_VERBS)]


def _resource(name: str, kind: str, namespaced: bool, verbs: list[str]) -> Object:
    return {"name": name, "singularName": "", "namespaced": namespaced, "kind": kind, "verbs": verbs}
